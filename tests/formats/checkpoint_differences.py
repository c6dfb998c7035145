"""Where checkpoints are read otherwise here than in TensorFlow, or have other bytes, and why.

A pattern is `case::part`. The parts of answers are `values`, `listed` and `path`; those of bytes are names of files.
A pattern that names its case in full must explain a difference.
"""

from __future__ import annotations

Reasons = dict[str, tuple[str, ...]]

ANSWERS: Reasons = {}
"""Answers about checkpoints of TensorFlow."""

OWN_ANSWERS: Reasons = {}
"""Answers about checkpoints of ours, against those of TensorFlow about its own."""

BYTES: Reasons = {}
"""Files that have other bytes than TensorFlow's."""

TENSORFLOW_ANSWERS: Reasons = {}
"""What TensorFlow reads from checkpoints of ours, against its own."""

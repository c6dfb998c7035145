"""Where SavedModels answer otherwise here than in TensorFlow, or are written otherwise, and why.

A pattern is `model::part`. The parts of answers are `calls.name`, `objects.path` and `files`, those of outlines the
names in `saved_models/outline.py`. A pattern that names its model in full must explain a difference.
"""

from __future__ import annotations

Reasons = dict[str, tuple[str, ...]]

ANSWERS: Reasons = {}
"""Answers about files of TensorFlow."""

OWN_ANSWERS: Reasons = {
    "The class that the program defines is known in this process.": (
        "composites-extension_type_that_nobody_knows::objects.*",
    ),
}
"""Answers about files of ours, against those of TensorFlow about its own."""

TENSORFLOW_ANSWERS: Reasons = {}
"""Answers of TensorFlow about files of ours, against those about its own."""

SERVED: Reasons = {}
"""Results of signatures in TensorFlow's sessions: files of ours against its own. The parts are names of signatures."""

OUTLINES: Reasons = {}
"""Parts of the `SavedModel` message."""

BYTES: Reasons = {}
"""Files below `variables`."""

REFUSALS: Reasons = {}
"""Exceptions about what cannot be saved: the only part is `refusal.`."""

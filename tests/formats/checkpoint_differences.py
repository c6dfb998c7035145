"""Where checkpoints are read otherwise here than in TensorFlow, or have other bytes, and why.

A pattern is `case::part`. The parts of answers are `values`, `listed` and `path`; those of bytes are names of files.
A pattern that names its case in full must explain a difference.
"""

from __future__ import annotations

Reasons = dict[str, tuple[str, ...]]

_ITERATORS = "The state of an iterator is that of a runtime's own data pipeline; TensorFlow's is of its C++ iterators."

_SEEDS = "Checkpoints hold the state of Keras's generators of seeds, so that dropout goes on; TensorFlow's lack it."

ANSWERS: Reasons = {
    _ITERATORS: ("objects-iterator::values", "objects-iterator_of_shuffled::values"),
}
"""Answers about checkpoints of TensorFlow."""

_OF_OUR_FILES: Reasons = {
    _ITERATORS: ("objects-iterator::listed", "objects-iterator_of_shuffled::listed"),
    _SEEDS: ("keras-convolutions::listed", "keras-recurrent::listed"),
}

OWN_ANSWERS: Reasons = _OF_OUR_FILES
"""Answers about checkpoints of ours, against those of TensorFlow about its own."""

BYTES: Reasons = {
    _ITERATORS: ("objects-iterator::ckpt.*", "objects-iterator_of_shuffled::ckpt.*"),
    _SEEDS: ("keras-convolutions::ckpt.*", "keras-recurrent::ckpt.*"),
    "TensorFlow writes a table in the order of its hash map, ours is in the order of insertion.": (
        "objects-mutable_table::ckpt.*",
    ),
    "A function writes one file; TensorFlow's writes one for each device that its graph names.": (
        "writing-written_in_a_function::ckpt.*",
    ),
}
"""Files that have other bytes than TensorFlow's."""

TENSORFLOW_ANSWERS: Reasons = _OF_OUR_FILES | {
    _ITERATORS: (
        "objects-iterator::listed",
        "objects-iterator_of_shuffled::listed",
        "objects-iterator::values",
        "objects-iterator_of_shuffled::values",
    ),
}
"""What TensorFlow reads from checkpoints of ours, against its own."""

"""Programs that millrace does not answer as TensorFlow yet, by the part or the detail they wait for.

They are expected to fail, strictly: the change that makes a program pass also takes it off this list.
"""

from __future__ import annotations

_WAITING_FOR = {
    "details of composites": (
        "type_specs::mutated",
    ),
    "sequence losses": ("nn_layers::ctc_free_sequence_ops",),
    "details of datasets": ("data_iterators::dataset_methods",),
}

PENDING = {program: part for part, programs in _WAITING_FOR.items() for program in programs}

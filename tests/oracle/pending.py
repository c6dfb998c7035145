"""Programs that millrace does not answer as TensorFlow yet, by the part or the detail they wait for.

They are expected to fail, strictly: the change that makes one pass also takes it off this list.
"""

from __future__ import annotations

_WAITING_FOR = {
    "ragged tensors": ("string_ops::bytes_split", "string_ops::split_to_ragged"),
    "fused optimizer ops": ("raw_operations::optimizer_ops",),
    "sequence losses": ("nn_layers::ctc_free_sequence_ops",),
}

PENDING = {program: part for part, programs in _WAITING_FOR.items() for program in programs}

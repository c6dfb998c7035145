"""Programs that millrace does not answer as TensorFlow yet, by the part or the detail they wait for.

Single programs are expected to fail, strictly: the change that makes one pass also takes it off this list. Whole
topics wait while several changes fill them: their programs are not run, for a half-built part may loop for ever, but
`pytest tests/oracle --runxfail -k TOPIC` runs them. Whoever finds a topic answered takes its line out; what is still
missing of it then becomes a line of single programs.
"""

from __future__ import annotations

_WAITING_FOR = {
    "ragged tensors": ("string_ops::bytes_split", "string_ops::split_to_ragged"),
    "fused optimizer ops": ("raw_operations::optimizer_ops",),
    "sequence losses": ("nn_layers::ctc_free_sequence_ops",),
}

WAITING_TOPICS = {
    "data_composites": "ragged and sparse tensors",
    "data_errors": "tf.data",
    "data_experimental": "tf.data",
    "data_files": "tf.data",
    "data_functions": "tf.data",
    "data_iterators": "tf.data",
    "data_options": "tf.data",
    "data_pipelines": "tf.data",
    "data_random_pipelines": "tf.data",
    "data_shuffle": "tf.data",
    "data_sources": "tf.data",
    "data_transforms": "tf.data",
    "data_v1": "tf.data",
}

PENDING = {program: part for part, programs in _WAITING_FOR.items() for program in programs}

"""Programs that millrace does not answer as TensorFlow yet, by the part or the detail they wait for.

They are expected to fail, strictly: the change that makes a program pass also takes it off this list.
"""

from __future__ import annotations

_WAITING_FOR = {
    "sessions": (
        "lookup_tables::v1_initialized",
        "lookup_tables::v1_uninitialized",
        "queues::barrier_in_session",
        "queues::v1_queue_in_session",
        "sparse_matrices::accumulated_in_a_session",
        "sparse_matrices::dense_accumulated_in_a_session",
    ),
    "details of composites": (
        "type_specs::mutated",
    ),
    "sequence losses": ("nn_layers::ctc_free_sequence_ops",),
    "v1 graphs of datasets": (
        "data_v1::session_one_shot",
        "data_v1::session_one_shot_of_tuples",
        "data_v1::session_one_shot_of_dicts",
        "data_v1::session_one_shot_of_a_map",
        "data_v1::session_initializable",
        "data_v1::session_initializable_of_a_shuffle",
        "data_v1::session_initializable_of_a_cache",
        "data_v1::session_random_op_in_map",
        "data_v1::initialize_again",
        "data_v1::initialize_with_a_placeholder",
        "data_v1::not_initialized",
        "data_v1::reinitializable",
        "data_v1::feedable",
        "data_v1::v1_names",
        "data_v1::optional_of_an_iterator",
    ),
    "random datasets and sampling": ("data_v1::session_sample_from_datasets",),
    "details of datasets": (
        "data_experimental::names",
        "data_iterators::dataset_methods",
    ),
}

PENDING = {program: part for part, programs in _WAITING_FOR.items() for program in programs}

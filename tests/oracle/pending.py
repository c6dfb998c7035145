"""Programs that millrace does not answer as TensorFlow yet, by the part or the detail they wait for.

They are expected to fail, strictly: the change that makes a program pass also takes it off this list.
"""

from __future__ import annotations

_WAITING_FOR = {
    "fused optimizer ops": ("raw_operations::optimizer_ops",),
    "sequence losses": ("nn_layers::ctc_free_sequence_ops",),
    "ragged and sparse tensors (datasets of composites)": (
        "data_composites::ragged_slices",
        "data_composites::ragged_tensor",
        "data_composites::ragged_batch",
        "data_composites::ragged_batch_drop",
        "data_composites::ragged_batch_of_int32_splits",
        "data_composites::ragged_batch_of_dicts",
        "data_composites::ragged_map",
        "data_composites::ragged_from_map",
        "data_composites::ragged_slices_batched",
        "data_composites::ragged_of_three_dimensions",
        "data_composites::ragged_unbatch",
        "data_composites::ragged_generator",
        "data_composites::ragged_numpy",
        "data_composites::ragged_zip",
        "data_composites::ragged_filter",
        "data_composites::ragged_text",
        "data_composites::ragged_dense_to_ragged",
        "data_composites::ragged_cached",
        "data_composites::ragged_bucket",
        "data_composites::ragged_shuffled",
        "data_composites::ragged_reduce",
        "data_composites::ragged_cardinality",
        "data_composites::sparse_slices",
        "data_composites::sparse_tensor",
        "data_composites::sparse_batch",
        "data_composites::sparse_batch_of_matrices",
        "data_composites::sparse_batched",
        "data_composites::sparse_map",
        "data_composites::sparse_to_dense",
        "data_composites::sparse_from_map",
        "data_composites::sparse_unbatch",
        "data_composites::sparse_numpy",
        "data_composites::sparse_and_dense",
        "data_composites::sparse_generator",
        "data_composites::sparse_filter",
        "data_composites::dense_to_sparse_batch",
        "data_composites::from_sparse_tensor_slices",
        "data_composites::specs",
        "data_composites::ragged_and_dense_of_different_sizes",
        "data_composites::sparse_batch_too_small",
        "data_composites::sparse_batch_of_zero",
        "data_composites::padded_batch_of_sparse",
        "data_composites::padded_batch_of_ragged",
        "data_composites::ragged_batch_of_zero",
    ),
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

PENDING_TOPICS = {
    **dict.fromkeys(("ragged_construction", "ragged_values", "ragged_indexing", "ragged_shapes"), "ragged tensors"),
    **dict.fromkeys(("ragged_math", "ragged_reductions", "ragged_arrays", "ragged_strings"), "ops of ragged tensors"),
    **dict.fromkeys(("ragged_functions", "extension_types", "api_dispatch", "type_specs"), "composites in functions"),
    **dict.fromkeys(("sparse_construction", "sparse_operations", "sparse_products"), "sparse tensors"),
    **dict.fromkeys(("sparse_features", "sparse_matrices", "set_operations"), "functions of sparse tensors"),
    **dict.fromkeys(("lookup_tables", "queues"), "tables and queues"),
}
"""Topics that are being made: their programs may pass or fail."""

"""Programs of composites where millrace deliberately answers otherwise than TensorFlow, by reason.

Millrace's own answers are in `own_answers.json`, one program a line (`tools/record_oracle.py --own` writes it). A line
belongs here only if TensorFlow fails, or trips over itself, where there is a good answer; everything else is a bug.
"""

from __future__ import annotations

import fnmatch
import json
from pathlib import Path
from typing import Any

from tests.oracle.corpus import programs, recorded

OWN_ANSWERS = Path(__file__).parent / "own_answers.json"

_BY_REASON: dict[str, tuple[str, ...]] = {
    "`x[None, 0]` is the first row with a new axis; TensorFlow fails on a dense row.": (
        "ragged_indexing::*_new_axis_and_row_*",
    ),
    "A second ellipsis is a full slice, as it is where all dimensions are ragged.": (
        "ragged_indexing::uniform_two_ellipses_*",
    ),
    "A row of a uniform dimension may be taken in graphs too; TensorFlow asks a symbolic tensor for its truth.": (
        "ragged_indexing::uniform_outer_graph",
        "ragged_indexing::uniform_outer_columns_graph",
    ),
    "One row broadcasts to every row of as many columns, as in NumPy; TensorFlow makes partitions that do not fit.": (
        "ragged_math::op_with_one_row_*",
    ),
    "An array to the left leaves the operator to the ragged tensor, as one to the right does.": (
        "ragged_math::op_with_array_*",
    ),
    "The result of a function of flat values is one tensor, in graphs as in eager mode.": (
        "ragged_math::map_flat_values_of_structures_graph",
        "ragged_math::map_flat_values_to_scalar_graph",
    ),
    "What is known while tracing is refused then, in the words of eager mode.": (
        "ragged_construction::uniform_of_remainder_graph",
        "ragged_construction::uniform_below_zero_graph",
        "ragged_construction::to_tensor_of_short_shape_graph",
        "ragged_construction::to_tensor_of_long_shape_graph",
        "ragged_construction::partitions_out_of_range_graph",
        "ragged_arrays::split_unequally_graph",
        "ragged_arrays::split_to_wrong_sum_graph",
        "ragged_arrays::broadcast_to_wrong_shape_graph",
        "ragged_shapes::broadcast_wrong_rows_graph",
    ),
    "The message says what is wrong with the splits.": ("ragged_construction::splits_that_are_none_*",),
    "A ragged tensor of unknown rank can be added to.": ("ragged_values::spec_of_unknown_rank",),
    "Lengths that are known are numbers of Python, not of NumPy.": (
        "ragged_shapes::shape_from_lengths",
        "ragged_shapes::partition_of_starts",
        "ragged_shapes::partition_of_uniform*",
    ),
    "Keys may be a list or an array, as tensors may be everywhere.": (
        "lookup_tables::static_of_list",
        "lookup_tables::static_of_array",
    ),
    "`int | None` is an annotation as good as `typing.Optional[int]`.": ("extension_types::new_union",),
    "Values whose fields are numbers and texts can be compared.": ("extension_types::equality_of_plain",),
    "The message says which dimensions, sizes or partitions do not go together.": (
        "ragged_math::matmul_of_unlike_*",
        "ragged_math::op_with_other_row_count_graph",
        "ragged_arrays::where_of_unlike_*",
        "ragged_arrays::tile_of_short_multiples_*",
        "ragged_shapes::broadcast_of_unlike_shapes",
        "ragged_shapes::shape_immutable",
        "ragged_strings::ragged_feature_of_bad_splits_dtype",
        "sparse_operations::concat_of_nothing_*",
        "sparse_operations::concat_of_bad_axis_graph",
        "sparse_operations::concat_of_unlike_dtypes_eager",
        "sparse_features::embedding_of_unlike_weights_graph",
    ),
    "The sum of tensors whose coordinates are not in order has each once, in order.": (
        "sparse_operations::add_out_of_order_*",
    ),
    "`ones_like` and `zeros_like` of sparse tensors are dense in eager mode too.": (
        "sparse_operations::generic_ones_like_eager",
    ),
    "There is no gradient, which is said; TensorFlow's rule for it cannot be called.": (
        "sparse_products::gradient_of_maximum_*",
        "sparse_products::gradient_of_minimum_*",
    ),
    "Another order of minimum degree, as good.": ("sparse_matrices::ordering_*",),
    "An operator of a tensor finds the overload for the type on its right.": ("api_dispatch::tensor_operator",),
    "A gradient of values that all matter is a tensor, not slices of one.": ("ragged_arrays::to_tensor_gradient_*",),
    "A begin is counted from the first position, eagerly as in graphs.": (
        "sparse_operations::expand_dims_of_low_axis_eager",
    ),
    "The value that is not a tensor is refused in the words of eager mode.": (
        "sparse_operations::generic_concat_graph",
        "ragged_functions::numpy_function_of_ragged_graph",
        "ragged_functions::tuple_graph",
        "ragged_strings::substr_of_ragged_positions_*",
        "ragged_math::op_with_none_graph",
        "type_specs::from_more_values",
    ),
    "A composite may stand where operations do in control dependencies.": (
        "sparse_products::control_dependencies_graph",
    ),
    "The rows of a sparse loop variable may grow, as its values may.": ("sparse_products::while_growing_unsaid_graph",),
    "A dense result for rows is refused before anything runs.": ("ragged_functions::map_fn_of_text_*",),
    "Results of vectorized functions may be ragged.": ("ragged_functions::vectorized_map_to_ragged_*",),
    "Ragged rows cannot be taken side by side, which is said; TensorFlow fails where it puts them together.": (
        "ragged_functions::vectorized_map_eager",
        "ragged_functions::vectorized_map_graph",
        "ragged_functions::vectorized_map_of_sums_*",
    ),
    "A reduction may start with a ragged tensor; TensorFlow fails on its class.": (
        "composite_datasets::reduced_to_ragged",
    ),
    "What a transformation cannot take is refused when it is made, with its type.": ("composite_datasets::uniqued",),
    "Lengths that begin with a ragged dimension are refused for that.": ("ragged_shapes::shape_of_ragged_outer",),
    "Specs of partitions can be copied and pickled; TensorFlow's fail on what a partition does not know.": (
        "type_specs::equality",
        "type_specs::pickled",
    ),
    "Specs of arrays and of other values have nothing in common.": ("type_specs::supertypes_of_others",),
    "A function whose argument is an array has that array as input.": ("type_specs::function_of_specs",),
    "A type that cannot be batched is refused in words.": ("extension_types::mapped_unbatchable",),
    "The message says how long the tuple is.": ("extension_types::tuple_values",),
    "The message gives the reason why there is no gradient.": (
        "sparse_products::gradient_of_split_*",
        "sparse_products::gradient_of_reduce_max_*",
    ),
    "Two sparse factors are refused; TensorFlow recurses until Python stops it.": (
        "sparse_products::matmul_of_two_sparse_*",
    ),
    "More of the shape is known while tracing.": (
        "sparse_construction::spec_of_ops",
        "sparse_construction::spec_of_unknown_ops",
        "ragged_values::spec_of_joins",
    ),
    "What a signature says of a sparse tensor's shape is checked.": ("sparse_products::signature_errors",),
    "The message names the argument and what it should be.": (
        "sparse_construction::shape_of_rank_two",
        "sparse_features::safe_embedding_of_dense_*",
    ),
    "A tangent is a tensor, not slices of one.": ("ragged_functions::forward_mode",),
    "The spec of a variable may be part of a signature.": ("tape_table::*__signature__*variable*",),
    "Accumulators see through functions, branches, loops and recomputed functions.": (
        "tape_table::outside__forward*",
        "tape_table::between__forward*",
        "tape_table::inside__forward*__argument__ragged",
    ),
    "Slices can be differentiated again.": ("tape_table::inside__*__argument__gathered_variable",),
    "A recomputed function takes composites, and gives slices where the function itself does.": (
        "tape_table::inside__recomputed__argument__*",
    ),
    "Zeros for a ragged source have the partition of the source once.": (
        "tape_table::inside__zeros__argument__ragged",
    ),
    "A source without a gradient gives None, also from a Jacobian and from a loop of AutoGraph.": (
        "tape_table::inside__jacobian__argument__ragged",
        "tape_table::inside__tape__statement__array",
    ),
    "A symbolic TensorArray inside of a Python function is refused; TensorFlow gives no gradient.": (
        "tape_table::inside__py_inside__argument__array",
        "tape_table::outside__tape__py_function__array",
    ),
    "A Python function of composites, or of second order, has gradients.": (
        "tape_table::between__second__py_argument__tensor",
        "tape_table::outside__tape__py_argument__sparse",
        "tape_table::between__tape__py_argument__slices",
    ),
    "A branch can be vectorized, and so can a function of a ragged tensor.": (
        "tape_table::inside__around_cond__vectorized__tensor",
        "tape_table::inside__tape__vectorized__ragged",
    ),
    "Gradients do not flow into the function of a dataset, so a tape does not watch what such a function reads.": (
        "tape_table::outside__custom_of_variables__dataset__module",
        "tape_table::between__watched_variables__dataset__variables",
    ),
    "A tape watches the variables of the call, not those of the call for which the function was traced.": (
        "tape_table::outside__watched_variables__concrete_of_another__vector_variable",
    ),
    "A TensorArray of the same form fits a function that was traced for another.": (
        "tape_table::*__concrete*__array",
        "tape_table::*__nested_concrete__array",
        "tape_table::*__signature__array",
    ),
    "An element of a dataset that is a variable is refused as a value, not as a type.": (
        "tape_table::inside__tape__element__extension_of_variable",
    ),
    "Branches whose gradients are slices of unlike number give a tensor.": (
        "tape_table::outside__tape__cond__gathered_variable",
    ),
}


def own_answers() -> dict[str, Any]:
    """Returns millrace's recorded answers by `topic::program`."""
    answers: dict[str, Any] = json.loads(OWN_ANSWERS.read_text(encoding="utf-8")) if OWN_ANSWERS.exists() else {}
    return answers


def reasons() -> dict[str, str]:
    """Returns the reason of each program that the patterns name and that TensorFlow answered."""
    found = {}
    for reason, patterns in _BY_REASON.items():
        for pattern in patterns:
            topic, _, names = pattern.partition("::")
            answered = recorded(topic)
            chosen = [name for name in programs(topic) if fnmatch.fnmatchcase(name, names) and name in answered]
            if not chosen:
                raise LookupError(f"no program is called {pattern}")
            found.update({f"{topic}::{name}": reason for name in chosen})
    return found

"""Programs where millrace deliberately answers otherwise than TensorFlow, with the reason and our answer.

Keys are `topic::program`. `expected` is the JSON form of our own answer (see encoding.py). Only what the design
documents as better than TensorFlow belongs here; everything else is a bug.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tests.oracle.composite_differences import own_answers


class Difference(NamedTuple):
    """One deliberate difference."""

    reason: str
    expected: Any = None
    same_as: str = ""
    """The program of the same topic whose record is our answer, instead of `expected`."""


_XLA_REFUSALS = (
    "XLA compilation requires a fixed tensor list size.",
    "Support for TensorList crossing the XLA/TF boundary",
    "Detected unsupported operations when trying to compile graph",
    "Input 1 to node",
    "Input to reshape is a tensor with",
    "gradient registry has no entry for: Xla",
)
_AUTOGRAPH_REFUSALS = ("NotImplementedError", "OperatorNotAllowedInGraphError", "UnsupportedLanguageElementError")
_STAGED = ("xla_through", "through", "inside", "gradients", "xla")
_UNCOMPILED = {"_xla_through": "_through", "_xla": "_inside"}


def expected_answer(topic: str, name: str, answers: Mapping[str, Any]) -> Any:
    """What a program must answer by the records of its topic.

    TensorFlow cannot compile most loops, branches and TensorArrays together with their gradients. Where it refuses,
    the answer is the one that it gives without compiling. Its AutoGraph refuses some statements (an early return from
    a loop, `for ... else`, an assertion about a tensor); there the answer is the one that it gives eagerly.
    """
    deliberate = DIFFERENCES.get(f"{topic}::{name}")
    if deliberate is not None:
        return answers[deliberate.same_as] if deliberate.same_as else deliberate.expected
    recorded = answers[name]
    if topic == "gradient_autograph" and isinstance(recorded, dict) and recorded.get("raised") in _AUTOGRAPH_REFUSALS:
        return answers[next(name.removesuffix(f"_{m}") for m in _STAGED if name.endswith(f"_{m}")) + "_eager"]
    if not _message(recorded).startswith(_XLA_REFUSALS):
        return recorded
    for ending, other in _UNCOMPILED.items():
        if name.endswith(ending):
            stem = name.removesuffix(ending)
            return next((answers[stem + mode] for mode in (other, "_graph") if stem + mode in answers), recorded)
    return recorded


def _message(answer: Any) -> str:
    """Returns the words of an exception, in either of the forms that programs give it, or nothing."""
    if isinstance(answer, dict):
        return str(answer.get("message", ""))
    is_outcome = isinstance(answer, list) and len(answer) == 2 and str(answer[0]).endswith("Error")
    return str(answer[1]) if is_outcome else ""


DIFFERENCES: dict[str, Difference] = {
    "gather_scatter::ensure_and_guarantee": Difference(
        reason="A kernel knows arguments, not nodes: the tensor is called `input`, as in eager mode.",
        expected=[
            {"data": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "tensor": "float32[3,2]"},
            [{"TensorShape": [None, 2]}],
            {
                "message": "Graph execution error: Shape of tensor input [3] is not compatible with expected shape",
                "mro": ["OpError", "Exception", "BaseException", "object"],
                "raised": "InvalidArgumentError",
                "words": 7,
            },
        ],
    ),
    "gradient_functions::function_with_several_outputs": Difference(
        reason="An integer target has no gradient: None and a warning, as in eager mode; TensorFlow gives 0.",
        expected=[
            {"data": [2.0, 2.0], "tensor": "float32[2]"},
            None,
            {"data": [3.0, 5.0], "tensor": "float32[2]"},
            {"data": [0.0, 0.0], "tensor": "float32[2]"},
            {"data": [5.0, 7.0], "tensor": "float32[2]"},
            {"data": [1, 2], "tensor": "int32[2]"},
        ],
    ),
    "gradient_rules::override_with_a_tape": Difference(
        reason="A rule asked for by name holds for a tape inside of the function too, as for one around it.",
        expected={
            "tuple": [
                {"tensor": "float32[]", "data": [11.0]},
                [{"tensor": "float32[]", "data": [9.0]}, [{"tensor": "float32[]", "data": [11.0]}]],
            ]
        },
    ),
    "gradient_rules::recompute_second_order": Difference(
        reason="A recomputed function has derivatives of any order in graphs too; TensorFlow refuses the second there.",
        expected=[
            {"tuple": [{"tensor": "float32[]", "data": [12.0]}, {"tensor": "float32[]", "data": [12.0]}]},
            {"tuple": [{"tensor": "float32[]", "data": [12.0]}, {"tensor": "float32[]", "data": [12.0]}]},
        ],
    ),
    "gradient_edges::tied_max_pool_3d": Difference(
        reason="One of equal elements gets it, as in 2-D and under TensorFlow's XLA; its CPU kernel gives it to each.",
        expected={
            "approx": [
                {
                    "tuple": [
                        {"data": [3.0, 3.0, 3.0, 5.0, 5.0, 5.0], "tensor": "float32[1,2,3,1,1]"},
                        [
                            {
                                "data": [0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0],
                                "tensor": "float32[3,4]",
                            }
                        ],
                        [{"data": [0.0] * 12, "tensor": "float32[3,4]"}],
                    ]
                }
            ]
            * 2,
            "rtol": 1e-5,
            "atol": 1e-5,
        },
    ),
    "graphs::eager_tensor_in_graph": Difference(
        reason="Where a plain graph refuses an eager tensor, TensorFlow leaves the other operand's constant behind.",
        expected=[
            {
                "message": "x: Attempting to capture an EagerTensor without building a function.",
                "mro": ["Exception", "BaseException", "object"],
                "raised": "RuntimeError",
                "words": 6,
            },
            [],
        ],
    ),
    "nn_activations::activation_names_in_graph": Difference(
        reason="silu has an ordinary gradient, not a custom one: no Identity and IdentityN around it.",
        expected=[
            "x Const",
            "Relu Relu",
            "Softmax Softmax",
            "Elu Elu",
            "LeakyRelu LeakyRelu",
            "Softplus Softplus",
            "LogSoftmax LogSoftmax",
            "Tanh Tanh",
            "Sigmoid Sigmoid",
            "Gelu/mul/x Const",
            "Gelu/mul Mul",
            "Gelu/Neg Neg",
            "Gelu/Cast/x Const",
            "Gelu/mul_1 Mul",
            "Gelu/Erfc Erfc",
            "Gelu/mul_2 Mul",
            "beta Const",
            "mul Mul",
            "Sigmoid_1 Sigmoid",
            "mul_1 Mul",
            "BiasAdd/bias Const",
            "BiasAdd BiasAdd",
            "softmax_cross_entropy_with_logits/Rank Const",
            "softmax_cross_entropy_with_logits/Shape Const",
            "softmax_cross_entropy_with_logits/Rank_1 Const",
            "softmax_cross_entropy_with_logits/Shape_1 Const",
            "softmax_cross_entropy_with_logits/Sub/y Const",
            "softmax_cross_entropy_with_logits/Sub Sub",
            "softmax_cross_entropy_with_logits/Slice/begin Pack",
            "softmax_cross_entropy_with_logits/Slice/size Const",
            "softmax_cross_entropy_with_logits/Slice Slice",
            "softmax_cross_entropy_with_logits/concat/values_0 Const",
            "softmax_cross_entropy_with_logits/concat/axis Const",
            "softmax_cross_entropy_with_logits/concat ConcatV2",
            "softmax_cross_entropy_with_logits/Reshape Reshape",
            "softmax_cross_entropy_with_logits/Rank_2 Const",
            "softmax_cross_entropy_with_logits/Shape_2 Const",
            "softmax_cross_entropy_with_logits/Sub_1/y Const",
            "softmax_cross_entropy_with_logits/Sub_1 Sub",
            "softmax_cross_entropy_with_logits/Slice_1/begin Pack",
            "softmax_cross_entropy_with_logits/Slice_1/size Const",
            "softmax_cross_entropy_with_logits/Slice_1 Slice",
            "softmax_cross_entropy_with_logits/concat_1/values_0 Const",
            "softmax_cross_entropy_with_logits/concat_1/axis Const",
            "softmax_cross_entropy_with_logits/concat_1 ConcatV2",
            "softmax_cross_entropy_with_logits/Reshape_1 Reshape",
            "softmax_cross_entropy_with_logits SoftmaxCrossEntropyWithLogits",
            "softmax_cross_entropy_with_logits/Sub_2/y Const",
            "softmax_cross_entropy_with_logits/Sub_2 Sub",
            "softmax_cross_entropy_with_logits/Slice_2/begin Const",
            "softmax_cross_entropy_with_logits/Slice_2/size Pack",
            "softmax_cross_entropy_with_logits/Slice_2 Slice",
            "softmax_cross_entropy_with_logits/Reshape_2 Reshape",
            "SparseSoftmaxCrossEntropyWithLogits/Const Const",
            "SparseSoftmaxCrossEntropyWithLogits/Shape Const",
            "SparseSoftmaxCrossEntropyWithLogits/SparseSoftmaxCrossEntropyWithLogits "
            "SparseSoftmaxCrossEntropyWithLogits",
            "logistic_loss/zeros_like Const",
            "logistic_loss/GreaterEqual GreaterEqual",
            "logistic_loss/Select Select",
            "logistic_loss/Neg Neg",
            "logistic_loss/Select_1 Select",
            "logistic_loss/mul Mul",
            "logistic_loss/sub Sub",
            "logistic_loss/Exp Exp",
            "logistic_loss/Log1p Log1p",
            "logistic_loss AddV2",
        ],
    ),
    **{
        f"gradient_arrays::array_gathered_with_repeats_{mode}": Difference(
            reason="A row that is gathered twice gets both gradients; in graphs TensorFlow keeps the last one only.",
            same_as="array_gathered_with_repeats_eager",
        )
        for mode in ("inside", "through", "gradients", "xla")
    },
    "tape_sources::unwatched_target_beside_a_recorded_one": Difference(
        reason="The derivative of a tensor by itself is 1; TensorFlow says None where another target was recorded.",
        expected=[
            {"data": [1.0, 1.0, 1.0], "tensor": "float32[3]"},
            {"data": [1.3], "tensor": "float32[]"},
        ],
    ),
    "data_batching::bucket_too_long_for_its_boundary": Difference(
        reason="The message within the message says which line of the user's function failed.",
        expected=["InternalError", "Got error code INVALID_ARGUMENT and message: { Graph execution"],
    ),
    **{
        f"data_v1::ops_of_{name}": Difference(
            reason="No MapDataset that changes nothing stands before the rows are taken out.",
            expected=["RangeDataset", "BatchDatasetV2", op],
        )
        for name, op in (("unbatched", "UnbatchDataset"), ("rebatched", "RebatchDatasetV2"))
    },
    "data_errors::cardinality_too_large": Difference(
        reason="The end comes after its error, once: `ignore_errors` finds an end.",
        expected=[
            0,
            [
                "FailedPreconditionError",
                "Input dataset was expected to contain 2 elements but contained only 1 element.",
            ],
            ["StopIteration", ""],
        ],
    ),
    "data_errors::errors_of_python_functions": Difference(
        reason="The message within the message says which line of the user's function failed.",
        expected=[
            *[
                [f"{name}Error", "Error in user-defined function passed"]
                for name in ("InvalidArgument", "InvalidArgument", "Unknown", "Unknown", "Unimplemented", "Unknown")
            ],
            ["InvalidArgumentError", "Function invocation produced OutOfRangeError: Graph"],
            ["ResourceExhaustedError", "Error in user-defined function passed"],
        ],
    ),
    "data_errors::mixed_dtypes": Difference(
        reason="A number that does not fit a tensor is refused in the same words by `+` as by all other operators.",
        expected=["TypeError", "Expected int64 passed to parameter"],
    ),
    **{
        f"data_experimental::{name}": Difference(
            reason="The number of elements is known.",
            expected=[
                [
                    kind,
                    f"<{kind} element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>",
                    5,
                    {"TypeSpec": "TensorSpec(shape=(), dtype=tf.int64, name=None)"},
                ],
                [0, 1, 2, 3, 4],
            ],
        )
        for name, kind in (("copy_to_device", "_CopyToDeviceDataset"), ("prefetch_to_device", "_PrefetchDataset"))
    },
    "data_files::fixed_length_of_zero": Difference(
        reason="The error of a file is not an error of a user's function.",
        expected=["InvalidArgumentError", "`record_bytes` must be > 0,"],
    ),
    "data_files::lines_of_bad_compression": Difference(
        reason="The error of a file is not an error of a user's function.",
        expected=["InvalidArgumentError", 'Unsupported compression_type. Expected "", "ZLIB"'],
    ),
    "data_files::records_that_are_none": Difference(
        reason="The message names the file.",
        expected=["DataLossError", "corrupted record at 0 (Is this even a TFRecord file?) [file: FOLDER/a]"],
    ),
    "data_functions::nodes_of_a_loop": Difference(
        reason="A source of numbers has no effects: no operation need wait for it.",
        expected=[
            "start = Placeholder()",
            "start_1 = Const()",
            "stop = Const()",
            "step = Const()",
            "RangeDataset = RangeDataset(start_1:0, stop:0, step:0)",
            "ScanDataset = ScanDataset(RangeDataset:0, start:0)",
            "ReduceDataset = ReduceDataset(ScanDataset:0, start:0)",
            "Identity = Identity(ReduceDataset:0) ^NoOp",
            "NoOp = NoOp() ^ReduceDataset",
        ],
    ),
    "data_iterators::dataset_ancestors": Difference(
        reason="No private classes stand between the class of a dataset and `tf.data.Dataset`.",
        expected=["_RangeDataset", "Iterable"],
    ),
    "data_sources::generator_with_an_argument_that_is_no_tuple": Difference(
        reason="The message names the argument.",
        expected=["TypeError", "values must be a sequence. `args` of `Dataset.from_generator()` is"],
    ),
    "data_transforms::take_while_a_number": Difference(
        reason="`take_while` refuses a predicate in the words of `filter`.",
        expected=["ValueError", "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor,"],
    ),
    "data_functions::for_with_return": Difference(
        reason="A loop over a dataset may return early, as loops over tensors may; TensorFlow's AutoGraph refuses.",
        expected={"tensor": "int64[]", "data": [3]},
    ),
    "random_functions::program_08_xla": Difference(
        reason="Compiled, TensorFlow gives the conjugate of the derivative of a complex square root.",
        same_as="program_08_inside",
    ),
    "tape_sources::complex_values_xla": Difference(
        reason="Compiled, TensorFlow gives the conjugate of the derivative of a complex square root.",
        same_as="complex_values_eager",
    ),
    **{
        f"graph_derivatives::hessian_of_a_linear_function_{mode}": Difference(
            reason="The second derivative of a linear function is zero; TensorFlow fails on its missing gradient.",
            expected=[{"data": [0.0] * 9, "tensor": "float32[3,3]"}],
        )
        for mode in ("graph", "xla")
    },
    **{
        f"gradient_control_flow::while_growing_shape_{mode}": Difference(
            reason="A loop variable that grows has a gradient of its shape in each iteration; TensorFlow fails.",
            same_as="while_growing_shape_eager",
        )
        for mode in ("inside", "through", "gradients")
    },
    **{
        program: Difference(reason=answer["reason"], expected=answer["expected"])
        for program, answer in own_answers().items()
    },
}

"""What every dataset is: a variant tensor and the spec of its elements.

Transformations are functions in modules of their own; `dataset.py` lists them as methods of the one public class. The
datasets that they make are instances of small subclasses, made by name, so that `repr` and `type` say what a dataset
does (`_MapDataset`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from millrace._src.core.composite import CompositeTensor
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int64, runtime_name, variant
from millrace._src.core.errors import invalid
from millrace._src.core.execute import execute
from millrace._src.core.op_functions import OpFunction
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.specs import TensorSpec
from millrace._src.core.tensor import EagerTensor
from millrace._src.core.type_specs import BatchableTypeSpec
from millrace._src.core.wire_forms import class_of_kind, wire_form
from millrace._src.data.nodes import INFINITE, DatasetNode, node_of
from millrace._src.data.structure import ElementStructure
from millrace._src.ops.io.wire_format import varint
from millrace._src.trackable.base import Trackable
from millrace._src.util.export import export


class DatasetBase(Iterable[Any], Trackable, CompositeTensor):
    """A sequence of elements, each a nest of tensors.

    Args:
      variant_tensor: the handle of the dataset.
      spec: the nest of specs of an element.
      inputs: the datasets of which this one is made.
      functions: the user's functions, as `TracedFunction`s.
    """

    def __init__(
        self, variant_tensor: Any, spec: Any, inputs: Sequence[DatasetBase] = (), functions: Sequence[Any] = ()
    ) -> None:
        self._variant_tensor = variant_tensor
        self._structure = ElementStructure(spec)
        self._input_datasets = list(inputs)
        self._traced_functions = list(functions)
        self._own_options: Any = None

    @property
    def element_spec(self) -> Any:
        """The nest of specs (`tf.TypeSpec`) of an element.

        >>> tf.data.Dataset.from_tensor_slices([1, 2, 3]).element_spec
        TensorSpec(shape=(), dtype=tf.int32, name=None)
        """
        return self._structure.spec

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    def _inputs(self) -> list[DatasetBase]:
        """Returns the datasets of which this dataset is made."""
        return self._input_datasets

    def _functions(self) -> list[Any]:
        """Returns the user's functions of this dataset as `TracedFunction`s."""
        return self._traced_functions

    @property
    def node(self) -> DatasetNode:
        """The node of a dataset that was made in eager mode."""
        assert isinstance(self._variant_tensor, EagerTensor)
        return node_of(self._variant_tensor._eager_array)

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        """Returns the number of elements, in eager mode.

        Raises: TypeError: if the dataset is infinite, the number is not known, or a graph is being built.
        """
        if not isinstance(self._variant_tensor, EagerTensor):
            raise TypeError(
                "`tf.data.Dataset` only supports `len` in eager mode. Use `tf.data.Dataset.cardinality()` instead."
            )
        cardinality = self.node.cardinality()
        if cardinality < 0:
            raise TypeError("The dataset is infinite." if cardinality == INFINITE else "The dataset length is unknown.")
        return cardinality

    def __repr__(self) -> str:
        return f"<{type(self).__name__} element_spec={self.element_spec}>"

    __str__ = __repr__

    def __debug_string__(self) -> str:
        """Returns the text of this dataset and of those of which it is made, a line each.

        >>> print(tf.data.Dataset.range(3).repeat().__debug_string__())
        <_RepeatDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>
        --<_RangeDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>
        """
        lines = []
        waiting: list[tuple[DatasetBase, int]] = [(self, 0)]
        while waiting:  # a chain of datasets may be longer than Python's stack is deep
            dataset, depth = waiting.pop()
            lines.append(f"{'--' * depth}{dataset!r}")
            waiting.extend((source, depth + 1) for source in dataset._inputs())
        return "\n".join(lines)


PUBLIC_CLASS = "DATASET"
"""The kind of `tf.data.Dataset`, the class of all datasets, which is above the functions that are its methods."""

_kinds: dict[str, type[DatasetBase]] = {}  # finite: one for each transformation


def dataset_class(kind: str) -> type[DatasetBase]:
    """Returns the class of the datasets that a transformation makes, such as "_MapDataset"."""
    cls = _kinds.get(kind)
    if cls is None:
        public = class_of_kind(PUBLIC_CLASS)
        cls = _kinds[kind] = type(kind, (public,), {"__module__": public.__module__, "__doc__": public.__doc__})
    return cls


def new_dataset(
    kind: str, variant_tensor: object, spec: object, inputs: Sequence[DatasetBase] = (), functions: Sequence[Any] = ()
) -> Any:
    """Makes a dataset of a kind; see `DatasetBase` for the arguments."""
    return dataset_class(kind)(variant_tensor, spec, inputs, functions)


def apply_op(
    kind: str,
    op: OpFunction,
    arguments: Sequence[Any],
    spec: object,
    *,
    inputs: Sequence[DatasetBase] = (),
    functions: Sequence[Any] = (),
    name: str | None = None,
    **attrs: object,
) -> Any:
    """Makes a dataset by calling a dataset op.

    Args:
      kind: the name of the dataset's class.
      op: an op with attributes `output_types` and `output_shapes`.
      arguments: the inputs of the op; a dataset is passed as its handle.
      spec: the nest of specs of an element.
      inputs: the datasets among the arguments.
      functions: the user's functions.
      name: the user's name of the dataset, which goes into the metadata.
      **attrs: further attributes of the op.
    """
    structure = ElementStructure(spec)
    handles = [_handle(argument) for argument in arguments]
    elements = {"output_types": structure.dtypes, "output_shapes": structure.shapes}
    tensor = execute(op.op_def, handles, {**elements, **attrs, **metadata(name)})
    return new_dataset(kind, tensor, spec, inputs, functions)


def _handle(argument: object) -> Any:
    if isinstance(argument, (list, tuple)):
        return [_handle(item) for item in argument]
    return argument._variant_tensor if isinstance(argument, DatasetBase) else argument


def metadata(name: str | None) -> dict[str, Any]:
    """Returns the attribute `metadata` of a dataset op: a serialized `Metadata` with the user's name.

    Raises: ValueError: if the name is not an identifier.
    """
    if name is None or name == "":
        return {}
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(
            "Invalid `name`. The argument `name` needs to be a valid identifier. Value is considered a valid "
            "identifier if it only contains alphanumeric characters (a-z), (A-Z), and (0-9), or underscores (_). A "
            f"valid identifier cannot start with a number, or contain any spaces. Got {name!r}."
        )
    return {"metadata": b"\n" + varint(len(name.encode())) + name.encode()}


def int64_tensor(value: Any, name: str) -> Any:
    """Returns a scalar argument of a dataset op as a tensor of int64.

    Raises: ValueError: if the argument is a tensor of another dtype.
    """
    return convert_to_tensor(value, dtype=int64, name=name)


# --- spec --------------------------------------------------------------------------------------------------------


@wire_form("DATA_DATASET_SPEC")
@export("data.DatasetSpec", v1=["data.DatasetSpec", "data.experimental.DatasetStructure"])
class DatasetSpec(BatchableTypeSpec):
    """The spec of a dataset: of the element of a dataset of datasets, of an argument of a `tf.function`.

    >>> tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3))
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))

    Args:
      element_spec: the nest of specs of an element.
      dataset_shape: the shape of the handle; a batch of datasets has a dimension.
    """

    __slots__ = ("_element_spec", "_dataset_shape")

    def __init__(self, element_spec: object, dataset_shape: object = ()) -> None:
        self._element_spec = element_spec
        self._dataset_shape: TensorShape = as_shape(dataset_shape)

    @property
    def element_spec(self) -> Any:
        """The nest of specs of an element."""
        return self._element_spec

    @property
    def value_type(self) -> Any:
        """`tf.data.Dataset`."""
        return class_of_kind(PUBLIC_CLASS)

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_spec, self._dataset_shape

    @property
    def _component_specs(self) -> TensorSpec:
        return TensorSpec(self._dataset_shape, variant)

    def _to_components(self, value: Any) -> Any:
        return value._variant_tensor

    def _from_components(self, components: object) -> Any:
        if not self._dataset_shape.rank == 0:
            raise NotImplementedError(
                f"A dataset of handles of shape {self._dataset_shape} cannot be made; a dataset is a scalar."
            )
        return new_dataset("_VariantDataset", components, self._element_spec)

    def cast(self, value: object, cast_context: object) -> Any:
        """Returns a dataset that is an argument for this spec.

        Raises: tf.errors.InvalidArgumentError: if the dtypes of its elements are others.
        """
        if isinstance(value, DatasetBase):
            pairs = zip(value._structure.dtypes, ElementStructure(self._element_spec).dtypes, strict=False)
            for index, (actual, expected) in enumerate(pairs):
                if actual is not expected:
                    names = f"expected {runtime_name(expected)} but got {runtime_name(actual)}"
                    raise invalid(f"Data type mismatch at component {index}: {names}.")
        return super().cast(value, cast_context)

    def _batch(self, batch_size: int | None) -> DatasetSpec:
        return DatasetSpec(self._element_spec, TensorShape([batch_size]).concatenate(self._dataset_shape))

    def _unbatch(self) -> DatasetSpec:
        if not self._dataset_shape.rank:
            raise ValueError("Slicing dataset elements is not supported for rank 0.")
        return DatasetSpec(self._element_spec, self._dataset_shape[1:])

    @staticmethod
    def from_value(value: Any) -> DatasetSpec:
        """Returns the spec of a dataset."""
        return DatasetSpec(value.element_spec)

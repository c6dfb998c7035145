"""`tf.experimental.ExtensionType`: classes of one's own that are values like tensors.

Problem: a masked tensor, a bounding box or a mesh consists of several tensors that belong together. As a plain Python
object it could not enter a `tf.function`, a loop or a dataset.

Idea: the annotations of a class say its fields. The metaclass gives the class a constructor that converts and checks,
immutability, equality, printing, and a spec, through which the object is a composite tensor.
"""

from __future__ import annotations

import abc
import inspect
from typing import TYPE_CHECKING, Any, ClassVar

from millrace._src.core.composite import CompositeTensor
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.execute import execute
from millrace._src.core.extension_types.extension_spec import ExtensionTypeSpec, make_spec_class, spec_of_field
from millrace._src.core.extension_types.field_conversion import Wanted, convert_fields, convert_value
from millrace._src.core.extension_types.fields import (
    ExtensionTypeField,
    declared_fields,
    holds_names,
    resolve_fields,
)
from millrace._src.core.extension_types.immutable_fields import (
    PACKED,
    ImmutableFields,
    generate_constructor,
    wrap_constructor,
)
from millrace._src.core.op_registry import get_op
from millrace._src.core.type_spec_registry import register
from millrace._src.util import nest
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export

if TYPE_CHECKING:
    from millrace._src.core.argument_types import TensorLike

_HOME = "python.framework.extension_type"


class ExtensionTypeMetaclass(abc.ABCMeta):
    """The class of extension types: reads the annotations of a new class, and gives it a constructor and a spec."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        if not namespace.get("_tf_extension_type_do_not_transform_this_class", False):
            _add_fields(cls)
            _add_constructor(cls)
            _add_spec(cls, namespace.get("__name__"))
        super().__init__(name, bases, namespace)


def _add_fields(cls: Any) -> None:
    fields = declared_fields(cls)
    for field in fields:
        if field.has_default and not holds_names(field.value_type):
            convert_value(field.default, field.value_type, (f"default value for {field.name}",), Wanted.DEFAULTS)
    _set_fields(cls, fields)


def _set_fields(cls: Any, fields: tuple[ExtensionTypeField, ...]) -> None:
    cls._tf_extension_type_cached_fields = fields
    cls._tf_extension_type_is_resolved = not any(holds_names(field.value_type) for field in fields)


def _add_constructor(cls: Any) -> None:
    if "__init__" in cls.__dict__:
        cls.__init__ = wrap_constructor(cls.__dict__["__init__"])
    else:
        cls.__init__ = generate_constructor(_signature(cls))


def _signature(cls: Any) -> inspect.Signature:
    """Returns the signature of the generated constructor.

    A field without a default that comes after one with a default can only be given by keyword.
    """
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    for field in cls._tf_extension_type_cached_fields:
        default = field.default if field.has_default else inspect.Parameter.empty
        if not field.has_default and parameters[-1].default is not inspect.Parameter.empty:
            kind = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter(field.name, kind, default=default, annotation=field.value_type))
    return inspect.Signature(parameters, return_annotation=cls)


def _add_spec(cls: Any, registered_name: str | None) -> None:
    cls.Spec = make_spec_class(cls, cls._tf_extension_type_spec_base)
    if registered_name is not None:
        register(registered_name + ".Spec")(cls.Spec)


@export("experimental.ExtensionType")
@tensorflow_home(_HOME)
class ExtensionType(ImmutableFields, CompositeTensor, metaclass=ExtensionTypeMetaclass):
    """Base of the user's own classes that are values of functions, loops, gradients and datasets.

    >>> class MaskedTensor(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    ...     def total(self):
    ...         return tf.reduce_sum(tf.where(self.mask, self.values, 0.0))
    >>> x = MaskedTensor([1.0, 2.0, 4.0], [True, False, True])
    >>> tf.function(MaskedTensor.total)(x).numpy().item()
    5.0
    >>> x._type_spec.mask
    TensorSpec(shape=(3,), dtype=tf.bool, name=None)

    The annotations are the fields: `tf.Tensor`, other extension types and composite tensors; `tf.TensorShape`,
    `tf.DType`, `bool`, `int`, `float`, `str`, `bytes` and None, which are part of the spec; and `Union`, `Optional`,
    `Tuple[X, Y]`, `Tuple[X, ...]` and `Mapping[K, V]` of these. A value after `=` is a default.

    A method `__validate__(self)` checks new objects. A subclass has the fields of its base classes too. A nested class
    `Spec` may give the spec a constructor and properties such as `shape`. A class attribute `__name__ = "project.Name"`
    registers the type, so that files can name its spec.

    Raises:
        TypeError: a constructor argument is missing, or is not of the type of its field.
        AttributeError: on assignment to an attribute; objects are immutable.
    """

    _tf_extension_type_do_not_transform_this_class = True
    _tf_extension_type_cached_fields: ClassVar[tuple[ExtensionTypeField, ...] | None] = ()
    _tf_extension_type_is_resolved: ClassVar[bool] = True
    """Whether no annotation names a class that was not defined when it was last looked up."""

    _tf_extension_type_kind = "ExtensionType"
    _tf_extension_type_spec_base: ClassVar[type[ExtensionTypeSpec]] = ExtensionTypeSpec

    Spec: ClassVar[type[ExtensionTypeSpec]]
    """The class of the specs of this type."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        name = type(self).__name__
        raise AssertionError(f"Cannot create an instance of {name} because {name} is an abstract base class.")

    def __validate__(self) -> None:
        """Checks the fields of a new object; a subclass overrides it and raises an error where something is wrong."""

    # --- fields ----------------------------------------------------------------------------------------------------

    @classmethod
    def _tf_extension_type_fields(cls) -> tuple[ExtensionTypeField, ...]:
        if not cls.__dict__["_tf_extension_type_is_resolved"]:
            _set_fields(cls, resolve_fields(cls, cls.__dict__["_tf_extension_type_cached_fields"]))
        fields: tuple[ExtensionTypeField, ...] = cls.__dict__["_tf_extension_type_cached_fields"]
        return fields

    def _tf_extension_type_convert_fields(self) -> None:
        convert_fields(self._tf_extension_type_fields(), self.__dict__, Wanted.VALUES)

    def _tf_extension_type_unpacked(self) -> Any:
        """Returns this value with its components as fields; itself unless it is packed."""
        packed = self.__dict__.get(PACKED)
        return (
            self
            if packed is None
            else self.__dict__["_tf_extension_type_cached_type_spec"]._tf_extension_type_decoded(packed)
        )

    def __getattr__(self, name: str) -> Any:
        """Takes a field out of a packed value."""
        if PACKED in self.__dict__ and self._tf_extension_type_has_field(name):
            return getattr(self._tf_extension_type_unpacked(), name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _tf_extension_type_values(self) -> dict[str, Any]:
        if PACKED in self.__dict__:
            return dict(self._tf_extension_type_unpacked()._tf_extension_type_values())
        return {field.name: self.__dict__[field.name] for field in self._tf_extension_type_fields()}

    # --- a composite -----------------------------------------------------------------------------------------------

    @property
    def _type_spec(self) -> Any:
        spec = self.__dict__.get("_tf_extension_type_cached_type_spec")
        if spec is None:
            fields = [(name, spec_of_field(value)) for name, value in self._tf_extension_type_values().items()]
            spec = self.__dict__["_tf_extension_type_cached_type_spec"] = self.Spec._deserialize(fields)
        return spec

    def __tf_tracing_type__(self, context: object) -> Any:
        spec = self._type_spec
        if PACKED in self.__dict__ or not any(part.dtype.is_handle for part in spec.flatten()):
            return spec
        values = self._tf_extension_type_values().items()  # variables are numbered: the same one twice is another type
        return self.Spec._deserialize([(name, spec_of_field(value, context)) for name, value in values])

    def __getstate__(self) -> dict[str, Any]:
        return dict(self._tf_extension_type_values())

    def __setstate__(self, fields: dict[str, Any]) -> None:
        self.__dict__.update(fields)

    # --- equality and printing ---------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> Any:
        """Returns whether all fields are equal: False for another type or spec, else a Tensor."""
        if type(self) is not type(other):
            return False
        if self._type_spec != other._type_spec:
            return False
        pairs = zip(
            nest.flatten(self, expand_composites=True), nest.flatten(other, expand_composites=True), strict=True
        )
        return _all([_equal(mine, theirs) for mine, theirs in pairs])

    def __ne__(self, other: object) -> Any:
        equal = self == other
        return not equal if isinstance(equal, bool) else execute(get_op("LogicalNot"), (equal,), {})

    __hash__ = None  # type: ignore[assignment]  # equality is a tensor, so that nothing can be looked up by it

    def __repr__(self) -> str:
        fields = ", ".join([f"{name}={value!r}" for name, value in self._tf_extension_type_values().items()])
        return f"{type(self).__qualname__}({fields})"


def _equal(mine: Any, theirs: Any) -> Any:
    """Returns whether two tensors have the same shape and elements, as a boolean Tensor; shapes may be unknown."""
    differ = execute(get_op("NotEqual"), (mine, theirs), {"incompatible_shape_error": False})
    every = execute(get_op("LogicalNot"), (_reduce("Any", differ),), {})
    if mine.shape.is_fully_defined() and theirs.shape.is_fully_defined():
        return every
    shapes = [execute(get_op("Shape"), (tensor,), {}) for tensor in (mine, theirs)]
    same = execute(get_op("Equal"), shapes, {"incompatible_shape_error": False})
    return execute(get_op("LogicalAnd"), (every, _reduce("All", same)), {})


def _reduce(op: str, tensor: object) -> Any:
    rank = execute(get_op("Rank"), (tensor,), {})
    axes = execute(get_op("Range"), (convert_to_tensor(0), rank, convert_to_tensor(1)), {})
    return execute(get_op(op), (tensor, axes), {})


def _all(conditions: list[Any]) -> Any:
    """Returns whether all boolean scalars are true, as a Tensor; True for none."""
    if not conditions:
        return convert_to_tensor(True)
    result = conditions[0]
    for condition in conditions[1:]:
        result = execute(get_op("LogicalAnd"), (result, condition), {})
    return result


@export("experimental.extension_type.as_dict")
def as_dict(value: TensorLike) -> dict[str, Any]:
    """Returns the fields of an extension type's value, or of a spec, as a dictionary.

    >>> class Point(tf.experimental.ExtensionType):
    ...     x: int
    ...     y: int
    >>> tf.experimental.extension_type.as_dict(Point(1, 2))
    {'x': 1, 'y': 2}

    Args:
        value: a `tf.experimental.ExtensionType`, or a spec of one.

    Raises:
        TypeError: if `value` is of another type.
    """
    if not isinstance(value, ImmutableFields):
        raise TypeError(f"as_dict needs a tf.experimental.ExtensionType; received {value!r}.")
    return {field.name: getattr(value, field.name) for field in value._tf_extension_type_fields()}

"""Nested structures: functions of tensors take and return lists, tuples, dicts and more, to any depth (`tf.nest`).

Problem: what counts as structure and what as a leaf must be decided the same way everywhere, and quickly: every call of
a `tf.function` flattens its arguments.

Idea: the *type* of a value decides. `NEST_KINDS[type(value)]` is None for a leaf, else the `_Kind` that lists the
children, names them, and rebuilds a like value from new children; a type is classified when it is first met. Every
function below is a short recursion over that one table. Dicts are walked in the order of their sorted keys.

A class joins as structure with `__tf_flatten__` and `__tf_unflatten__`. A composite (one value that represents several
tensors, such as a ragged tensor, or the spec of one) is a leaf unless `expand_composites`; its class then defines
`_nest_components(self)`, `_nest_rebuild(self, components)` and `_nest_spec(self)`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, MappingView, MutableMapping, Sequence
from typing import Any, NamedTuple

from millrace._src.util.class_table import ClassTable
from millrace._src.util.export import export

Path = tuple[Any, ...]


class _Kind(NamedTuple):
    """How values of one type are taken apart and put together."""

    children: Callable[[Any], Iterable[Any]]
    rebuild: Callable[[Any, list[Any]], Any]
    keys: Callable[[Any], Iterable[Any]]
    is_composite: bool = False
    is_mapping: bool = False


NestKindTable = ClassTable[_Kind | None]


_has_components: ClassTable[bool] = ClassTable(lambda cls: getattr(cls, "_nest_components", None) is not None)


def _classify(cls: type, expand_composites: bool) -> _Kind | None:
    if _has_components[cls]:
        return _COMPOSITE if expand_composites else None
    if hasattr(cls, "__tf_flatten__") and hasattr(cls, "__tf_unflatten__"):
        return _CUSTOM
    if hasattr(cls, "__attrs_attrs__"):
        return _ATTRS
    if issubclass(cls, Mapping):
        return _mapping_kind(cls)
    if issubclass(cls, MappingView):
        return _VIEW
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _NAMED_TUPLE
    if issubclass(cls, (str, bytes)) or not issubclass(cls, Sequence):
        return None
    return _SEQUENCE


def _mapping_kind(cls: type) -> _Kind:
    if cls is dict:
        rebuild = _rebuild_dict
    elif issubclass(cls, MutableMapping):
        rebuild = _rebuild_mutable_mapping
    else:
        rebuild = _rebuild_mapping
    return _Kind(_mapping_children, rebuild, sorted, is_mapping=True)


def _itself(sequence: object) -> Any:
    return sequence


def _indices(value: Any) -> Iterable[int]:
    return range(len(value))


def _rebuild_sequence(instance: Any, children: list[Any]) -> Any:
    cls = type(instance)
    return children if cls is list or cls is range else cls(children)


def _rebuild_by_position(instance: object, children: list[Any]) -> Any:
    return instance.__class__(*children)  # a wrapper of a namedtuple says that it is of the namedtuple's class


def _mapping_children(mapping: Mapping[Any, Any]) -> list[Any]:
    return [mapping[key] for key in (sorted(mapping) if len(mapping) > 1 else mapping)]


def _rebuild_dict(instance: dict[Any, Any], children: list[Any]) -> dict[Any, Any]:
    rebuilt = dict.fromkeys(instance)  # in the order of the original
    rebuilt.update(zip(sorted(instance) if len(instance) > 1 else instance, children, strict=True))
    return rebuilt


def _rebuild_mutable_mapping(instance: Any, children: list[Any]) -> Any:
    cls = type(instance)
    rebuilt = cls(instance.default_factory) if isinstance(instance, defaultdict) else cls()
    by_key = dict(zip(sorted(instance), children, strict=True))
    for key in instance:
        rebuilt[key] = by_key[key]
    return rebuilt


def _rebuild_mapping(instance: Mapping[Any, Any], children: list[Any]) -> Any:
    by_key = dict(zip(sorted(instance), children, strict=True))
    try:
        return type(instance)((key, by_key[key]) for key in instance)  # type: ignore[call-arg]  # as dict is called
    except TypeError as error:
        raise TypeError(
            f"Error creating an object of type {type(instance)} like {instance}. Note that it must accept a single "
            f"positional argument representing an iterable of key-value pairs, in addition to self. Cause: {error}"
        ) from error


def _attribute_names(instance: Any) -> list[str]:
    return [attribute.name for attribute in instance.__attrs_attrs__]


def _attribute_values(instance: Any) -> list[Any]:
    return [getattr(instance, attribute.name) for attribute in instance.__attrs_attrs__]


def _custom_children(instance: Any) -> Any:
    return instance.__tf_flatten__()[1]


def _rebuild_custom(instance: Any, children: list[Any]) -> Any:
    return type(instance).__tf_unflatten__(instance.__tf_flatten__()[0], tuple(children))


def _composite_children(instance: Any) -> list[Any]:
    return [instance._nest_components()]


def _composite_name(instance: Any) -> list[str]:
    spec = instance._nest_spec()
    return [spec.value_type.__name__]


_SEQUENCE = _Kind(_itself, _rebuild_sequence, _indices)
_NAMED_TUPLE = _Kind(_itself, _rebuild_by_position, lambda instance: instance._fields)
_VIEW = _Kind(_itself, lambda _, children: children, _indices)
_ATTRS = _Kind(_attribute_values, _rebuild_by_position, _attribute_names)
_CUSTOM = _Kind(_custom_children, _rebuild_custom, lambda instance: range(len(_custom_children(instance))))
_COMPOSITE = _Kind(
    _composite_children,
    lambda instance, children: instance._nest_rebuild(children[0]),
    _composite_name,
    is_composite=True,
)

NEST_KINDS: NestKindTable = ClassTable(lambda cls: _classify(cls, False))
EXPANDED_KINDS: NestKindTable = ClassTable(lambda cls: _classify(cls, True))


@export("nest.is_nested")
def is_nested(seq: object) -> bool:
    """Returns whether a value is a structure (list, tuple, dict, namedtuple, ...) rather than a leaf (array, set,
    string,
    ...).

    >>> tf.nest.is_nested([1, 2]), tf.nest.is_nested({}), tf.nest.is_nested("ab"), tf.nest.is_nested({1})
    (True, True, False, False)
    """
    return NEST_KINDS[type(seq)] is not None


def is_composite(value: object) -> bool:
    """Returns whether a value consists of tensors that `expand_composites=True` lists."""
    return _has_components[type(value)]


def is_nested_or_composite(value: object) -> bool:
    """Returns whether `flatten(value, expand_composites=True)` would take `value` apart."""
    return EXPANDED_KINDS[type(value)] is not None


@export("nest.flatten")
def flatten(structure: object, expand_composites: bool = False) -> list[Any]:
    """Lists the leaves of a structure, dicts in the order of their sorted keys.

    >>> tf.nest.flatten({"b": 1, "a": (2, [3])})
    [2, 3, 1]

    Args:
        structure: a nested structure or a leaf.
        expand_composites: whether to take composite tensors apart into their component tensors.

    Raises:
        TypeError: the keys of a dict cannot be sorted.
    """
    kinds = EXPANDED_KINDS if expand_composites else NEST_KINDS
    kind = kinds[type(structure)]
    if kind is None:
        return [structure]
    leaves: list[Any] = []
    _collect(kind[0](structure), kinds, leaves)
    return leaves


def _collect(children: Iterable[Any], kinds: NestKindTable, leaves: list[Any]) -> None:
    for child in children:
        kind = kinds[type(child)]
        if kind is None:
            leaves.append(child)
        else:
            _collect(kind[0](child), kinds, leaves)


@export("nest.pack_sequence_as")
def pack_sequence_as(structure: object, flat_sequence: object, expand_composites: bool = False) -> Any:
    """Puts leaves into a structure: the inverse of `flatten`.

    >>> tf.nest.pack_sequence_as({"b": 0, "a": (0, [0])}, [1, 2, 3])
    {'b': 3, 'a': (1, [2])}

    Args:
        structure: the structure to imitate; its leaves are ignored.
        flat_sequence: a list or other sequence of the new leaves.
        expand_composites: whether composite tensors are built from component tensors.

    Raises:
        TypeError: `flat_sequence` is not a sequence.
        ValueError: if `structure` has another number of leaves.
    """
    if not is_nested(flat_sequence):
        raise TypeError(
            f"Attempted to pack value:\n  {flat_sequence!s}\ninto a structure, "
            f"but found incompatible type `{type(flat_sequence)}` instead."
        )
    kinds = EXPANDED_KINDS if expand_composites else NEST_KINDS
    atoms = flat_sequence if isinstance(flat_sequence, (list, tuple)) else _atoms(flat_sequence)
    if kinds[type(structure)] is None:
        return _pack_leaf(structure, atoms)
    remaining = iter(atoms)
    try:
        structure_copy = _pack(structure, remaining, kinds)
    except StopIteration:
        structure_copy = remaining
    if structure_copy is remaining or any(True for _ in remaining):
        raise ValueError(
            f"Could not pack sequence. Structure had {len(flatten(structure, expand_composites))} atoms, but "
            f"flat_sequence had {len(atoms)} items.  Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return structure_copy


def _atoms(flat_sequence: Any) -> list[Any]:
    return [flat_sequence[index] for index in range(len(flat_sequence))]


def _pack_leaf(structure: object, atoms: Sequence[Any]) -> Any:
    if len(atoms) == 1:
        return atoms[0]
    raise ValueError(
        f"The target structure is of type `{type(structure)}`\n  {structure}\n"
        f"However the input is a sequence ({type(atoms)}) of length {len(atoms)}.\n  {atoms}\n"
        "nest cannot guarantee that it is safe to map one to the other."
    )


def _pack(structure: object, atoms: Iterator[Any], kinds: NestKindTable) -> Any:
    kind = kinds[type(structure)]
    if kind is None:
        return next(atoms)
    return kind.rebuild(structure, [_pack(child, atoms, kinds) for child in kind[0](structure)])


def children(structure: object) -> list[Any]:
    """Returns the children of a nested structure, one level down, in the order of `flatten`."""
    kind = NEST_KINDS[type(structure)]
    assert kind is not None, f"{type(structure).__name__} is a leaf"
    return list(kind.children(structure))


def with_children(structure: object, new_children: list[Any]) -> Any:
    """Returns a structure like a nested one with other children, in the order of `children`."""
    kind = NEST_KINDS[type(structure)]
    assert kind is not None, f"{type(structure).__name__} is a leaf"
    return kind.rebuild(structure, new_children)


@export("nest.map_structure")
def map_structure(func: Callable[..., Any], *structure: object, **kwargs: bool) -> Any:
    """Calls `func` on corresponding leaves of structures; returns the results in the structure of the first.

    >>> tf.nest.map_structure(lambda x, y: x + y, {"a": 1, "b": (2,)}, {"a": 10, "b": (20,)})
    {'a': 11, 'b': (22,)}

    Args:
        func: takes as many arguments as there are structures.
        *structure: structures of the same shape.
        **kwargs: `check_types=True`: also the types of lists, tuples, dicts must agree; `expand_composites=False`:
            whether to call `func` on the component tensors of composite tensors.

    Raises:
        TypeError: `func` is not callable, or the structures' types differ.
        ValueError: no structure is given, or the structures differ.
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types, expand_composites = pop_options(kwargs)
    kinds = EXPANDED_KINDS if expand_composites else NEST_KINDS
    if len(structure) == 1:
        return _map(func, structure[0], kinds)
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand_composites)
    columns = [flatten(one, expand_composites) for one in structure]
    return _pack(structure[0], iter([func(*row) for row in zip(*columns, strict=True)]), kinds)


def pop_options(kwargs: dict[str, bool]) -> tuple[bool, bool]:
    check_types = kwargs.pop("check_types", True)
    expand_composites = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            f"Only valid keyword arguments are `check_types` and `expand_composites`, not: `{'`, `'.join(kwargs)}`"
        )
    return check_types, expand_composites


def _map(func: Callable[[Any], Any], structure: object, kinds: NestKindTable) -> Any:
    kind = kinds[type(structure)]
    if kind is None:
        return func(structure)
    return kind.rebuild(structure, [_map(func, child, kinds) for child in kind[0](structure)])


class _Mismatch(Exception):
    """Where two structures part; `error` is the class the caller sees."""

    def __init__(self, error: type[Exception], text: str) -> None:
        super().__init__(text)
        self.error = error


@export("nest.assert_same_structure")
def assert_same_structure(
    nest1: object, nest2: object, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Checks that two structures differ at most in their leaves.

    >>> tf.nest.assert_same_structure([1, {"a": 2}], [3, {"a": 4}])

    Args:
        nest1: a structure or leaf.
        nest2: a structure or leaf.
        check_types: whether the types must agree too. All mappings with equal keys agree, all kinds of lists do, and
            namedtuples with the same name and fields.
        expand_composites: whether composite tensors count as structure; then their specs must be compatible.

    Raises:
        TypeError: the types of two substructures differ.
        ValueError: the structures differ.
    """
    try:
        _compare(nest1, nest2, check_types, EXPANDED_KINDS if expand_composites else NEST_KINDS)
    except _Mismatch as mismatch:
        problem = mismatch
    else:
        return
    raise problem.error(
        "The two structures don't have the same nested structure.\n\n"
        f"First structure: {_describe(nest1)}\n\nSecond structure: {_describe(nest2)}\n\nMore specifically: {problem}\n"
        f"Entire first structure:\n{_outline(nest1)}\nEntire second structure:\n{_outline(nest2)}"
    )


def _compare(a: object, b: object, check_types: bool, kinds: NestKindTable) -> None:
    kind_a, kind_b = kinds[type(a)], kinds[type(b)]
    if kind_a is None or kind_b is None:
        if kind_a is kind_b:
            return
        nested, leaf = (b, a) if kind_a is None else (a, b)
        text = f'Substructure "{_describe(nested)}" is a sequence, while substructure "{_describe(leaf)}" is not'
        raise _Mismatch(ValueError, text)
    if check_types:
        _compare_types(a, b, kind_a, kind_b)
    children_a, children_b = list(kind_a.children(a)), list(kind_b.children(b))
    if len(children_a) != len(children_b):
        raise _Mismatch(
            ValueError,
            "The two structures don't have the same number of elements. "
            f"First structure: {_describe(a)}. Second structure: {_describe(b)}",
        )
    for child_a, child_b in zip(children_a, children_b, strict=True):
        _compare(child_a, child_b, check_types, kinds)


def _compare_types(a: Any, b: Any, kind_a: _Kind, kind_b: _Kind) -> None:
    if kind_a.is_composite and kind_b.is_composite:
        spec_a, spec_b = a._nest_spec(), b._nest_spec()
        if type(spec_a) is not type(spec_b) or spec_a.most_specific_common_supertype([spec_b]) is None:
            text = f"Incompatible CompositeTensor TypeSpecs: {_describe(spec_a)} vs. {_describe(spec_b)}"
            raise _Mismatch(ValueError, text)
    elif kind_a.is_mapping and kind_b.is_mapping:
        if len(a) != len(b) or any(key not in b for key in a):
            raise _Mismatch(
                ValueError,
                "The two dictionaries don't have the same set of keys. First structure has keys "
                f"{_describe(list(a))}, while second structure has keys {_describe(list(b))}",
            )
    elif not is_same_type(a, b):
        raise _Mismatch(
            TypeError,
            f"The two namedtuples don't have the same sequence type. First structure {_describe(a)} has type "
            f"{type(a).__name__}, while second structure {_describe(b)} has type {type(b).__name__}",
        )


def is_same_type(a: object, b: object) -> bool:
    if a.__class__ is b.__class__ or (isinstance(a, list) and isinstance(b, list)):
        return True
    fields = named_tuple_fields(a)
    return fields is not None and a.__class__.__name__ == b.__class__.__name__ and fields == named_tuple_fields(b)


def named_tuple_fields(value: object) -> tuple[str, ...] | None:
    """Returns the names of the fields of a named tuple; None for any other value."""
    fields: tuple[str, ...] | None = getattr(type(value), "_fields", None) if isinstance(value, tuple) else None
    return fields


def _describe(value: object) -> str:
    return f"type={type(value).__name__} str={value}"


class _Dot:
    """Prints as a dot: a leaf in the text of a structure."""

    def __repr__(self) -> str:
        return "."


_DOT = _Dot()


def _outline(structure: object) -> str:
    return str(_map(lambda _: _DOT, structure, NEST_KINDS))

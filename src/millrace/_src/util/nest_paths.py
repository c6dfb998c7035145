"""Structures with the way to each leaf, and structures matched only down to a given depth.

Problem: messages and checkpoints name a leaf by its path; some arguments are "a list of anything", where only the outer
levels are structure and what lies below belongs to the caller.

Idea: the recursion of `nest` with the keys of each level (`flatten_with_path`), and the same recursion steered by a
second, shallower structure (`*_up_to`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from millrace._src.util.nest import (
    EXPANDED_KINDS,
    NEST_KINDS,
    NestKindTable,
    Path,
    is_same_type,
    pack_sequence_as,
    pop_options,
)


def flatten_with_path(structure: object, expand_composites: bool = False) -> list[tuple[Path, Any]]:
    """Lists (path, leaf) pairs; a path is the tuple of indices, keys and field names that lead to the leaf.

    >>> from millrace._src.util.nest_paths import flatten_with_path
    >>> flatten_with_path({"a": [1, {"b": 2}]})
    [(('a', 0), 1), (('a', 1, 'b'), 2)]
    """
    pairs: list[tuple[Path, Any]] = []
    _collect_with_path((), structure, EXPANDED_KINDS if expand_composites else NEST_KINDS, pairs)
    return pairs


def _collect_with_path(path: Path, structure: object, kinds: NestKindTable, pairs: list[tuple[Path, Any]]) -> None:
    kind = kinds[type(structure)]
    if kind is None:
        pairs.append((path, structure))
        return
    for key, child in zip(kind.keys(structure), kind.children(structure), strict=True):
        _collect_with_path((*path, key), child, kinds, pairs)


def flatten_with_joined_path(
    structure: object, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """Flattens like `flatten_with_path`, with each path joined to a string, such as `"a/1/b"`."""
    return [(separator.join(map(str, path)), leaf) for path, leaf in flatten_with_path(structure, expand_composites)]


def map_structure_with_path(func: Callable[..., Any], *structures: object, **kwargs: bool) -> Any:
    """Maps like `nest.map_structure`, but `func` gets the path of the leaves as its first argument.

    >>> from millrace._src.util.nest_paths import map_structure_with_path
    >>> map_structure_with_path(lambda path, x: (*path, x), {"a": [5]})
    {'a': [('a', 0, 5)]}
    """
    return map_structure_with_path_up_to(structures[0], func, *structures, **kwargs)


def flatten_up_to(
    shallow_tree: object, input_tree: object, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """Lists the parts of `input_tree` that stand at the positions of the leaves of `shallow_tree`.

    >>> from millrace._src.util.nest_paths import flatten_up_to
    >>> flatten_up_to([0, [0]], [[1, 2], [(3,)]])
    [[1, 2], (3,)]

    Raises:
        TypeError: a substructure of `shallow_tree` meets a leaf, or a structure of another type.
        ValueError: lengths or keys differ.
    """
    pairs = flatten_with_path_up_to(shallow_tree, input_tree, check_types, expand_composites)
    return [part for _, part in pairs]


def flatten_with_path_up_to(
    shallow_tree: object, input_tree: object, check_types: bool = True, expand_composites: bool = False
) -> list[tuple[Path, Any]]:
    """Flattens like `flatten_up_to`, with the path of each part."""
    pairs: list[tuple[Path, Any]] = []
    kinds = EXPANDED_KINDS if expand_composites else NEST_KINDS
    _collect_up_to((), shallow_tree, input_tree, check_types, kinds, pairs)
    return pairs


def assert_shallow_structure(
    shallow_tree: object, input_tree: object, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raises TypeError or ValueError unless `shallow_tree` is the upper part of `input_tree`."""
    flatten_with_path_up_to(shallow_tree, input_tree, check_types, expand_composites)


def map_structure_up_to(shallow_tree: object, func: Callable[..., Any], *inputs: object, **kwargs: bool) -> Any:
    """Calls `func` on the parts of `inputs` at the leaves of `shallow_tree`; returns results in that structure.

    >>> from millrace._src.util.nest_paths import map_structure_up_to
    >>> map_structure_up_to([0, 0], lambda x, y: (x, y), [[1], [2]], [3, 4])
    [([1], 3), ([2], 4)]
    """
    return map_structure_with_path_up_to(shallow_tree, lambda _, *parts: func(*parts), *inputs, **kwargs)


def map_structure_with_path_up_to(
    shallow_tree: object, func: Callable[..., Any], *inputs: object, **kwargs: bool
) -> Any:
    """Maps like `map_structure_up_to`, but `func` gets the path as its first argument."""
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    check_types, expand_composites = pop_options(kwargs)
    columns = [flatten_with_path_up_to(shallow_tree, one, check_types, expand_composites) for one in inputs]
    results = [func(row[0][0], *[part for _, part in row]) for row in zip(*columns, strict=True)]
    return pack_sequence_as(shallow_tree, results, expand_composites)


def traverse_shallow_structure(
    traverse: Callable[[Any], Any], structure: object, expand_composites: bool = False
) -> Any:
    """Returns the shallow structure of booleans that says where `traverse(substructure)` allows to go deeper.

    >>> from millrace._src.util.nest_paths import traverse_shallow_structure
    >>> traverse_shallow_structure(lambda s: isinstance(s, list), [1, (2, 3), [4]])
    [False, False, [False]]

    Args:
        traverse: called on each substructure; True or False, or a shallow structure of booleans for its children.
        structure: any structure.
        expand_composites: whether composite tensors count as structure.
    """
    kinds = EXPANDED_KINDS if expand_composites else NEST_KINDS
    kind = kinds[type(structure)]
    if kind is None:
        return False
    go_deeper = traverse(structure)
    if not isinstance(go_deeper, bool):
        return map_structure_up_to(
            go_deeper,
            lambda deeper, part: deeper and traverse_shallow_structure(traverse, part, expand_composites),
            go_deeper,
            structure,
        )
    if not go_deeper:
        return False
    parts = [traverse_shallow_structure(traverse, child, expand_composites) for child in kind.children(structure)]
    return kind.rebuild(structure, parts)


def _collect_up_to(
    path: Path, shallow: Any, tree: Any, check_types: bool, kinds: NestKindTable, pairs: list[tuple[Path, Any]]
) -> None:
    shallow_kind, kind = kinds[type(shallow)], kinds[type(tree)]
    if shallow_kind is None:
        pairs.append((path, tree))
        return
    if kind is None:
        raise TypeError(
            f"If shallow structure is a sequence, input must also be a sequence. Input has type: {type(tree)}."
        )
    is_mapping = shallow_kind.is_mapping and kind.is_mapping
    if check_types and not is_mapping and not is_same_type(shallow, tree):
        raise TypeError(
            "The two structures don't have the same sequence type. "
            f"Input structure has type {type(tree)}, while shallow structure has type {type(shallow)}."
        )
    shallow_parts, parts = list(shallow_kind.children(shallow)), list(kind.children(tree))
    if len(shallow_parts) != len(parts):
        raise ValueError(
            "The two structures don't have the same sequence length. "
            f"Input structure has length {len(parts)}, while shallow structure has length {len(shallow_parts)}."
        )
    if is_mapping and check_types:
        _check_keys(shallow, tree)
    for key, shallow_part, part in zip(shallow_kind.keys(shallow), shallow_parts, parts, strict=True):
        _collect_up_to((*path, key), shallow_part, part, check_types, kinds, pairs)


def _check_keys(shallow: Mapping[Any, Any], tree: Mapping[Any, Any]) -> None:
    missing_keys = sorted(set(shallow) - set(tree))
    if missing_keys:
        raise ValueError(
            "The shallow_tree's keys are not a subset of the input_tree's keys. The shallow_tree has the following "
            f"keys that are not in the input_tree: {missing_keys}."
        )

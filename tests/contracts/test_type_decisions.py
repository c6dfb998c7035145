"""What a value is, its class says: by inheritance, a declared mark or a protocol; not by what methods it has."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from tests.contracts.test_layers import ROOT, source_files

# What is asked with `hasattr` beside names with two underscores, which are protocols of Python, NumPy, attrs and ours.
PROTOCOLS = {
    "_fields": "Python documents it as the mark of a namedtuple",
    "_nest_components": "our mark of composites, which `util` must know without importing them",
    "gather_nd": "TensorFlow's protocol of values that look up rows themselves",
    "sparse_read": "TensorFlow's protocol of values that look up rows themselves",
    "is_subtype_of": "TensorFlow's protocol of trace types: fields of a spec may be ordered",
    "is_compatible_with": "TensorFlow's protocol of trace types: fields of a spec may be ordered",
    "most_specific_common_supertype": "TensorFlow's protocol of trace types: fields of a spec may be ordered",
    "WhichOneof": "messages are told without loading the package that defines their class",
    "tensor_shape": "messages are told without loading the package that defines their class",
    "unknown_rank": "messages are told without loading the package that defines their class",
    "dim": "messages are told without loading the package that defines their class",
    "zeros_like": "our protocol of the elements of variant tensors, which no class above `ops` is to be named for",
    "get_code": "importlib documents that a loader may lack it",
    "lineno": "Python's `ast` documents that a node made by hand lacks it",
    "item": "a field of some classes of `ast`",
    "loop": "a mark that autograph/transform sets on nodes of `ast`",
    "scope": "a mark that autograph/transform sets on nodes of `ast`",
}

# Uses that are left from before the rule, and how many there are; a number may only fall.
LEFT = {
    "as_graph_def": 1,
    "astype": 1,
    "dense_shape": 1,
    "dtype": 5,
    "get_operations": 1,
    "graph": 1,
    "indices": 1,
    "inputs": 1,
    "name": 2,
    "set_shape": 1,
    "shape": 2,
}

OF_VARIABLES = {"assign", "assign_add", "assign_sub", "handle", "read_value", "trainable", "_read"}


def asked_names(tree: ast.AST, function: str, arguments: int) -> Iterator[tuple[int, str]]:
    """The literal attribute names in calls of `hasattr`, or of `getattr` with a default, and their lines."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == function
            and len(node.args) == arguments
            and isinstance(node.args[1], ast.Constant)
        ):
            yield node.lineno, str(node.args[1].value)


def compared_class_names(tree: ast.AST) -> Iterator[int]:
    """The lines of comparisons of the name of a class with a string."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            names = [n for n in ast.walk(node.left) if isinstance(n, ast.Attribute) and n.attr == "__name__"]
            strings = [n for part in node.comparators for n in ast.walk(part) if isinstance(n, ast.Constant)]
            if names and any(isinstance(n.value, str) for n in strings) and ast.unparse(node.left) != "__name__":
                yield node.lineno


def test_classes_are_not_told_by_their_names() -> None:
    wrong = []
    for path in source_files():
        lines = compared_class_names(ast.parse(path.read_text(encoding="utf-8")))
        wrong += [f"{path.relative_to(ROOT)}:{line} compares the name of a class" for line in lines]
    assert not wrong, "ask isinstance, or declare a mark:\n" + "\n".join(wrong)


def test_variables_are_told_by_is_variable() -> None:
    wrong = []
    for path in source_files():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        asked = [*asked_names(tree, "hasattr", 2), *asked_names(tree, "getattr", 3)]
        wrong += [f"{path.relative_to(ROOT)}:{line} asks for {name!r}" for line, name in asked if name in OF_VARIABLES]
    assert not wrong, "use core.resources.is_variable:\n" + "\n".join(wrong)


def test_classes_are_told_by_protocols_only() -> None:
    counts: Counter[str] = Counter()
    locations: dict[str, list[str]] = {}
    for path in source_files():
        for line, name in asked_names(ast.parse(path.read_text(encoding="utf-8")), "hasattr", 2):
            if not (name.startswith("__") and name.endswith("__")) and name not in PROTOCOLS:
                counts[name] += 1
                locations.setdefault(name, []).append(f"{path.relative_to(ROOT)}:{line} hasattr(..., {name!r})")
    wrong = [location for name, count in counts.items() if count > LEFT.get(name, 0) for location in locations[name]]
    assert not wrong, "declare a class, a mark or a protocol instead:\n" + "\n".join(wrong)

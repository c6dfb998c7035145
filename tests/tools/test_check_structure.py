"""`tools/check_structure.py`: each check sees what it is for."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "check_structure.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_structure", TOOL)
    assert spec is not None and spec.loader is not None
    module = sys.modules["check_structure"] = importlib.util.module_from_spec(spec)  # its dataclass looks there
    spec.loader.exec_module(module)
    return module


def modules(tool: ModuleType, **texts: str) -> list[Any]:
    """Returns modules by their dotted names below `_src`, with `_` for the dots."""
    paths = {name.replace("_", "/"): text for name, text in texts.items()}
    return [
        tool.Module(f"{path}.py", f"{tool.PACKAGE}.{path.replace('/', '.')}", text, ast.parse(text))
        for path, text in paths.items()
    ]


def test_a_class_name_that_occurs_twice_is_reported_and_the_table_stays_true(tool: ModuleType) -> None:
    sources = modules(tool, a="class X: pass\nclass Y: pass", b="class X: pass")
    assert tool.repeated_classes(sources, {}) == ["class X occurs in a.py, b.py"]
    assert tool.repeated_classes(sources, {"X": "public in both versions"}) == []
    assert tool.repeated_classes(sources, {"X": "", "Y": ""}) == ["class Y: listed as shared but occurs once"]


def test_a_function_named_by_a_participle_is_reported_and_the_table_stays_true(tool: ModuleType) -> None:
    verbs = "def move(): pass\ndef known_size(): pass\ndef embed(): pass\ndef sort_by_name(): pass"
    facts = "@property\n    def closed(self): pass\n    @op('Sorted', 'x: T -> y: T')\n    def sorted_op(xp): pass"
    sources = modules(tool, a=f"{verbs}\ndef moved(): pass", b=f"class C:\n    def _sent_to(self): 0\n    {facts}")
    text = "a function is named by a verb, not by a participle"
    assert tool.participles(sources, {}) == [f"a.py: moved: {text}", f"b.py: _sent_to: {text}"]
    assert tool.participles(sources, {"a.py: moved": "why", "b.py: _sent_to": "why"}) == []
    assert tool.participles(sources[:1], {"a.py: moved": "why", "a.py: gone": "why"}) == [
        "a.py: gone: listed as a participle, but is gone"
    ]


def test_cycles_are_found_through_late_imports_but_not_through_those_for_types(tool: ModuleType) -> None:
    late = "def f():\n    from millrace._src.a import g"
    of_types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from millrace._src.a import g"
    begin = "from millrace._src import b\nfrom millrace._src.c import h"
    graph = tool.import_graph(modules(tool, a=begin, b=late, c=of_types))
    assert tool.cycles(graph) == [[f"{tool.PACKAGE}.a", f"{tool.PACKAGE}.b"]]


def test_a_large_cycle_is_reported(tool: ModuleType) -> None:
    names = [f"m{i}" for i in range(tool.MAX_CYCLE + 1)]
    ring = {name: f"import millrace._src.{other}" for name, other in zip(names, names[1:] + names[:1], strict=True)}
    assert len(tool.large_cycles(modules(tool, **ring))) == 1
    del ring["m0"]
    assert tool.large_cycles(modules(tool, **ring)) == []


def test_an_import_of_a_private_name_is_reported(tool: ModuleType) -> None:
    sources = modules(tool, a="from millrace._src.b import _x, y, __version__")
    assert tool.private_imports(sources) == ["a.py:1: imports the private _x of millrace._src.b"]


def test_parameters_without_a_type_are_counted(tool: ModuleType) -> None:
    def share(vague: int) -> list[str]:
        text = "".join(f"def f{i}(x: {'Any' if i < vague else 'int'}): ...\n" for i in range(100))
        return tool.vague_parameters(modules(tool, a=text))  # type: ignore[no-any-return]

    assert share(tool.MAX_ANY_PERCENT) == [] and len(share(tool.MAX_ANY_PERCENT + 1)) == 1


def test_a_copied_stretch_is_found_once_however_long(tool: ModuleType) -> None:
    text = "\n".join(f"x{i} = {i}" for i in range(20))
    assert tool.duplicates(modules(tool, a=text, b="y = 1\n# a comment\n" + text)) == [("b.py", 3, "a.py", 1)]
    assert tool.duplicates(modules(tool, a=text, b=text[:60].rpartition("\n")[0])) == []


def test_a_module_needs_a_test_or_a_line_that_names_one(tool: ModuleType) -> None:
    said = '"""Text.\n\nTests: tests/b/test_all.py\n"""'
    both = modules(tool, a_x="", a_y=said)
    assert tool.modules_without_test(both, ["tests/a/test_x.py", "tests/b/test_all.py"]) == []
    assert tool.modules_without_test(modules(tool, a_x=""), []) == [
        "a/x.py: no tests/a/test_x.py, and no line `Tests: tests/...` in its docstring"
    ]
    assert tool.modules_without_test(modules(tool, a_y=said), []) == ["a/y.py: there is no tests/b/test_all.py"]
    assert len(tool.modules_without_test(modules(tool, a_y=said), ["tests/a/test_y.py", "tests/b/test_all.py"])) == 1
    two = modules(tool, a_y=said.replace("all.py", "all.py, tests/c/programs.py"))
    assert tool.modules_without_test(two, ["tests/b/test_all.py", "tests/c/programs.py"]) == []
    assert tool.modules_without_test(two, ["tests/b/test_all.py"]) == ["a/y.py: there is no tests/c/programs.py"]


def test_a_stray_file_at_the_root_and_too_many_terms_are_reported(tool: ModuleType) -> None:
    assert tool.stray_files(["src", "events.out.tfevents.1"]) == ["events.out.tfevents.1 does not belong at the root"]
    glossary = "".join(f"- **term {i}**: text\n" for i in range(tool.MAX_TERMS))
    assert tool.many_terms(glossary) == []
    assert tool.many_terms(glossary + "- **term 1** (again): text\n") == [
        f"the glossary has {tool.MAX_TERMS + 1} terms, over {tool.MAX_TERMS}",
        "the glossary has 'term 1' 2 times",
    ]

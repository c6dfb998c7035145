"""`tools/gen_api.py` on small trees of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "gen_api.py"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "src/millrace/_src").mkdir(parents=True)
    return tmp_path


def write(tree: Path, module: str, text: str) -> None:
    path = tree / "src/millrace/_src" / (module.replace(".", "/") + ".py")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def generate(tree: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(TOOL), "--root", str(tree), *options], capture_output=True, text=True)


def names(tree: Path) -> dict[str, str]:
    scope: dict[str, dict[str, str]] = {}
    exec((tree / "src/millrace/_api/table.py").read_text(), scope)
    lines = [line for section in scope["NAMES"].values() for line in section.split("\n") if line]
    return dict(line.split(" ") for line in lines)


def homes(tree: Path, table: str) -> dict[str, Any]:
    scope: dict[str, dict[str, Any]] = {}
    exec((tree / "src/millrace/_src/core/op_homes.py").read_text(), scope)
    return scope[table]


def ops(tree: Path) -> dict[str, str]:
    return homes(tree, "OP_HOMES")


def test_decorated_functions_classes_and_ops_are_listed(tree: Path) -> None:
    write(tree, "ops.unary", '@export("math.tanh", "tanh")\n@op("Tanh", "x: T -> y: T")\ndef tanh_(xp, x): ...\n')
    write(tree, "core.tensor", '@export("Tensor")\nclass Tensor: ...\n')
    assert generate(tree).returncode == 0
    assert names(tree) == {"math.tanh": "ops.unary:tanh_", "tanh": "ops.unary:tanh_", "Tensor": "core.tensor:Tensor"}
    assert ops(tree) == {"Tanh": "millrace._src.ops.unary"}


def test_modules_that_attach_rules_to_an_op_of_another_module_are_listed(tree: Path) -> None:
    write(tree, "low", '@op("If", "")\ndef if_(xp): ...\n\n@if_.gradient\ndef own(dy): ...\n')
    rules = "from millrace._src.low import if_\nfrom millrace._src.low import if_ as branch\n"
    write(tree, "high.a", rules + "@if_.batching\ndef rows(): ...\n")
    write(tree, "high.b", rules + "@branch.operation_tangents\ndef tangents(): ...\n")
    write(tree, "high.c", rules + "from millrace._src.util import kept\n@kept.cache\ndef f(): ...\n")
    assert generate(tree).returncode == 0
    found = homes(tree, "RULE_HOMES")["If"]
    assert found == {"batching": "millrace._src.high.a", "operation_tangents": "millrace._src.high.b"}


def test_kernel_of_an_op_of_another_module_is_refused(tree: Path) -> None:
    write(tree, "low", '@op("If", "")\ndef if_(xp): ...\n')
    write(tree, "high", 'from millrace._src.low import if_\n@if_.kernel_for("xla")\ndef kernel(xp): ...\n')
    result = generate(tree)
    assert result.returncode == 1
    assert "high.py:2: a kernel stands in the module of its op" in result.stderr


def test_rule_that_two_modules_attach_is_refused(tree: Path) -> None:
    write(tree, "low", '@op("If", "")\ndef if_(xp): ...\n')
    for module in ("high", "higher"):
        write(tree, module, "from millrace._src.low import if_\n@if_.batching\ndef rows(): ...\n")
    result = generate(tree)
    assert result.returncode == 1
    assert "higher.py:2: 'batching' is already declared at src/millrace/_src/high.py:2" in result.stderr


def test_late_bound_functions_are_listed(tree: Path) -> None:
    write(tree, "division", '@late_bound("truediv")\n@export("truediv")\ndef truediv(x, y): ...\n')
    assert generate(tree).returncode == 0
    assert homes(tree, "LATE_BOUND_HOMES") == {"truediv": "millrace._src.division"}
    assert names(tree) == {"truediv": "division:truediv"}


def test_assigned_objects_are_listed(tree: Path) -> None:
    write(tree, "a", 'sin = export("math.sin")(op("Sin", "x: T -> y: T")(kernel))\ncos: Any = export("cos")(_cos)\n')
    assert generate(tree).returncode == 0
    assert names(tree) == {"math.sin": "a:sin", "cos": "a:cos"}
    assert ops(tree) == {"Sin": "millrace._src.a"}


def test_constants_are_listed(tree: Path) -> None:
    write(
        tree,
        "core.dtypes",
        'export_constant(__name__, "float32", "dtypes.float32", "float32")\n'
        'export_all(__name__, "errors", ["OpError", "OK"])\nexport_all(__name__, "", ("ones",), v1="old")\n',
    )
    assert generate(tree).returncode == 0
    assert names(tree) == {
        "float32": "core.dtypes:float32",
        "dtypes.float32": "core.dtypes:float32",
        "errors.OpError": "core.dtypes:OpError",
        "errors.OK": "core.dtypes:OK",
        "ones": "core.dtypes:ones",
        "compat.v1.old.ones": "core.dtypes:ones",
        "compat.v1.ones": "-",
    }


def test_constants_may_stand_in_several_namespaces(tree: Path) -> None:
    write(tree, "a", 'export_all(__name__, ("errors", "compat.v1.codes"), ["OK"])\n')
    assert generate(tree).returncode == 0
    assert names(tree) == {"errors.OK": "a:OK", "compat.v1.codes.OK": "a:OK"}


def test_names_of_version_1_are_differences_from_the_root(tree: Path) -> None:
    write(tree, "a", '@export("x", "y", v1=["x", "z"])\ndef f(): ...\n@export(v1=["old.g"])\ndef g(): ...\n')
    assert generate(tree).returncode == 0
    assert names(tree) == {"x": "a:f", "y": "a:f", "compat.v1.y": "-", "compat.v1.z": "a:f", "compat.v1.old.g": "a:g"}


def test_one_name_may_mean_different_things_in_the_two_versions(tree: Path) -> None:
    write(tree, "a", '@export("f", v1=[])\ndef f2(): ...\n@export(v1=["f"])\ndef f1(): ...\n')
    assert generate(tree).returncode == 0
    assert names(tree) == {"f": "a:f2", "compat.v1.f": "a:f1"}


def test_a_name_with_two_homes_is_an_error_and_the_rest_is_written(tree: Path) -> None:
    write(tree, "a", '@export("f")\n@op("F", "-> y: T")\ndef f(): ...\n')
    write(tree, "b", '@export("f")\n@op("F", "-> y: T")\ndef f(): ...\n@export("g")\ndef g(): ...\n')
    result = generate(tree)
    assert result.returncode == 1
    assert "src/millrace/_src/b.py:1: 'f' is already declared at src/millrace/_src/a.py:1" in result.stderr
    assert "'F' is already declared" in result.stderr
    assert names(tree) == {"f": "a:f", "g": "b:g"}


def test_a_name_cannot_be_a_namespace_too(tree: Path) -> None:
    write(tree, "a", '@export("f")\ndef f(): ...\n@export("f.g")\ndef g(): ...\n')
    result = generate(tree)
    assert result.returncode == 1 and "'f', above 'f.g', is declared at" in result.stderr


def test_names_that_are_not_literal_are_an_error(tree: Path) -> None:
    write(tree, "a", 'NAME = "f"\n@export(NAME)\ndef f(): ...\n')
    result = generate(tree)
    assert result.returncode == 1 and "a.py:2: names must be literal strings" in result.stderr


def test_a_file_that_does_not_parse_is_an_error(tree: Path) -> None:
    write(tree, "a", "def f(:\n")
    write(tree, "b", '@export("g")\ndef g(): ...\n')
    result = generate(tree)
    assert result.returncode == 1 and "a.py:1: invalid syntax" in result.stderr
    assert names(tree) == {"g": "b:g"}


def test_check_reports_stale_tables_and_writes_nothing(tree: Path) -> None:
    write(tree, "a", '@export("f")\ndef f(): ...\n')
    assert generate(tree).returncode == 0
    assert generate(tree, "--check").returncode == 0
    write(tree, "b", '@export("g")\ndef g(): ...\n')
    result = generate(tree, "--check")
    assert result.returncode == 1 and "table.py is stale" in result.stdout
    assert names(tree) == {"f": "a:f"}


def test_only_module_level_statements_count(tree: Path) -> None:
    write(tree, "a", 'if True:\n    @export("f")\n    def f(): ...\ndef g():\n    @export("h")\n    def h(): ...\n')
    assert generate(tree).returncode == 0
    assert names(tree) == {"f": "a:f"}


def test_recorded_signatures_of_declared_ops_are_dropped(tree: Path) -> None:
    write(tree, "ops.unary", '@op("Tanh", "x: T -> y: T")\ndef tanh_(xp, x): ...\n')
    write(tree, "graph", "")
    known = tree / "src/millrace/_src/graph/known_ops.txt"
    known.parent.mkdir()
    known.write_text("Tan\tx: T -> y: T\tT:type\nTanh\tx: T -> y: T\tT:type\n")
    assert generate(tree, "--check").returncode == 1 and "known_ops.txt is stale" in generate(tree, "--check").stdout
    assert generate(tree).returncode == 0 and known.read_text() == "Tan\tx: T -> y: T\tT:type\n"

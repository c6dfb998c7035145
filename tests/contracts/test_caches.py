"""Every cache has a bound: `functools.cache` on a function of arguments says beside it why the arguments are few."""

from __future__ import annotations

import ast
from pathlib import Path

import millrace as tf
from millrace._src.autodiff import tangent_plans
from millrace._src.autograph.operators.calls import call

SOURCES = Path(tf.__file__).parent / "_src"


def _unbounded(decorator: ast.expr) -> bool:
    if isinstance(decorator, ast.Call):
        sizes = [*decorator.args, *(k.value for k in decorator.keywords if k.arg == "maxsize")]
        return ast.unparse(decorator.func).endswith("lru_cache") and any(ast.unparse(s) == "None" for s in sizes)
    return ast.unparse(decorator) in ("functools.cache", "cache")


def test_a_cache_without_a_bound_says_why_it_is_finite() -> None:
    silent = []
    for path in SOURCES.rglob("*.py"):
        text = path.read_text()
        lines = text.splitlines()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and (node.args.args or node.args.vararg or node.args.kwonlyargs):
                for decorator in filter(_unbounded, node.decorator_list):
                    if "# finite: " not in lines[decorator.lineno - 1]:
                        silent.append(f"{path.relative_to(SOURCES)}:{decorator.lineno} {node.name}")
    assert not silent, f"give a maxsize, or say `# finite: why` beside the decorator: {silent}"


def test_tangents_of_ever_new_attributes_leave_a_bounded_number_of_notes(monkeypatch: object) -> None:
    x = tf.constant([-1.0, 2.0])
    for number in range(tangent_plans._MAX_PLANS // 16):
        with tf.autodiff.ForwardAccumulator(x, x) as accumulator:
            y = tf.nn.leaky_relu(x, alpha=number * 1e-4)
        assert accumulator.jvp(y) is not None
    assert len(tangent_plans._shapes_seen) <= len(tangent_plans._plans)


def test_functions_defined_again_and_again_in_a_module_are_not_kept_for_ever() -> None:
    namespace: dict[str, object] = {}
    for _ in range(call.most + 10):
        exec("def again(x): return x", namespace)
        call[namespace["again"]]
    assert len(call) <= call.most

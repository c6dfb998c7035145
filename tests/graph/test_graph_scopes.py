"""The scopes of a graph in several threads; what single threads see is in `test_graph.py`."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from typing import Any

import pytest

import millrace as tf


def _in_thread(function: Callable[[], Any]) -> Any:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


def _node(graph: tf.Graph) -> tuple[str, str, list[str], list[bytes]]:
    operation = graph.create_op("NoOp", [])
    controls = [control.name for control in operation.control_inputs]
    return operation.name, operation.device, controls, operation.colocation_groups()


SCOPES: dict[str, Callable[[tf.Graph, Any], Any]] = {
    "name": lambda graph, c: graph.name_scope("outer"),
    "control": lambda graph, c: graph.control_dependencies([c]),
    "device": lambda graph, c: graph.device("/cpu:1"),
    "device function": lambda graph, c: graph.device(lambda operation: "/cpu:2"),
    "colocation": lambda graph, c: graph.colocate_with(c),
}
INSIDE = {
    "name": ("outer/NoOp", "", [], [b"loc:@outer/NoOp"]),
    "control": ("NoOp", "", ["c"], [b"loc:@NoOp"]),
    "device": ("NoOp", "/device:CPU:1", [], [b"loc:@NoOp"]),
    "device function": ("NoOp", "/cpu:2", [], [b"loc:@NoOp"]),
    "colocation": ("NoOp", "", [], [b"loc:@c"]),
}


@pytest.mark.parametrize("kind", SCOPES)
@pytest.mark.parametrize("switched", [False, True])
def test_a_scope_of_one_thread_does_not_show_in_another(kind: str, switched: bool) -> None:
    graph = tf.Graph()
    c = graph.create_op("NoOp", [], name="c")
    if switched:
        graph.switch_to_thread_local()
    with SCOPES[kind](graph, c):
        other = _in_thread(lambda: (_node(graph), graph.get_name_scope()))
        name = "NoOp" if kind == "name" else "NoOp_1"
        own = _node(graph)
    assert other[0][1:] == ("", [], [b"loc:@NoOp"])
    assert other[1] == ""
    assert (own[0], own[1], own[2]) == (INSIDE[kind][0] if kind == "name" else name, *INSIDE[kind][1:3])
    assert _node(graph)[1:3] == ("", [])


def test_containers_and_gradient_overrides_hold_in_all_threads() -> None:
    graph = tf.Graph()

    def build() -> tuple[Any, Any]:
        with graph.as_default():
            handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[])
            return handle.op.get_attr("container"), handle.op.get_attr("_gradient_op_type")

    with graph.container("box"), graph.gradient_override_map({"VarHandleOp": "Other"}):
        assert _in_thread(build) == (b"box", b"Other")


def test_scopes_of_two_threads_may_end_in_any_order() -> None:
    graph = tf.Graph()
    entered, leave = threading.Event(), threading.Event()
    seen: dict[str, Any] = {}

    def other() -> None:
        with graph.as_default(), tf.name_scope("a"), graph.device("/cpu:1"):
            entered.set()
            leave.wait(10)
            seen["inside"] = _node(graph)[:2]
        seen["after"] = _node(graph)[:2]

    thread = threading.Thread(target=other)
    thread.start()
    entered.wait(10)
    with graph.as_default(), tf.name_scope("b"), graph.device("/cpu:2"):
        leave.set()
        thread.join()
        assert _node(graph)[:2] == ("b/NoOp", "/device:CPU:2")
    assert seen == {"inside": ("a/NoOp", "/device:CPU:1"), "after": ("NoOp", "")}
    assert _node(graph)[:2] == ("NoOp_1", "")


def test_threads_that_build_one_graph_at_once_never_share_a_name() -> None:
    graph = tf.Graph()
    start = threading.Barrier(4)

    def build(index: int) -> None:
        start.wait()
        with graph.as_default(), tf.name_scope("s"), graph.device(f"/cpu:{index}"):
            for _ in range(100):
                tf.no_op(name="n")
                graph.create_op("NoOp", [], name="x/")

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=build, args=(index,)) for index in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    unique = [operation for operation in graph.get_operations() if operation.name != "x"]
    assert len({operation.name for operation in unique}) == len(unique) == 400
    by_scope = {operation.name.partition("/")[0]: set[str]() for operation in unique}
    for operation in unique:
        by_scope[operation.name.partition("/")[0]].add(operation.device)
    assert sorted(by_scope) == ["s", "s_1", "s_2", "s_3"]
    assert sorted(device for devices in by_scope.values() for device in devices) == [
        f"/device:CPU:{index}" for index in range(4)
    ]


def test_functions_are_traced_in_threads_within_scopes_of_their_own() -> None:
    names: dict[int, str] = {}
    start = threading.Barrier(3)

    def work(index: int) -> None:
        @tf.function(autograph=False)
        def f(x: Any) -> Any:
            with tf.name_scope(f"scope{index}"), tf.control_dependencies([x]):
                start.wait()
                y = x * 2.0
                names[index] = y.op.name
            return y

        assert f(tf.constant(float(index))).numpy() == 2.0 * index

    threads = [threading.Thread(target=work, args=(index,)) for index in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert names == {index: f"scope{index}/mul" for index in range(3)}


def test_sessions_in_threads_run_the_graph_that_the_threads_extend() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [])
    with tf.compat.v1.Session(graph=graph) as session, graph.device("/cpu:0"):

        def work(index: int) -> tuple[float, str]:
            with graph.as_default(), tf.name_scope("w"):
                y = x + float(index)
            return float(session.run(y, {x: 1.0})), y.device

        assert [_in_thread(lambda index=index: work(index)) for index in range(3)] == [(1.0, ""), (2.0, ""), (3.0, "")]


def test_each_thread_has_a_default_graph() -> None:
    own = tf.compat.v1.get_default_graph()
    other, again = _in_thread(lambda: (tf.compat.v1.get_default_graph(), tf.compat.v1.get_default_graph()))
    assert other is again is not own
    assert tf.compat.v1.get_default_graph() is own


def test_threads_share_scopes_until_the_switch_where_version_2_behavior_is_off() -> None:
    program = """
        import threading
        import millrace.compat.v1 as tf
        tf.disable_v2_behavior()
        g = tf.Graph()
        c = g.create_op("NoOp", [], name="c")
        def node():
            made = g.create_op("NoOp", [])
            return made.name, made.device, [control.name for control in made.control_inputs]
        def show():
            results = []
            thread = threading.Thread(target=lambda: results.append(node()))
            thread.start()
            thread.join()
            print(node(), *results)
        with g.device("/cpu:1"), g.control_dependencies([c]), g.name_scope("s"):
            show()
            g.switch_to_thread_local()
            with g.device("/cpu:2"):
                g.switch_to_thread_local()
                show()
        show()
        entered, leave = threading.Event(), threading.Event()
        shared = tf.Graph()
        def stay():
            with shared.device("/cpu:1"):
                entered.set()
                leave.wait(10)
        thread = threading.Thread(target=stay)
        thread.start()
        entered.wait(10)
        with shared.device("/gpu:2"):
            leave.set()
            thread.join()
            print(shared.create_op("NoOp", []).device)
        print(repr(shared.create_op("NoOp", []).device))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "('s/NoOp', '/device:CPU:1', ['c']) ('NoOp', '/device:CPU:1', ['c'])",
        "('s/NoOp_1', '/device:CPU:2', ['c']) ('NoOp_1', '/device:CPU:1', ['c'])",
        "('NoOp_3', '', []) ('NoOp_2', '/device:CPU:1', ['c'])",
        "/device:GPU:2",
        "''",
    ]

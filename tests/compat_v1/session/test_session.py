"""Sessions: fetches, feeds, state, errors, default sessions."""

from __future__ import annotations

import collections
import gc
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1


@pytest.fixture
def graph() -> Any:
    return tf.Graph()


Pair = collections.namedtuple("Pair", "a b")


def test_fetches_keep_their_structure(graph: Any) -> None:
    with graph.as_default():
        c = tf.constant(3, name="c")
        d = c + 1
    session = v1.Session(graph=graph)
    assert session.run([c, (d, "c:0")]) == [3, (4, 3)]
    assert session.run({"x": c, "y": [d.op, d]}) == {"x": 3, "y": [None, 4]}
    assert session.run(Pair(c, d)) == Pair(3, 4)
    ordered = session.run(collections.OrderedDict([("z", c), ("a", d)]))
    assert type(ordered) is collections.OrderedDict and list(ordered) == ["z", "a"]
    default = session.run(collections.defaultdict(list, {"z": c}))
    assert default == {"z": 3} and default["new"] == []
    assert session.run([]) == [] and session.run("c") is None
    assert type(session.run(c)) is np.int32


def test_composites_are_fetched_and_fed_as_values(graph: Any) -> None:
    with graph.as_default():
        sparse = v1.sparse_placeholder(tf.float32)
        ragged = v1.ragged.placeholder(tf.int32, 1, [])
        doubled, added = sparse * 2.0, ragged + 1
        slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([4]))
    session = v1.Session(graph=graph)
    value = v1.SparseTensorValue(np.array([[0, 1]]), np.array([1.5], np.float32), np.array([2, 2]))
    for fed in (value, tuple(value)):
        found = session.run(doubled, {sparse: fed})
        assert type(found) is v1.SparseTensorValue and found.values.tolist() == [3.0]
    rows = session.run(added, {ragged: v1.ragged.constant_value([[1], [2, 3]], dtype=np.int32)})
    assert rows.to_list() == [[2], [3, 4]]
    assert session.run(slices) == v1.IndexedSlicesValue(np.array([[1.0]]), np.array([4]), None)


def test_any_tensor_can_be_fed(graph: Any) -> None:
    with graph.as_default():
        x = v1.placeholder(tf.float32, [None], name="x")
        c = tf.constant(2)
        y = x * 2.0
        z = y + 1.0
        filled = tf.fill([c], 7)
    session = v1.Session(graph=graph)
    assert session.run(z, {x: [1.0, 2.0]}).tolist() == [3.0, 5.0]
    assert session.run(z, {"x:0": [1]}).tolist() == [3.0]
    assert [part.tolist() for part in session.run([z, y], {y: [10.0]})] == [[11.0], [10.0]]
    assert session.run(filled, {c: 3}).tolist() == [7, 7, 7]
    assert session.run(z, {(x, c): ([0.5], 1)}).tolist() == [2.0]
    assert session.run(c, {c: 1.9}) == 1


def test_a_fed_array_is_copied_and_so_is_a_result(graph: Any) -> None:
    with graph.as_default():
        x = v1.placeholder(tf.float32, [2])
        v = tf.Variable([0.0, 0.0])
        store, same = v.assign(x), tf.identity(x)
    session = v1.Session(graph=graph)
    array = np.array([1.0, 2.0], np.float32)
    result = session.run([store, same], {x: array})
    array[:] = 7.0
    result[0][:] = 8.0
    result[1][:] = 9.0
    assert session.run(v).tolist() == [1.0, 2.0]
    value = session.run(v)
    value[:] = 9.0
    assert session.run(v).tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("fetch", "kind", "message"),
    [
        (None, TypeError, 'Argument `fetch` = None has invalid type "NoneType". Cannot be None'),
        (3, TypeError, 'has invalid type "int" must be a string or Tensor'),
        ({1}, TypeError, 'has invalid type "set"'),
        ("no:0", ValueError, "cannot be interpreted as a Tensor.*refers to a Tensor which does not exist"),
        ("no", ValueError, "refers to an Operation not in the graph"),
        ("c:7", ValueError, "only has 1 outputs"),
    ],
)
def test_what_is_no_fetch_is_refused(graph: Any, fetch: Any, kind: Any, message: str) -> None:
    with graph.as_default():
        tf.constant(3, name="c")
    with pytest.raises(kind, match=message):
        v1.Session(graph=graph).run(fetch)


def test_a_tensor_of_another_graph_is_refused(graph: Any) -> None:
    with graph.as_default():
        c = tf.constant(1)
    with tf.Graph().as_default():
        other = tf.constant(1)
    session = v1.Session(graph=graph)
    with pytest.raises(ValueError, match="is not an element of this graph"):
        session.run(other)
    with pytest.raises(TypeError, match=r"Cannot interpret feed_dict key as Tensor: Tensor .* is not an element"):
        session.run(c, {other: 1})


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (
            np.ones((1, 3)),
            ValueError,
            r"Cannot feed value of shape \(1, 3\) for Tensor x:0, which has shape \(None, 2\)",
        ),
        (None, ValueError, r"Cannot feed value of shape \(\)"),
        ("abc", ValueError, "could not convert string to float"),
        ([[1, 2], [3]], ValueError, "inhomogeneous"),
        (tf.ones([1, 2]), TypeError, "The value of a feed cannot be a tf.Tensor object"),
    ],
)
def test_a_wrong_feed_is_refused(graph: Any, value: Any, kind: Any, message: str) -> None:
    with graph.as_default():
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        y = x * 2.0
    with pytest.raises(kind, match=message):
        v1.Session(graph=graph).run(y, {x: value})


def test_a_number_that_does_not_fit_is_refused(graph: Any) -> None:
    with graph.as_default():
        x, s = v1.placeholder(tf.int32, []), v1.placeholder(tf.string, [])
        joined = s + "!"
    session = v1.Session(graph=graph)
    for tensor, value in ((x, 2**40), (s, 3)):
        with pytest.raises(TypeError, match=f"Type of feed value {value} with type <class 'int'> is not compatible"):
            session.run(tensor, {tensor: value})
    assert session.run(joined, {s: "é"}) == "é!".encode()


def test_a_placeholder_without_a_value_is_told_by_name(graph: Any) -> None:
    with graph.as_default():
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        y = x * 2.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="'x' with dtype float and shape") as caught:
        v1.Session(graph=graph).run(y)
    assert caught.value.op is x.op and caught.value.node_def.name == "x"


def test_an_error_names_the_operation_of_the_graph(graph: Any) -> None:
    with graph.as_default():
        with tf.name_scope("part"):
            quotient = tf.constant([1, 2]) // v1.placeholder(tf.int32, [2], name="by")
    session = v1.Session(graph=graph)
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(quotient, {"part/by:0": [1, 0]})
    assert caught.value.op is quotient.op
    assert "Integer division by zero\n\t [[{{node part/floordiv}}]]" in caught.value.message
    assert session.run(quotient, {"part/by:0": [1, 1]}).tolist() == [1, 2]


def test_each_session_has_variables_of_its_own(graph: Any) -> None:
    with graph.as_default():
        v = tf.Variable(1.0, name="v")
        add = v.assign_add(2.0)
    first, second = v1.Session(graph=graph), v1.Session(graph=graph)
    with pytest.raises(tf.errors.FailedPreconditionError, match="variable v"):
        first.run(v)
    for session in (first, second):
        session.run(v.initializer)
    assert [float(first.run(add)) for _ in range(2)] == [3.0, 5.0]
    assert (float(first.run(v)), float(second.run(v))) == (5.0, 1.0)


def test_only_what_the_fetches_need_runs(graph: Any) -> None:
    with graph.as_default():
        v, w = tf.Variable(0), tf.Variable(0)
        bump_v, bump_w = v.assign_add(1), w.assign_add(1)
        with tf.control_dependencies([bump_v]):
            y = tf.constant(7)
        fails = tf.debugging.check_numerics(tf.constant(np.nan), "not finite")
    session = v1.Session(graph=graph)
    session.run([v.initializer, w.initializer])
    assert (session.run(y), session.run(v), session.run(w)) == (7, 1, 0)
    assert bump_w is not None
    with pytest.raises(tf.errors.InvalidArgumentError, match="not finite"):
        session.run(fails.op)


def test_a_random_operation_goes_on_in_its_stream_whatever_else_is_fetched(graph: Any) -> None:
    with graph.as_default():
        tf.random.set_seed(3)
        x = tf.random.uniform([3])
        y = x + 1.0
    first, second = v1.Session(graph=graph), v1.Session(graph=graph)
    draws = [first.run(x), first.run(y) - 1.0, first.run([x, y])[0]]
    again = [second.run(x), second.run(x), second.run(x)]
    np.testing.assert_allclose(draws, again, rtol=1e-6)
    assert not np.array_equal(again[0], again[1])


def test_a_graph_may_grow_between_runs(graph: Any) -> None:
    session = v1.Session(graph=graph)
    with pytest.raises(RuntimeError, match="The Session graph is empty"):
        session.run("c:0")
    with graph.as_default():
        c = tf.constant(2)
    assert session.run(c) == 2
    with graph.as_default():
        d = c * 5
    assert session.run([c, d]) == [2, 10]
    graph.finalize()
    assert session.run(d) == 10


def test_a_closed_session_is_refused(graph: Any) -> None:
    with graph.as_default():
        c = tf.constant(2)
    with v1.Session(graph=graph) as session:
        call = session.make_callable(c)
        assert call() == 2
    for use in (call, lambda: session.run(c)):
        with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
            use()
    session.close()


def test_closing_a_session_calls_off_what_waits(graph: Any) -> None:
    with graph.as_default():
        element = tf.queue.FIFOQueue(1, tf.int32).dequeue()
    session = v1.Session(graph=graph)
    caught: list[Any] = []

    def wait() -> None:
        try:
            session.run(element)
        except tf.errors.OpError as error:
            caught.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    while not session._cancellation._conditions:
        time.sleep(0.001)
    session.close()
    thread.join()
    assert isinstance(caught[0], tf.errors.CancelledError) and caught[0].op is element.op
    assert caught[0].message.count("Graph execution error:") == 1 and "Session has been closed." in caught[0].message


def test_a_run_may_take_so_long_and_no_longer(graph: Any) -> None:
    with graph.as_default():
        queue = tf.queue.FIFOQueue(2, tf.int32)
        element, put = queue.dequeue(), queue.enqueue(5)
    session = v1.Session(graph=graph)
    with pytest.raises(tf.errors.DeadlineExceededError):
        session.run(element, options=v1.RunOptions(timeout_in_ms=5))
    session.run(put)
    assert session.run(element, options=v1.RunOptions(timeout_in_ms=60_000)) == 5


def test_several_threads_run_one_session(graph: Any) -> None:
    with graph.as_default():
        v = tf.Variable(0)
        queue = tf.queue.FIFOQueue(4, tf.int32, shapes=[[]])
        put, taken = queue.enqueue(v.assign_add(1)), queue.dequeue()
    with v1.Session(graph=graph) as session:
        session.run(v.initializer)
        threads = [threading.Thread(target=session.run, args=(put,)) for _ in range(16)]
        for thread in threads:
            thread.start()
        assert sorted(int(session.run(taken)) for _ in range(16))[-1] == 16
        for thread in threads:
            thread.join()


def test_callables_run_the_same_fetches(graph: Any) -> None:
    with graph.as_default():
        x, y = v1.placeholder(tf.float32, []), v1.placeholder(tf.float32, [], name="y")
        total = x + y
    session = v1.Session(graph=graph)
    add = session.make_callable({"total": total}, [x, "y:0"])
    assert add(1.0, 2.0) == {"total": 3.0}
    with pytest.raises(tf.errors.InvalidArgumentError, match="must feed a value"):
        add(1.0)
    with pytest.raises(TypeError, match="takes 2 values"):
        add(1.0, 2.0, 3.0)
    metadata = v1.RunMetadata()
    options = v1.RunOptions(output_partition_graphs=True)
    with_options = session.make_callable(total, [x, y], accept_options=True)
    assert with_options(1.0, 2.0, options=options, run_metadata=metadata) == 3.0
    assert total.op.name in [node.name for node in metadata.partition_graphs[0].node]
    with pytest.raises(TypeError, match="must be a list or tuple"):
        session.make_callable(total, x)


def test_a_variable_and_a_queue_may_share_a_name(graph: Any) -> None:
    with graph.as_default():
        variable = v1.get_variable("one_name", initializer=tf.constant(2.0))
        size = tf.queue.FIFOQueue(3, [tf.int32], [[]], shared_name="one_name").size()
        tables = [
            tf.raw_ops.MutableHashTableV2(key_dtype=tf.int32, value_dtype=tf.int32, shared_name="one_name")
            for _ in range(2)
        ]
        insert = tf.raw_ops.LookupTableInsertV2(table_handle=tables[0], keys=[1], values=[5])
        entries = tf.raw_ops.LookupTableSizeV2(table_handle=tables[1])
    session = v1.Session(graph=graph)
    session.run([variable.initializer, insert])
    assert session.run([variable, size, entries]) == [2.0, 0, 1]


def test_a_branch_waits_for_an_assignment_outside_of_it(graph: Any) -> None:
    with graph.as_default():
        count = v1.get_variable("count", initializer=tf.constant(0.0))
        assigned = v1.assign_add(count, 1.0)

        def after() -> Any:
            with tf.control_dependencies([assigned.op]):
                return tf.constant(5.0)

        read = v1.cond(tf.constant(True), lambda: tf.identity(assigned), lambda: 0.0)
        waited = v1.cond(tf.constant(False), lambda: 0.0, after)
    session = v1.Session(graph=graph)
    session.run(count.initializer)
    assert (session.run(read), session.run(waited), session.run(count)) == (1.0, 5.0, 2.0)


def test_a_callable_keeps_its_fetches_and_ends_with_its_session(graph: Any) -> None:
    with graph.as_default():
        fetches: list[Any] = [tf.constant(1)]
        other = tf.constant(2)
    session = v1.Session(graph=graph)
    call = session.make_callable(fetches)
    fetches[0] = other
    assert call() == [1]
    session.close()
    with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
        call()


def test_default_sessions(graph: Any) -> None:
    with graph.as_default():
        c = tf.constant(4)
    with pytest.raises(ValueError, match="Cannot evaluate tensor using `eval\\(\\)`: No default session is registered"):
        c.eval()
    with pytest.raises(ValueError, match="Cannot execute operation using `run\\(\\)`: No default session"):
        c.op.run()
    session = v1.Session(graph=graph)
    assert c.eval(session=session) == 4
    with session.as_default():
        assert v1.get_default_session() is session and c.eval({c: 9}) == 9 and c.op.run() is None
        with tf.Graph().as_default():
            other = tf.constant(1)
        with pytest.raises(ValueError, match="the tensor's graph is different from the session's graph"):
            other.eval()
    assert v1.get_default_session() is None
    with session:
        assert v1.get_default_graph() is graph
    with pytest.raises(RuntimeError, match="closed"):
        session.run(c)


def test_an_interactive_session_is_the_default_until_it_is_closed(graph: Any) -> None:
    session = v1.InteractiveSession(graph=graph)
    assert v1.get_default_graph() is graph and (tf.constant(2) * 3).eval() == 6
    with pytest.warns(UserWarning, match="An interactive session is already active"):
        v1.InteractiveSession().close()
    session.close()
    assert v1.get_default_session() is None and tf.executing_eagerly()


def test_interactive_sessions_end_in_the_opposite_order(graph: Any) -> None:
    found: list[Any] = []

    def close_the_first() -> None:
        first, second = v1.InteractiveSession(graph=graph), v1.Session(graph=graph)
        with second.as_default():
            with pytest.raises(AssertionError, match="Nesting violated for default stack of"):
                first.close()
            found.append(v1.get_default_session() is second)

    thread = threading.Thread(target=close_the_first)  # which stays as it is, in disorder
    thread.start()
    thread.join()
    assert found == [True]


def test_a_scope_that_another_thread_forgot_changes_nothing_here(graph: Any) -> None:
    scopes: list[Any] = []

    def forget() -> None:
        scopes.extend([v1.Session(graph=graph).as_default(), graph.as_default()])
        for scope in scopes:
            scope.__enter__()

    with tf.Graph().as_default() as own:
        thread = threading.Thread(target=forget)
        thread.start()
        thread.join()
        for scope in scopes:
            with pytest.raises(AssertionError, match="Nesting violated"):
                scope.__exit__(None, None, None)
        assert v1.get_default_graph() is own and v1.get_default_session() is None


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({"target": 3}, TypeError),
        ({"target": "moon"}, tf.errors.NotFoundError),
        ({"target": "grpc://localhost:2222"}, tf.errors.UnimplementedError),
        ({"graph": 3}, TypeError),
        ({"config": 3}, TypeError),
    ],
)
def test_impossible_sessions_are_refused(arguments: Any, kind: Any) -> None:
    with pytest.raises(kind):
        v1.Session(**arguments)


def test_a_session_lets_go_of_its_variables(graph: Any) -> None:
    with graph.as_default():
        v = tf.Variable(tf.zeros([10]))
    session = v1.Session(graph=graph)
    session.run(v.initializer)
    (handle,) = session._resources._handles.values()
    storage = weakref.ref(handle._eager_array[()])
    del handle
    session.close()
    gc.collect()
    assert storage() is None


def test_functions_and_loops_run_in_a_session(graph: Any) -> None:
    @tf.function
    def collatz(n: Any) -> Any:
        steps = 0
        while n > 1:
            n = tf.where(tf.equal(n % 2, 0), n // 2, 3 * n + 1)
            steps += 1
        return steps

    with graph.as_default():
        x = v1.placeholder(tf.int32, [])
        y = collatz(x)
        z = tf.cond(x > 5, lambda: x * 2, lambda: x - 1)
        dx = tf.gradients(tf.cast(x, tf.float32) ** 2.0, [])
    session = v1.Session(graph=graph)
    assert session.run([y, z], {x: 6}) == [8, 12] and session.run(z, {x: 3}) == 2
    assert dx == []


def test_an_object_that_cannot_be_made_names_its_operation(graph: Any) -> None:
    with graph.as_default():
        queue = tf.queue.FIFOQueue(3, [tf.int32, tf.int32], [[], []], name="queue")
        size = queue.size()
        queue.queue_ref.op._set_attr("shapes", (tf.TensorShape([]),))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Different number of component types") as caught:
        v1.Session(graph=graph).run(size)
    assert caught.value.op is queue.queue_ref.op and "{{node queue}}" in caught.value.message


def test_a_shared_object_of_another_type_is_refused(graph: Any) -> None:
    with graph.as_default():
        sizes = [tf.queue.FIFOQueue(3, [dtype], shared_name="s").size() for dtype in (tf.int32, tf.float32)]
        again = tf.queue.FIFOQueue(3, [tf.int32], shared_name="s").size()
    session = v1.Session(graph=graph)
    assert session.run([sizes[0], again]) == [0, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Shared object 's' is QueueHandle"):
        session.run(sizes[1])

"""`for` over datasets and iterators in functions: the same results as in Python, and TensorFlow's nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import millrace as tf

Dataset = tf.data.Dataset


def long(value: Any) -> Any:
    return tf.constant(value, tf.int64)


def total(elements: Any) -> Any:
    s = long(0)
    for x in elements:
        s += x
    return s


def with_break(elements: Any) -> Any:
    s = long(0)
    for x in elements:
        if x > 2:
            break
        s += x
    return s


def with_continue(elements: Any) -> Any:
    s = long(0)
    for x in elements:
        if x % 2 == 0:
            continue
        s += x
    return s


def with_return(elements: Any) -> Any:
    s = long(100)
    for x in elements:
        if x > 2:
            return s
        s += x
    return -s


def with_else(elements: Any) -> Any:
    s = long(0)
    for x in elements:
        if x > 7:
            break
        s += x
    else:
        s += 100
    return s


def several_variables(elements: Any) -> Any:
    a, b = long(0), {"first": long(1), "second": (long(2),)}
    for x in elements:
        a, b = a + x, {"first": b["first"] * 2, "second": (b["second"][0] + a,)}
    return a, b


def with_while(elements: Any) -> Any:
    s = long(0)
    for x in elements:
        i = x
        while i > 0:
            s += i
            i -= 1
    return s


def python_number(elements: Any) -> Any:
    n = 0
    for _ in elements:
        n = n + 1
    return n


def with_list(elements: Any) -> Any:
    seen = [long(-1)]
    for x in elements:
        seen.append(x)
    return tf.stack(seen)


def with_array(elements: Any) -> Any:
    array = tf.TensorArray(tf.int64, 0, dynamic_size=True, element_shape=[])
    i = 0
    for x in elements:
        array = array.write(i, x * x)
        i = i + 1
    return array.stack()


LOOPS = [
    total,
    with_break,
    with_continue,
    with_return,
    with_else,
    several_variables,
    with_while,
    python_number,
    with_list,
    with_array,
]


def plain(result: Any) -> Any:
    return tf.nest.map_structure(lambda t: t.numpy().tolist() if isinstance(t, tf.Tensor) else t, result)


@pytest.mark.parametrize("of", [lambda dataset: dataset, iter], ids=["dataset", "iterator"])
@pytest.mark.parametrize("size", [0, 1, 3, 9])
@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.__name__)
def test_a_loop_gives_what_it_gives_in_python(loop: Callable[[Any], Any], size: int, of: Callable[[Any], Any]) -> None:
    dataset = Dataset.range(size)
    assert plain(tf.function(loop)(of(dataset))) == plain(loop(dataset))


def test_loops_nest() -> None:
    @tf.function
    def products(outer: Any, inner: Any) -> Any:
        s = long(0)
        for x in outer:
            for y in inner:
                if y > x:
                    break
                s += x * y
        return s

    expected = sum(x * y for x in range(4) for y in range(5) if y <= x)
    assert products(Dataset.range(4), Dataset.range(5)).numpy() == expected


def test_loops_inside_of_branches_and_loops_of_the_graph() -> None:
    @tf.function
    def again(dataset: Any, n: Any) -> Any:
        s = long(0)
        for _ in tf.range(n):
            if s < 100:
                for x in dataset:
                    s += x
        return s

    assert again(Dataset.range(4), 3).numpy() == 18


def test_elements_are_unpacked() -> None:
    @tf.function
    def dot(pairs: Any) -> Any:
        s = 0
        for a, (b, c) in pairs:
            s += a * b + c["z"]
        return s

    pairs = Dataset.from_tensor_slices(([1, 2], ([3, 4], {"z": [10, 20]})))
    assert dot(pairs).numpy() == 3 + 10 + 8 + 20


def test_a_shape_may_change_from_element_to_element() -> None:
    @tf.function
    def all_of(dataset: Any) -> Any:
        seen = tf.zeros([0], tf.int64)
        for x in dataset:
            seen = tf.concat([seen, [x]], 0)
        return seen

    assert all_of(Dataset.range(3)).numpy().tolist() == [0, 1, 2]


def test_a_given_shape_invariant_holds() -> None:
    @tf.function
    def all_of(dataset: Any) -> Any:
        seen = tf.zeros([0], tf.int64)
        for x in dataset:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(seen, tf.TensorShape([0]))])
            seen = tf.concat([seen, [x]], 0)
        return seen

    with pytest.raises(ValueError, match="does not conform with the shape invariant"):
        all_of(Dataset.range(3))


def test_a_variable_of_the_loop_may_have_no_value_before() -> None:
    def last(elements: Any) -> Any:
        for x in elements:
            y = x * 2
        return y, x

    for of in (lambda dataset: dataset, iter):
        assert plain(tf.function(last)(of(Dataset.range(4)))) == (6, 3)
        with pytest.raises(tf.errors.InvalidArgumentError, match="must iterate at least once to initialize"):
            tf.function(last)(of(Dataset.range(0)))


def test_a_variable_that_changes_its_dtype_is_refused() -> None:
    @tf.function
    def f(dataset: Any) -> Any:
        s = 0
        for x in dataset:
            s = tf.cast(x, tf.float32)
        return s

    with pytest.raises(TypeError, match="'s' has dtype int32 before the loop, but dtype float32"):
        f(Dataset.range(3))


def test_the_bodies_assign_variables_and_read_them_in_order() -> None:
    v = tf.Variable(long(0))

    @tf.function
    def f(dataset: Any) -> Any:
        v.assign(5)
        before = v + 0
        for x in dataset:
            v.assign(v * 2 + x)
        between = v + 0
        for x in dataset:
            v.assign_add(x)
        return before, between, v + 0

    assert plain(f(Dataset.range(3))) == (5, 44, 47)


def test_a_loop_with_effects_only_runs(capfd: Any) -> None:
    @tf.function
    def f(dataset: Any) -> None:
        tf.print("before")
        for x in dataset:
            tf.print(x)
        tf.print("after")

    f(Dataset.range(3))
    assert capfd.readouterr().err.split() == ["before", "0", "1", "2", "after"]


def test_an_endless_dataset_is_left_by_break() -> None:
    taken: list[int] = []

    def note(x: Any) -> Any:
        return tf.py_function(lambda y: taken.append(int(y)) or y, [x], tf.int64)

    @tf.function
    def f(dataset: Any) -> Any:
        s = long(0)
        for x in dataset:
            if x > 3:
                break
            s += x
        return s

    assert f(Dataset.range(100).map(note).repeat()).numpy() == 6
    assert taken == [0, 1, 2, 3, 4, 5]  # one more than needed, as TensorFlow's loops take


def test_an_iterator_goes_on_behind_the_loop() -> None:
    @tf.function
    def f(iterator: Any) -> Any:
        s = long(0)
        for x in iterator:
            if x > 1:
                break
            s += x
        return s, total(iterator)

    assert plain(f(iter(Dataset.range(6)))) == (1, 3 + 4 + 5)


def test_a_tape_inside_of_the_body_trains() -> None:
    w = tf.Variable(0.0)

    @tf.function
    def train(dataset: Any) -> Any:
        for x, y in dataset:
            with tf.GradientTape() as tape:
                loss = (w * x - y) ** 2
            w.assign_sub(0.05 * tape.gradient(loss, w))
        return w + 0

    pairs = Dataset.from_tensor_slices(([1.0, 2.0, 3.0] * 20, [2.0, 4.0, 6.0] * 20))
    assert train(pairs).numpy() == pytest.approx(2.0, abs=1e-3)


def test_no_gradient_flows_out_of_a_loop_over_a_dataset() -> None:
    w = tf.Variable(2.0)

    @tf.function
    def f(dataset: Any) -> Any:
        s = 0.0
        for x in dataset:
            s += w * x
        return s

    with tf.GradientTape() as tape:
        y = f(Dataset.from_tensor_slices([1.0, 2.0]))
    assert y.numpy() == 6.0
    assert tape.gradient(y, w) is None


def types_in(function: Any, *args: Any) -> list[str]:
    graph = tf.function(function).get_concrete_function(*args).graph
    return [operation.type for operation in graph.get_operations()]


def test_the_nodes_of_a_loop_over_a_dataset_are_those_of_tensorflow() -> None:
    types = types_in(total, Dataset.range(3))
    assert types == ["Placeholder", "Const", "ScanDataset", "ReduceDataset", "Identity", "NoOp"]
    types = types_in(with_break, Dataset.range(3))
    assert [t for t in types if t.endswith("Dataset")] == ["ScanDataset", "TakeWhileDataset", "ReduceDataset"]


def test_the_names_of_the_nodes_are_those_of_tensorflow() -> None:
    graph = tf.function(with_break).get_concrete_function(Dataset.range(3)).graph
    operations = {operation.name: operation for operation in graph.get_operations()}
    scan, reduce = operations["ScanDataset"], operations["ReduceDataset"]
    assert scan.get_attr("f").name.startswith("__inference_Dataset_scan_scan_body_")
    assert scan.get_attr("preserve_cardinality") is True
    assert scan.get_attr("use_default_device") is False
    assert reduce.get_attr("f").name.startswith("__inference_reduce_reduce_body_")
    predicate = operations["TakeWhileDataset"].get_attr("predicate")
    assert predicate.name.startswith("__inference_Dataset_take_while_take_while_predicate_")


def test_a_loop_over_an_iterator_is_a_loop_of_the_graph() -> None:
    types = types_in(total, iter(Dataset.range(3)))
    assert types.count("While") == 1
    assert "IteratorGetNext" not in types


def test_the_number_of_iterations_may_be_bounded() -> None:
    @tf.function
    def f(dataset: Any) -> Any:
        s = long(0)
        for x in dataset:
            tf.autograph.experimental.set_loop_options(maximum_iterations=3)
            s += x
        return s

    assert f(Dataset.range(10)).numpy() == 3


def test_a_converted_function_loops_in_python_in_eager_mode() -> None:
    converted = tf.autograph.to_graph(total)
    assert converted(Dataset.range(4)).numpy() == converted(iter(Dataset.range(4))).numpy() == 6


def test_a_python_loop_in_a_graph_is_told_that_it_never_ends() -> None:
    @tf.function(autograph=False)
    def f(dataset: Any) -> Any:
        return sum(dataset)

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="it would never end"):
        f(Dataset.range(3))

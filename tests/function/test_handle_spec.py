"""A function called with a handle of a graph knows what the handle refers to."""

import millrace as tf


def _first(handle):
    return tf.raw_ops.TensorListGetItem(
        input_handle=handle, index=0, element_shape=tf.constant(-1), element_dtype=tf.float32
    )


def _list(shape):
    return tf.raw_ops.TensorListReserve(element_shape=tf.constant(shape), num_elements=3, element_dtype=tf.float32)


def test_callee_knows_the_shape_of_the_elements_of_a_list():
    shapes = []

    @tf.function
    def callee(handle, names):
        shapes.append(_first(handle).shape.as_list())
        return _first(names["other"])

    @tf.function
    def caller():
        shapes.append(callee(_list([2]), {"other": _list([4])}).shape.as_list())

    caller.get_concrete_function()
    assert shapes == [[2], [4]]


def test_lists_of_one_type_share_a_trace_and_lists_of_another_have_their_own():
    shapes, results = [], []

    @tf.function(reduce_retracing=True)
    def callee(handle):
        shapes.append(_first(handle).shape.as_list())
        return _first(handle)

    @tf.function
    def caller():
        results.extend([callee(_list(shape)).shape.as_list() for shape in ([2], [2], [3], [2])])

    caller.get_concrete_function()
    assert results == [[2], [2], [3], [2]]
    assert shapes == [[2], [3]]


def test_callee_knows_the_shape_behind_the_handle_of_a_variable():
    variable = tf.Variable([1.0, 2.0])

    @tf.function
    def callee(handle):
        value = tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)
        assert value.shape == [2]
        return value * 2.0

    @tf.function
    def caller():
        return callee(tf.identity(variable.handle))

    assert caller().numpy().tolist() == [2.0, 4.0]


def test_trace_of_a_typed_list_runs_on_eager_lists_and_shows_a_tensor_spec():
    traces = []

    @tf.function
    def inner(handle):
        return _first(handle)

    @tf.function
    def caller():
        traces.append(inner.get_concrete_function(_list([2])))

    caller.get_concrete_function()
    filled = tf.raw_ops.TensorListFromTensor(tensor=tf.ones([3, 2]), element_shape=tf.constant([2]))
    assert traces[0].structured_input_signature == ((tf.TensorSpec([], tf.variant, name="handle"),), {})
    assert traces[0](filled).numpy().tolist() == [1.0, 1.0]


def test_eager_lists_of_all_types_share_a_trace_as_in_tensorflow():
    traces = []

    @tf.function
    def length(handle):
        traces.append(1)
        return tf.raw_ops.TensorListLength(input_handle=handle)

    assert [int(length(_list(shape))) for shape in ([2], [3])] == [3, 3]
    assert len(traces) == 1


def test_outputs_of_a_trace_are_described_as_tensors():
    @tf.function
    def make():
        return {"list": _list([2])}

    output = make.get_concrete_function().function_type.output
    assert [type(spec) for spec in output.flatten()] == [tf.TensorSpec]
    assert make()["list"].dtype == tf.variant

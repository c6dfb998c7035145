"""Lists and TensorArrays that loops fill, tensors that loops build up, item assignment."""

# ruff: noqa: SIM113  (programs as users write them)

from tests.autograph.corpus import boolean, case, f32, i32
from tests.autograph.framework import tf

COUNTS = [(i32(4),), (i32(1),)]
VECTORS = [(i32([3, 1, 2]),), (i32([5, 0]),)]
DYNAMIC = "the length of the result is known only when it runs"


@case([(i32([3, 1, 2]),), (i32([6, 0, 5]),)])
def tensor_array_of_squares(values):
    squares = tf.TensorArray(tf.int32, size=3)
    for i in tf.range(3):
        squares = squares.write(i, values[i] * values[i])
    return squares.stack()


@case([(f32([1, 2, 3, 4]),)])
def tensor_array_of_running_sums(values):
    sums = tf.TensorArray(tf.float32, size=4)
    total = 0.0
    i = 0
    for v in values:
        total += v
        sums = sums.write(i, total)
        i += 1
    return sums.stack()


@case(COUNTS, no_xla=DYNAMIC)
def tensor_array_with_dynamic_size(n):
    array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    for i in tf.range(n):
        array = array.write(i, i * 2)
    return array.stack()


@case([(i32([3, 1, 2]),)])
def tensor_array_read_back(values):
    array = tf.TensorArray(tf.int32, size=3, clear_after_read=False)
    for i in tf.range(3):
        array = array.write(i, values[i])
    total = 0
    for i in tf.range(3):
        total = total * 10 + array.read(2 - i)
    return total


@case([(f32([[1, 2], [3, 4]]),)])
def tensor_array_of_rows(matrix):
    rows = tf.TensorArray(tf.float32, size=2)
    for i in tf.range(2):
        rows = rows.write(i, matrix[1 - i] * 2.0)
    return rows.stack()


@case([(f32([[1, 2], [3, 4]]),)])
def tensor_array_unstacked(matrix):
    rows = tf.TensorArray(tf.float32, size=2).unstack(matrix)
    total = tf.zeros([2])
    for i in tf.range(2):
        total = total + rows.read(i)
    return total


@case([(i32([4, -1, 2]),)])
def tensor_array_written_in_branches(values):
    array = tf.TensorArray(tf.int32, size=3)
    for i in tf.range(3):
        if values[i] > 0:
            array = array.write(i, values[i])
        else:
            array = array.write(i, 0)
    return array.stack()


@case([(f32(1.0), f32([0.5, 0.25, 0.125]))])
def recurrent_network(state, inputs):
    outputs = tf.TensorArray(tf.float32, size=3)
    for i in tf.range(3):
        state = state * 0.5 + inputs[i]
        outputs = outputs.write(i, state)
    return outputs.stack(), state


@case([(i32(3),)])
def list_filled_in_a_python_loop(x):
    values = []
    for k in range(4):
        values.append(x + k)
    return tf.stack(values)


@case([(i32([3, 1, 2]),)])
def list_filled_by_static_shape(x):
    values = []
    for k in range(x.shape[0]):
        values.append(x[k] * k)
    return tf.stack(values)


@case([(i32(3),), (i32(-3),)])
def list_filled_before_a_branch(x):
    values = [x]
    values.append(x + 1)
    if x > 0:
        y = values[1]
    else:
        y = values[0]
    return y


@case(VECTORS, superset="list.append in a tensor loop")
def list_append_over_a_vector(values):
    doubled = []
    for v in values:
        doubled.append(v * 2)
    return tf.stack(doubled)


@case(COUNTS, superset="list.append in a tensor loop", no_xla=DYNAMIC)
def list_append_over_tf_range(n):
    squares = []
    for i in tf.range(n):
        squares.append(i * i)
    return tf.stack(squares)


@case([(i32([4, -1, 2, -7]),)], superset="list.append in a tensor loop", no_xla=DYNAMIC)
def list_append_under_a_condition(values):
    positive = []
    for v in values:
        if v > 0:
            positive.append(v)
    return tf.stack(positive)


@case(COUNTS, superset="list.append in a tensor loop", no_xla=DYNAMIC)
def list_append_in_while(n):
    digits = []
    while n > 0:
        digits.append(n)
        n -= 1
    return tf.stack(digits)


@case(VECTORS, superset="list.append in a tensor loop")
def two_lists_appended(values):
    low, high = [], []
    for v in values:
        low.append(v - 1)
        high.append(v + 1)
    return tf.stack(low), tf.stack(high)


@case([(i32([1, 2, 3]),)], superset="item assignment", no_eager="eager tensors cannot be assigned to")
def element_assigned(values):
    values[1] = 50
    return values


@case([(i32([1, 2, 3]), i32(2))], superset="item assignment", no_eager="eager tensors cannot be assigned to")
def element_assigned_at_a_tensor_index(values, k):
    values[k] = values[0] + 100
    return values


@case([(i32([1, 2, 3]),)], superset="item assignment", no_eager="eager tensors cannot be assigned to")
def elements_assigned_in_a_loop(values):
    for i in tf.range(3):
        values[i] = values[i] * values[i]
    return values


@case([(i32([1, 2, 3]),), (i32([-1, 2, 3]),)], superset="item assignment",
      no_eager="eager tensors cannot be assigned to")  # fmt: skip
def element_assigned_in_a_branch(values):
    if values[0] > 0:
        values[2] = 0
    return values


@case([(f32([[1, 2], [3, 4]]),)], superset="item assignment", no_eager="eager tensors cannot be assigned to")
def row_and_element_of_a_matrix_assigned(matrix):
    matrix[0] = matrix[1] * 2
    matrix[1, 0] = -1
    return matrix


@case([(i32([1, 2, 3, 4]),)], superset="item assignment", no_eager="eager tensors cannot be assigned to")
def slice_assigned(values):
    values[1:3] = 0
    return values


@case([(i32([1, 2, 3]),)], superset="item assignment", no_eager="eager tensors cannot be assigned to")
def element_augmented(values):
    values[0] += 10
    values[2] *= values[0]
    return values


@case([(i32([4, 2, 3, 1]),)], superset="item assignment", no_eager="eager tensors cannot be assigned to")
def bubble_sort(values):
    n = len(values)
    for i in tf.range(n):
        for j in tf.range(n - 1 - i):
            if values[j] > values[j + 1]:
                values[j], values[j + 1] = values[j + 1] * 1, values[j] * 1
    return values


@case([(f32([1, 2]),)])
def tensor_grown_in_a_python_loop(x):
    y = x
    for _ in range(2):
        y = tf.concat([y, x], 0)
    return y


@case([(i32(3),)], no_xla=DYNAMIC, autograph=True)
def tensor_grown_with_shape_invariants(n):
    y = tf.zeros([1])
    for _ in tf.range(n):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(y, tf.TensorShape([None]))])
        y = tf.concat([y, [1.0]], 0)
    return y


@case([(f32([1, 2, 3]), i32(1))])
def one_hot_by_comparison(values, k):
    picked = values * tf.cast(tf.range(3) == k, tf.float32)
    if tf.reduce_sum(picked) > 1.0:
        picked = picked * 10.0
    return picked


@case([(i32([1, 2, 3, 4]),)])
def shifts_a_vector(values):
    for _ in tf.range(2):
        values = tf.concat([values[1:], values[:1]], 0)
    return values


@case([(f32([[1, 2], [3, 4]]),)])
def stacks_in_a_branch(m):
    if m[0, 0] < m[1, 1]:
        y = tf.stack([m[0], m[1], m[0]])
    else:
        y = tf.zeros([3, 2])
    return y


@case([(boolean([True, False, True]), f32([1, 2, 3]))])
def where_in_a_loop(mask, values):
    for _ in tf.range(2):
        values = tf.where(mask, values * 2.0, values)
    return values


@case([(f32([[1, 2], [3, 4]]),)])
def trace_of_a_matrix(m):
    total = 0.0
    for i in tf.range(2):
        total += m[i, i]
    return total


@case([(f32([[1, 1], [1, 0]]), i32(5)), (f32([[1, 1], [1, 0]]), i32(0))])
def matrix_power(m, n):
    result = tf.constant([[1.0, 0.0], [0.0, 1.0]])
    while n > 0:
        result = result @ m
        n -= 1
    return result

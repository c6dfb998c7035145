"""The Python operators of tensors: arithmetic, comparison, bitwise, matmul, with their mixed operands and errors."""

# ruff: noqa: SIM300 (programs write what users write)
from __future__ import annotations

import operator

from tests.oracle.support import attempt

BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow]
COMPARE = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


def prog_float_arithmetic(tf, np):
    """The seven arithmetic operators on float32."""
    x, y = tf.constant([7.5, -7.5, 2.0]), tf.constant([2.0, 2.0, -3.0])
    return [op(x, y) for op in BINARY]


def prog_int_arithmetic(tf, np):
    """On int32: / gives float64, // and % follow Python's sign."""
    x, y = tf.constant([7, -7, 7, -7]), tf.constant([2, 2, -2, -2])
    return [attempt(lambda op=op: op(x, y)) for op in BINARY[:-1]] + [x**2, 2 ** tf.constant([0, 1, 5])]


def prog_int_negative_power(tf, np):
    """Integers to a negative power are refused."""
    return attempt(lambda: tf.constant([2, 3]) ** tf.constant([-1, 2]))


def prog_arithmetic_by_dtype(tf, np):
    """Each operator on each numeric dtype, or its error."""
    names = "int8 uint8 int16 uint16 uint32 int64 uint64 float16 bfloat16 float64 complex64 complex128".split()
    out = {}
    for name in names:
        x, y = tf.constant([7, 100], name), tf.constant([3, 9], name)
        usable = BINARY[:4] if "complex" in name else BINARY[:-1]
        out[name] = [op(x, y) for op in usable]
    return out


def prog_small_ints_wrap(tf, np):
    """Overflow wraps around."""
    return [tf.constant([127], tf.int8) + 1, tf.constant([200], tf.uint8) * 2, tf.constant([2**31 - 1]) + 1, tf.constant(0, tf.uint8) - 1, -tf.constant([-128], tf.int8)]


def prog_float_division_by_zero(tf, np):
    """Float division by zero gives inf and nan."""
    x = tf.constant([1.0, -1.0, 0.0])
    return [x / 0.0, x // 0.0, x % 0.0, 1.0 / x, tf.constant([1]) / 0, tf.math.divide_no_nan(x, 0.0)]


def prog_int_division_by_zero(tf, np):
    """Integer // and % by zero raise."""
    x = tf.constant([1, 2])
    return [attempt(lambda: x // 0), attempt(lambda: x % 0), attempt(lambda: x // tf.constant([1, 0]))]


def prog_python_scalar_operands(tf, np):
    """Python numbers take the tensor's dtype, on both sides."""
    x = tf.constant([1.0, 2.0], tf.float16)
    return [x + 1, 1 + x, x * 2.5, 1 / x, 2 - x, x - 1, x**2, 2**x, x // 2, 5 % x, x / True if False else x / 2]


def prog_float_scalar_with_int_tensor(tf, np):
    """A float does not fit an int tensor."""
    x = tf.constant([1, 2])
    return [attempt(lambda: x + 1.5), attempt(lambda: x * 2.0), attempt(lambda: 1.5 - x), attempt(lambda: x > 1.5), attempt(lambda: x / 2.0), attempt(lambda: x == 1.5)]


def prog_list_and_numpy_operands(tf, np):
    """Lists and arrays are converted to the tensor's dtype where they can be."""
    x = tf.constant([1.0, 2.0])
    return [
        x + [1, 2],
        [1, 2] + x,
        x * np.array([2.0, 3.0]),
        attempt(lambda: x + np.array([1, 2])),
        x + (1, 2),
        attempt(lambda: x + ["a", "b"]),
        attempt(lambda: tf.constant([1, 2]) + np.array([1.5, 2.5])),
        x + np.float64(1),
    ]


def prog_mismatched_dtypes(tf, np):
    """No promotion between tensors of different dtype."""
    i, f, d = tf.constant([1]), tf.constant([1.0]), tf.constant([1.0], tf.float64)
    return [attempt(lambda a=a, b=b, op=op: op(a, b)) for a, b in ((i, f), (f, i), (f, d)) for op in (operator.add, operator.mul, operator.truediv, operator.lt)]


def prog_mismatched_dtypes_in_graph(tf, np):
    """The same inside a graph raises TypeError."""
    out = []

    @tf.function(autograph=False)
    def f(i, x):
        for op in (operator.add, operator.mul, operator.lt, operator.truediv, operator.pow):
            out.append(attempt(lambda op=op: op(i, x), words=8))
        return i

    f(tf.constant([1]), tf.constant([1.0]))
    return out


def prog_broadcasting(tf, np):
    """NumPy broadcasting of ranks and ones."""
    shapes = [([2, 1], [3]), ([], [2, 2]), ([1, 3, 1], [2, 1, 2]), ([0], [1]), ([2, 0], [1, 1]), ([4], [1])]
    return [tf.ones(a) + 2 * tf.ones(b) for a, b in shapes]


def prog_broadcasting_errors(tf, np):
    """Incompatible shapes."""
    pairs = [([2], [3]), ([2, 3], [3, 2]), ([0], [2])]
    return [attempt(lambda a=a, b=b, op=op: op(tf.zeros(a), tf.zeros(b)), words=9) for a, b in pairs for op in (operator.add, operator.lt)]


def prog_broadcasting_errors_in_graph(tf, np):
    """Shape rules complain while tracing."""
    with tf.Graph().as_default():
        x, y = tf.zeros([2, 3]), tf.ones([4])
        return [attempt(lambda op=op: op(x, y), words=10) for op in (operator.add, operator.mul, operator.lt, operator.matmul)]


def prog_comparisons(tf, np):
    """Comparison operators on floats with nan and on ints."""
    x, y = tf.constant([1.0, 2.0, np.nan]), tf.constant([1.0, 1.0, np.nan])
    return [op(x, y) for op in COMPARE] + [op(tf.constant([1, 2]), 2) for op in COMPARE] + [2 > tf.constant([1, 2])]


def prog_comparison_of_strings(tf, np):
    """Strings have == and != only."""
    x = tf.constant(["a", "b"])
    return [x == "a", x != ["a", "c"], attempt(lambda: x < "b", words=6), attempt(lambda: x >= x, words=6)]


def prog_comparison_of_bools_and_complex(tf, np):
    """Bools and complex numbers are not ordered."""
    b, c = tf.constant([True, False]), tf.constant([1 + 1j])
    return [b == True, b != False, c == c, c != 1, attempt(lambda: b < b, words=6), attempt(lambda: c > c, words=6)]  # noqa: E712


def prog_equality_with_odd_shapes(tf, np):
    """== of incompatible shapes is False as a whole."""
    x = tf.constant([1, 2])
    return [x == tf.constant([1, 2, 3]), x != tf.constant([1, 2, 3]), attempt(lambda: x == tf.constant([1.0, 2.0])), x == None, x == "x" if False else attempt(lambda: x == "x")]  # noqa: E711


def prog_logical_operators(tf, np):
    """&, |, ^, ~ on bools are logical."""
    a, b = tf.constant([True, True, False]), tf.constant([True, False, False])
    return [a & b, a | b, a ^ b, ~a, a & True, False | b, True ^ a, a & [True, False, True]]


def prog_bitwise_operators(tf, np):
    """On ints they are bitwise; floats are refused."""
    x, y = tf.constant([12, 10]), tf.constant([10, 3])
    return [x & y, x | y, x ^ y, ~x, x & 4, 7 ^ x, attempt(lambda: tf.constant([1.0]) & tf.constant([1.0])), attempt(lambda: ~tf.constant([1.0])), attempt(lambda: x & tf.constant([True, False]))]


def prog_shift_operators_do_not_exist(tf, np):
    """<< and >> are functions of tf.bitwise."""
    x = tf.constant([1, 2])
    return [attempt(lambda: x << 1), attempt(lambda: x >> 1), tf.bitwise.left_shift(x, [1, 2]), tf.bitwise.right_shift(x, 1), tf.bitwise.invert(x), tf.bitwise.bitwise_xor(x, 3)]


def prog_unary_operators(tf, np):
    """-, abs, + and ~."""
    x = tf.constant([-1.5, 2.0])
    return [-x, abs(x), attempt(lambda: +x), -tf.constant([1, -2]), abs(tf.constant([3 + 4j])), abs(tf.constant([-3], tf.int8)), attempt(lambda: -tf.constant("a"), words=4), attempt(lambda: -tf.constant(True), words=4)]


def prog_matmul_operator(tf, np):
    """@ with matrices, batches, lists; vectors are refused."""
    a, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0], [2.0]])
    return [
        a @ b,
        a @ [[1.0], [1.0]],
        [[1.0, 1.0]] @ a,
        tf.ones([2, 1, 3]) @ tf.ones([3, 2]),
        attempt(lambda: a @ tf.constant([1.0, 2.0]), words=3),
        attempt(lambda: a @ tf.ones([3, 1]), words=1),
        attempt(lambda: a @ 2.0, words=0),
    ]


def prog_string_concatenation(tf, np):
    """+ joins strings; other arithmetic is refused."""
    x = tf.constant(["a", "b"])
    return [x + "!", "<" + x, x + x, tf.constant("hello") + tf.constant(" world"), attempt(lambda: x - x, words=5), attempt(lambda: x * 2, words=5)]


def prog_bool_arithmetic(tf, np):
    """Arithmetic of bools is refused."""
    x = tf.constant([True, False])
    return [attempt(lambda op=op: op(x, x), words=6) for op in (operator.add, operator.mul, operator.sub)]


def prog_complex_arithmetic(tf, np):
    """Complex numbers: + - * / ** and their abs."""
    x, y = tf.constant([1 + 2j, 3 - 1j]), tf.constant([2 + 0j, 1j])
    return [x + y, x - y, x * y, x / y, x**2, abs(x), -x]


def prog_pow_variants(tf, np):
    """pow of floats, negative bases, fractional and zero exponents."""
    x = tf.constant([0.0, -2.0, 4.0, 9.0])
    return [x**0, x**0.5, x**-1, x**3.0, 0.5**x, pow(x, 2), tf.constant([3], tf.int64) ** 3, tf.constant([1.5], tf.float64) ** 2.5]


def prog_inplace_operators(tf, np):
    """+= rebinds and leaves the old tensor."""
    x = tf.constant([1.0, 2.0])
    y = x
    x += 1
    x *= 2
    x -= 0.5
    x /= 2
    x **= 2
    return [x, y]


def prog_item_assignment_is_refused(tf, np):
    """Tensors do not support item assignment or deletion."""
    x = tf.constant([1, 2])

    def assign():
        x[0] = 5

    def delete():
        del x[0]

    return [attempt(assign), attempt(delete)]


def prog_floor_and_mod_of_negative_floats(tf, np):
    """// and % of floats follow the divisor's sign."""
    x, y = tf.constant([5.5, -5.5, 5.5, -5.5]), tf.constant([2.0, 2.0, -2.0, -2.0])
    return [x // y, x % y, tf.math.floordiv(x, y), tf.math.floormod(x, y), tf.truncatediv(tf.constant([-7]), 2), tf.truncatemod(tf.constant([-7]), 2), tf.truncatemod(x, y)]


def prog_operators_with_variables(tf, np):
    """Variables take part on both sides."""
    v = tf.Variable([1.0, 2.0])
    x = tf.constant([3.0, 4.0])
    return [v + 1, 1 - v, v * x, x / v, v**2, -v, abs(v), v > 1, v == x, v @ [[1.0], [1.0]] if False else v[0], v // 2, v % 2]


def prog_operator_names_in_graph(tf, np):
    """Each operator names its op in its own way."""
    out = []

    @tf.function(autograph=False)
    def f(x):
        results = [op(x, 2.0) for op in BINARY] + [op(x, 2.0) for op in COMPARE] + [1.0 + x, 1.0 - x, -x, abs(x), x[0], x[0:1]]
        out.extend(r.name for r in results)
        return x

    f(tf.constant([1.0, 2.0]))
    return out


def prog_equality_in_plain_graph(tf, np):
    """In a tf.Graph outside functions == is identity."""
    with tf.Graph().as_default():
        x = tf.constant([1.0])
        y = tf.constant([1.0])
        return [x == x, x == y, x != y, type(x == 1.0).__name__, hash(x) == hash(x), {x: 1}[x]]


def prog_bitwise_names_in_graph(tf, np):
    """Logical and bitwise ops in a graph."""
    with tf.Graph().as_default() as g:
        b, i = tf.constant([True]), tf.constant([1])
        results = [b & b, b | b, b ^ b, ~b, i & i, i | 1, i ^ i, ~i]
        return [[r.name for r in results], [o.type for o in g.get_operations()]]


def prog_tensor_with_custom_object(tf, np):
    """A class with reflected operators wins when the tensor cannot convert it."""

    class Weird:
        def __radd__(self, other):
            return "radd"

        def __rmul__(self, other):
            return "rmul"

    x = tf.constant([1.0])
    return [attempt(lambda: x + Weird()), attempt(lambda: x * Weird()), attempt(lambda: x - Weird(), words=3)]


def prog_array_priority(tf, np):
    """np scalars and arrays on the left defer to the tensor."""
    x = tf.constant([1.0, 2.0])
    left = [np.float32(2), np.array([1.0, 2.0], np.float32), np.array(3.0, np.float32)]
    return [[v * x, v + x, v - x, v / x, v < x, v == x] for v in left]


def prog_none_operand(tf, np):
    """None and other objects as operands."""
    x = tf.constant([1.0])
    return [attempt(lambda: x + None, words=4), attempt(lambda: None * x, words=3), attempt(lambda: x + object(), words=3), attempt(lambda: x < None, words=4)]


def prog_divmod_and_round(tf, np):
    """Python protocols tensors do or do not have."""
    x = tf.constant([5.0, 7.0])
    return [attempt(lambda: divmod(x, 2), words=4), attempt(lambda: round(x), words=4), tf.round([0.5, 1.5, 2.5, -0.5]), attempt(lambda: x.__index__(), words=3)]

"""Values that an op refuses while tracing: the whole message, for arguments of fixed dtype, of another's, and lists."""

from __future__ import annotations

from tests.oracle.support import attempt

_CALLS = {
    "fixed_dtype": lambda tf, f, i: [
        lambda: tf.logical_not(1),
        lambda: tf.logical_not([[1]]),
        lambda: tf.logical_not(None),
        lambda: tf.logical_and(i, [0]),
        lambda: tf.reduce_all([1]),
        lambda: tf.strings.length(1.5),
        lambda: tf.strings.length([b"a", 1]),
        lambda: tf.strings.length([[1], [2, 3]]),
        lambda: tf.strings.substr("ab", "a", 1),
    ],
    "dtype_of_another_argument": lambda tf, f, i: [
        lambda: tf.add(f, "a"),
        lambda: tf.pow(i, "a"),
        lambda: tf.equal(f, "a"),
        lambda: tf.maximum(i, 1.5),
        lambda: i * 1.5,
        lambda: tf.where(True, f, "a"),
        lambda: tf.nn.relu(None),
    ],
    "lists": lambda tf, f, i: [
        lambda: tf.strings.join(["a", 2]),
        lambda: tf.strings.join([i, "a"]),
        lambda: tf.concat([[1], ["a"]], 0),
        lambda: tf.raw_ops.Pack(values=[f, None]),
        lambda: tf.raw_ops.AddN(inputs=[f, i, f]),
    ],
    "short_lists": lambda tf, f, i: [
        lambda: tf.raw_ops.Assert(condition=True, data=[]),
        lambda: tf.raw_ops.IdentityN(input=[]),
        lambda: tf.identity_n([]),
    ],
    "shapes_that_differ": lambda tf, f, i: [
        lambda: tf.strings.join([["a", "b"], ["a", "b", "c"]]),
        lambda: tf.strings.join(["x", ["a", "b"], [["a"]]]),
    ],
}


def _program(calls):
    def program(tf, np):
        found = []

        @tf.function(autograph=False)
        def f(number, integer):
            found.extend(attempt(call, words=12) for call in calls(tf, number, integer))
            return 0

        f.get_concrete_function(tf.TensorSpec([]), tf.TensorSpec([], tf.int32))
        return found

    return program


globals().update({f"prog_{name}": _program(calls) for name, calls in _CALLS.items()})


def prog_short_lists_at_once(tf, np):
    """The same in eager mode."""
    return [attempt(call, words=10) for call in _CALLS["short_lists"](tf, None, None)]

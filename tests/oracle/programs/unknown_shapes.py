"""Functions traced for unknown rank and for unknown length: static shapes of the results, then the values."""

from __future__ import annotations

from tests.oracle.programs.dtype_matrix import _ARRAYS
from tests.oracle.support import attempt

_LEFT_OUT = {"in_variable", "variable_assign_add", "unstack", "as_string"}


def _shapes(tf, result):
    return [getattr(part, "shape", None) for part in tf.nest.flatten(result)]


def _run(tf, function, dtype, shape):
    seen = []

    @tf.function(autograph=False, input_signature=[tf.TensorSpec(shape, dtype)])
    def f(x):
        result = function(tf, x)
        seen.append(_shapes(tf, result))
        return result

    return [attempt(lambda: f(tf.constant([1, 2, 3], dtype)), words=0), seen[:1]]


def _program(function, dtype):
    return lambda tf, np: [_run(tf, function, dtype, [None]), _run(tf, function, dtype, None)]


for _name, (_function, _taken, _refused) in _ARRAYS.items():
    _dtypes = [dtype for dtype in ("int32", "float32") if dtype in _taken.split()]
    if _name not in _LEFT_OUT and _dtypes:
        globals()[f"prog_{_name}"] = _program(_function, _dtypes[-1])

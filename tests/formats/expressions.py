"""Short expressions about protos whose answers are compared with TensorFlow's, one line each.

`answer(tf, expression)` evaluates one for either implementation and says what came as one line of text: a message as
protobuf prints it, an array with its dtype, or the class and message of the exception.
"""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
from google.protobuf import text_format

DTYPES = (
    "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64 complex128 "
    "experimental.float8_e5m2 experimental.float8_e4m3fn experimental.float8_e4m3fnuz experimental.float8_e4m3b11fnuz "
    "experimental.float8_e5m2fnuz experimental.float4_e2m1fn experimental.int4 experimental.uint4 experimental.int2 "
    "experimental.uint2"
).split()
VALUES = ("1", "[1]", "[1, 0, 1]", "[[1, 0], [0, 1]]", "[0, 0, 0]", "[]")

ENCODE = [f"make({value}, dtype=tf.dtypes.{dtype})" for dtype in DTYPES for value in VALUES]
ENCODE += [f"make(np.array({v}, dtype=tf.dtypes.{d}.as_numpy_dtype))" for d in DTYPES for v in VALUES[:3]]
ENCODE += """make(1.5)
make(1)
make(2**40)
make(2**31)
make(2**63)
make(2**64)
make(2**63, dtype=tf.uint64)
make(True)
make(False)
make([True, False])
make(np.array([True]))
make('é')
make(b'x')
make(b'')
make(['a', b'b'])
make([['a', 'b'], ['c', 'd']])
make('a', shape=[3])
make(np.array(['a', 'bc']))
make(np.array([b'a', 'é'], dtype=object))
make(np.array(b''))
make(np.array([1, 2], dtype=object))
make([], dtype=tf.string)
make(np.zeros((2, 0), object))
make(1 + 2j)
make(0j)
make([1 + 2j, 3])
make(np.array([1 + 2j, 3]))
make([1 + 2j, 3], dtype=tf.float32)
make([1, 2.5])
make([1, 'a'])
make([[1, 2], [3]])
make(None)
make([None])
make({})
make(tf.float32)
make([1, 2, 3, 4], shape=[2, 2])
make([1, 2, 3, 4], shape=[2, 3])
make([1, 2, 3, 4], shape=[3])
make([1, 2], shape=[4])
make(7, shape=[4])
make(7, shape=[])
make([7], shape=[])
make(7, shape=[2, 0])
make([], shape=[2, 0])
make(5, shape=np.array([2, 2]))
make(5, shape=(2,))
make(5, shape=3)
make(5, shape=[None])
make([1, 2], shape=[2, 1], verify_shape=True)
make([1, 2], shape=[2], verify_shape=True)
make(7, shape=[4], verify_shape=True)
make(7, shape=[4], verify_shape=True, allow_broadcast=True)
make(7, shape=[4], allow_broadcast=True)
make([1, 2], shape=[2, 2], allow_broadcast=True)
make([[1], [2]], shape=[2, 2], allow_broadcast=True)
make([1, 2, 3], 'float32', [3])
make(7.5, dtype=tf.int32)
make([1.5], dtype=tf.int32)
make('a', dtype=tf.int32)
make(1, dtype=tf.string)
make(1, dtype=tf.bool)
make(True, dtype=tf.float32)
make(np.nan, dtype=tf.int32)
make(np.float64(3), dtype=tf.float32)
make(np.array([1., 2.]), dtype=tf.int32)
make(np.array([1.5, 2.]), dtype=tf.float16)
make(300, dtype=tf.uint8)
make(-1, dtype=tf.uint8)
make(np.int64(300), dtype=tf.uint8)
make([1, 2], dtype='int64')
make([1, 2], dtype=np.float32)
make(1, dtype=tf.resource)
make(1, dtype=tf.variant)
make(tf.constant([1, 2]))
make(tf.constant(3.))
make([tf.constant(3.), 1.])
make(make(1.))
make(range(3))
make([np.array([1, 2]), np.array([3, 4])])
make(np.datetime64('2020-01-01'))
make(np.arange(6).reshape(2, 3).T)
make(np.zeros((0, 3), np.float32))
make([[]])
make([[], []], dtype=tf.int32)
make(float('nan'))
make(float('-inf'))
make(-0.0)
make(-0.0, dtype=tf.bfloat16)
make(1e40)
make(1e-46)
make([1.1, 2.2], dtype=tf.bfloat16)
make(1e5, dtype=tf.float16)
make((1, 2))
make((3,), dtype=tf.qint32)
make([(1,)], dtype=tf.qint8)
make([1], dtype=tf.qint8)
make(np.array([(1,), (2,)], dtype=tf.qint8.as_numpy_dtype))
make(np.array((1,), dtype=tf.quint16.as_numpy_dtype))""".splitlines()

DECODE = [
    f"tf.make_ndarray(tensor({text!r}))"
    for text in r"""dtype: DT_FLOAT tensor_shape { dim { size: 4 } } float_val: 1 float_val: 2
dtype: DT_FLOAT tensor_shape { dim { size: 4 } } float_val: 1
dtype: DT_FLOAT tensor_shape { dim { size: 4 } }
dtype: DT_FLOAT tensor_shape { }
dtype: DT_FLOAT float_val: 1
dtype: DT_FLOAT tensor_shape { unknown_rank: true } float_val: 1
dtype: DT_FLOAT tensor_shape { dim { size: 2 } } int_val: 1
dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 3 } } float_val: 1 float_val: 2 float_val: 3
dtype: DT_FLOAT tensor_shape { dim { size: 1 } } tensor_content: "\000\000\200?" float_val: 3
dtype: DT_INT32 tensor_shape { dim { size: 3 } } int_val: -1
dtype: DT_INT32 tensor_shape { dim { size: 0 } }
dtype: DT_UINT16 tensor_shape { dim { size: 3 } } int_val: 65535 int_val: 3
dtype: DT_INT64 tensor_shape { dim { size: 3 } } int64_val: -1 int64_val: 3
dtype: DT_UINT64 tensor_shape { dim { size: 3 } } uint64_val: 18446744073709551615
dtype: DT_UINT32 tensor_shape { dim { size: 3 } } uint32_val: 4294967295
dtype: DT_BOOL tensor_shape { dim { size: 3 } } bool_val: true bool_val: false
dtype: DT_BOOL tensor_shape { dim { size: 3 } } tensor_content: "\001\000\001"
dtype: DT_STRING tensor_shape { dim { size: 3 } } string_val: "a" string_val: "b"
dtype: DT_STRING tensor_shape { } string_val: "a"
dtype: DT_COMPLEX64 tensor_shape { dim { size: 3 } } scomplex_val: 1 scomplex_val: 2
dtype: DT_COMPLEX64 tensor_shape { dim { size: 3 } } scomplex_val: 1 scomplex_val: 2 scomplex_val: 3
dtype: DT_COMPLEX64 tensor_shape { dim { size: 3 } } scomplex_val: 1 scomplex_val: 2 scomplex_val: 3 scomplex_val: 4
dtype: DT_COMPLEX128 tensor_shape { } dcomplex_val: 1 dcomplex_val: 2
dtype: DT_COMPLEX64 tensor_shape { dim { size: 1 } } tensor_content: "\000\000\200?\000\000\000@"
dtype: DT_HALF tensor_shape { dim { size: 3 } } half_val: 15360 half_val: 16384
dtype: DT_BFLOAT16 tensor_shape { dim { size: 3 } } half_val: 16256 half_val: 16384
dtype: DT_FLOAT8_E5M2 tensor_shape { dim { size: 3 } } float8_val: "<@"
dtype: DT_FLOAT8_E5M2 tensor_shape { dim { size: 3 } } tensor_content: "<@B"
dtype: DT_FLOAT8_E4M3FNUZ tensor_shape { dim { size: 3 } } tensor_content: "<@B"
dtype: DT_FLOAT4_E2M1FN tensor_shape { dim { size: 3 } } float8_val: "\002"
dtype: DT_INT4 tensor_shape { dim { size: 3 } } int_val: 1 int_val: -2
dtype: DT_INT4 tensor_shape { dim { size: 3 } } tensor_content: "\001\002\017"
dtype: DT_UINT4 tensor_shape { dim { size: 3 } } int_val: 1 int_val: 2
dtype: DT_INT2 tensor_shape { dim { size: 3 } } int_val: 1
dtype: DT_QINT8 tensor_shape { dim { size: 3 } } int_val: 1 int_val: -2
dtype: DT_QUINT8 tensor_shape { dim { size: 3 } } tensor_content: "\001\002\377"
dtype: DT_QINT32 tensor_shape { dim { size: 3 } } int_val: 7
dtype: DT_QINT16 tensor_shape { dim { size: 2 } } tensor_content: "\001\002\003\004"
version_number: 3 dtype: DT_FLOAT tensor_shape { } float_val: 1
dtype: DT_FLOAT_REF tensor_shape { } float_val: 1
tensor_shape { } float_val: 1""".splitlines()
]

_CONST = (
    'node { name: "%s" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } '
    'attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } } '
)
_NEG = 'node { name: "%s" op: "Neg" input: "%s" attr { key: "T" value { type: DT_FLOAT } } } '
C, D = _CONST % "c", _CONST % "d"
A = 'node { name: "a" op: "AddV2" input: "c" input: "d" attr { key: "T" value { type: DT_FLOAT } } } '
P = 'node { name: "p" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } } '
M = 'node { name: "m" op: "MatMul" input: "p" input: "p" attr { key: "T" value { type: DT_FLOAT } } } '
K = (
    'node { name: "k" op: "Pack" input: "c" input: "d" attr { key: "T" value { type: DT_FLOAT } } '
    'attr { key: "N" value { i: 2 } } } '
)
SHAPES = 'attr { key: "_output_shapes" value { list { shape { dim { size: 2 } } } } } '

IMPORT = """load(C + D + A)
load(C + D + A, name='')
load(C + D + A, name='x')
load(C + D + A, name='x/')
load(C + D + A, scope='s')
load(C + D + A, scope='s', name='n')
load(C + D + A, scope='s', name='')
load(C + D + A, times=2)
load(C + D + A, times=2, name='')
load(C + D + A, return_elements=['a:0', 'a', 'c'])
load(C + D + A, return_elements=[b'a:0'])
load(C + D + A, return_elements=['zz'])
load(C + D + A, return_elements=['zz:0'])
load(C + D + A, return_elements=['a:3'])
load(C + D + A, return_elements=['a:b'])
load(C + D + A, return_elements=[1])
load(C + D + A, return_elements=[])
load(C + D + A, mapped={'c:0': 5.0})
load(C + D + A, mapped={'c': 5.0})
load(C + D + A, mapped={'c': 5.0}, name='')
load(C + D + A, mapped={'c': 5.0}, return_elements=['c:0', 'a:0'])
load(D + A, mapped={'c': 5.0})
load(C + D + A, mapped={'q:0': 5.0})
load(C + D + A, mapped={'c:0': 5})
load(C + D + A, input_map={'c': 5.0})
load(C + D + A, input_map={'c': 5.0}, name='')
load(C + D + A, input_map=[1])
load(C + D + A, input_map={1: 2})
load(D + A)
load(C + D + A.replace('"c"', '"c:1"'))
load(C + D + A.replace('"c"', '"c:x"'))
load(C + D + A.replace('input: "d"', 'input: "d" input: "^c"'))
load(C + D + A.replace('input: "c"', 'input: "^c" input: "c"'))
load(C + D + A.replace('input: "d"', 'input: "d" input: "^zz"'))
load(A + D + C)
load(NEG % ('n0', 'n2') + CONST % 'n1' + CONST % 'n2' + CONST % 'n3' + NEG % ('n4', 'n9') + NEG % ('n9', 'n3'))
load(NEG % ('a', 'b') + NEG % ('b', 'a'))
load(C + C)
load(C.replace('attr {', 'attr { key: "foo" value { i: 3 } } attr {', 1))
load(C.replace('attr {', 'attr { key: "_foo" value { list { s: "a" } } } attr {', 1))
load(C.replace('{ type: DT_FLOAT }', '{ i: 1 }', 1))
load('node { name: "q" op: "Placeholder" }')
load(C + D + A.replace('DT_FLOAT', 'DT_INT32'))
load(P + M)
load(C + M.replace('"p"', '"c"'))
load(P.replace('attr {', SHAPES + 'attr {', 1))
load(C.replace('attr {', SHAPES + 'attr {', 1))
load(C.replace('op: "Const"', 'op: "Const" device: "/cpu:0"'))
load(C + D + K)
load(C, name='%%')
load(C + 'versions { producer: 99999 }')
load(C + 'versions { producer: 21 }')
load(C + 'versions { min_consumer: 99999 }')
load(C + 'versions { bad_consumers: 2474 }')
load(C.replace('"c"', '"_c"'))
load(C.replace('"c"', '"c d"'))
load(C + D.replace('attr {', 'attr { key: "_class" value { list { s: "loc:@c" } } } attr {', 1))
load(D.replace('attr {', 'attr { key: "_class" value { list { s: "loc:@zz" } } } attr {', 1))
load('')
tf.import_graph_def(3)
tf.import_graph_def(None)""".splitlines()

ALL = {"encode": ENCODE, "decode": DECODE, "import": IMPORT}


class _Namespace:
    """What the expressions may use, for one implementation."""

    def __init__(self, tf: Any) -> None:
        self.tf = tf
        self.names = {"tf": tf, "np": np, "make": tf.make_tensor_proto, "tensor": self.tensor, "load": self.load}
        self.names |= {"A": A, "C": C, "D": D, "K": K, "M": M, "P": P, "CONST": _CONST, "NEG": _NEG, "SHAPES": SHAPES}

    def tensor(self, text: str) -> Any:
        return text_format.Parse(text, type(self.tf.make_tensor_proto(0))())

    def load(self, text: str, scope: str | None = None, times: int = 1, mapped: Any = None, **arguments: Any) -> str:
        """Imports a graph into a new one; the nodes of that, and what was returned."""
        tf = self.tf
        graph_def = text_format.Parse(text, tf.compat.v1.GraphDef())
        graph = tf.Graph()
        with graph.as_default(), contextlib.ExitStack() as stack:
            if mapped is not None:
                arguments["input_map"] = {key: tf.constant(value, name="given") for key, value in mapped.items()}
            if scope is not None:
                stack.enter_context(tf.name_scope(scope))
            for _ in range(times):
                result = tf.import_graph_def(graph_def, **arguments)
        return f"{result} {text_format.MessageToString(graph.as_graph_def(add_shapes=True), as_one_line=True)}"


def answer(tf: Any, expression: str) -> str:
    """What an expression gives, as one line."""
    try:
        result = eval(expression, _Namespace(tf).names)
    except Exception as error:
        return f"{type(error).__name__}: {error}".replace("\n", "\\n").strip()
    if hasattr(result, "DESCRIPTOR"):
        result = text_format.MessageToString(result, as_one_line=True)
    elif isinstance(result, np.ndarray):
        result = f"{result.dtype} {result.shape} {result.tolist()!r}"
    return str(result).strip()

"""The sets of dtypes that ops accept, in the order of TensorFlow's error messages.

An op's declaration names one of these sets, `T=NUMERIC`; the order shows in the error for another dtype.

Tests: tests/contracts/test_every_op.py
"""

from __future__ import annotations

from millrace._src.core import dtypes as d
from millrace._src.core.op_signature import TypeList, TypeSet

FLOAT = TypeSet((d.bfloat16, d.float16, d.float32, d.float64))
COMPLEX = TypeSet((d.complex64, d.complex128))
FLOAT8 = TypeSet((d.float8_e5m2, d.float8_e4m3fn))
UNSIGNED = TypeSet((d.uint8, d.uint16, d.uint32, d.uint64))
SIGNED_INTEGER = TypeSet((d.int8, d.int16, d.int32, d.int64))
INTEGER = TypeSet((*UNSIGNED, *SIGNED_INTEGER))
BOOL = TypeSet((d.bool,))
STRING = TypeSet((d.string,))
INDEX = TypeSet((d.int32, d.int64))
REAL = TypeSet((*FLOAT, *INTEGER))
"""The floating point and the integer dtypes."""
NUMERIC = TypeSet((*FLOAT, *INTEGER, *COMPLEX))
"""The floating point, integer and complex dtypes."""
QUANTIZED = TypeSet((d.qint8, d.quint8, d.qint16, d.quint16, d.qint32))
SMALL_INTEGER = TypeSet((d.int4, d.uint4))
FLOAT_COMPLEX = TypeSet((*FLOAT, *COMPLEX))
PLAIN = TypeSet((*NUMERIC, *BOOL, *STRING, *FLOAT8, *SMALL_INTEGER, *QUANTIZED))
"""The dtypes that hold plain values: no handles, no variants."""
ANY = TypeSet((*PLAIN, d.resource, d.variant, *d.ALL_DTYPES))
"""Every dtype."""

__all__ = [
    "ANY",
    "BOOL",
    "COMPLEX",
    "FLOAT",
    "FLOAT8",
    "FLOAT_COMPLEX",
    "INDEX",
    "INTEGER",
    "NUMERIC",
    "PLAIN",
    "QUANTIZED",
    "REAL",
    "SIGNED_INTEGER",
    "SMALL_INTEGER",
    "STRING",
    "UNSIGNED",
    "TypeList",
    "TypeSet",
]

"""The element types that TensorFlow's math ops accept, in the order of TensorFlow's messages.

An op's error says "... not in the list of allowed values: bfloat16, half, ...". The lists differ between ops in
membership and in order, and both are part of an op's wire declaration. So each common list is written here once, under
a name that says what the list holds.
"""

from __future__ import annotations

from millrace._src.core.dtypes import (
    bfloat16,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    qint8,
    qint16,
    qint32,
    quint8,
    quint16,
    uint8,
    uint16,
    uint32,
    uint64,
)
from millrace._src.core.op_signature import TypeSet

COMPLEX = TypeSet([complex64, complex128])
SINGLE_DOUBLE = TypeSet([float32, float64])
FLOAT = TypeSet([bfloat16, float16, float32, float64])
FLOAT_COMPLEX = FLOAT | COMPLEX
SIGNED_REAL = FLOAT | TypeSet([int8, int16, int32, int64])
SIGNED = SIGNED_REAL | COMPLEX
UNSIGNED = TypeSet([uint8, uint16, uint32, uint64])
INTEGER = TypeSet([int8, int16, int32, int64, uint8, uint16, uint32, uint64])
INDEX = TypeSet([int32, int64], default=int32)
INDEX_NO_DEFAULT = TypeSet([int32, int64])

REAL = TypeSet([float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64])
"""Ordered numbers: the element types of comparisons, maxima and minima."""
QUANTIZED = TypeSet([qint8, quint8, qint32, qint16, quint16])
NUMBER = TypeSet(
    [
        *(float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32),
        *(bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64),
    ]
)
"""All numbers: the element types of sums, products and scans."""
ARITHMETIC = TypeSet(
    [
        *(bfloat16, float16, float32, float64, uint8, int8, uint16, int16, int32, uint32, uint64, int64),
        *(complex64, complex128),
    ]
)
"""The element types of the binary arithmetic ops."""

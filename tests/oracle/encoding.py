"""Values as JSON, and their comparison.

Every object a program may return has one tagged JSON form, the same for TensorFlow's object and for millrace's:
`{"tensor": "float32[2]", "data": [1.0, 2.0]}`. Numbers of floating dtypes are compared within the tolerance of their
dtype, all else exactly; exceptions by class and by leading words.
"""

from __future__ import annotations

import base64
import builtins
import re
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tests.oracle.support import Approx, Leading, Raised, normalise

_INLINE_ELEMENTS = 100
_OP_SUFFIX = re.compile(r"\s*\[Op:\w+\](?: name:.*)?$", re.DOTALL)
_TOLERANCE = {
    "float16": (2e-3, 1e-3),
    "bfloat16": (1.6e-2, 1e-2),
    "float32": (3e-5, 3e-6),
    "float64": (1e-9, 1e-11),
    "complex64": (3e-5, 3e-6),
    "complex128": (1e-9, 1e-11),
    "half": (2e-3, 1e-3),
}


class Encoder:
    """Encodes values of one `tf` namespace."""

    def __init__(self, tf: Any) -> None:
        self._tf = tf
        self._public_errors = {name for name in dir(tf.errors) if isinstance(getattr(tf.errors, name), type)}

    def encode(self, value: Any) -> Any:
        """Returns the JSON form of `value`."""
        for rule in (self._plain, self._helpers, self._tensors, self._vocabulary, self._containers):
            found = rule(value)
            if found is not NotImplemented:
                return found
        return {"object": type(value).__name__, "str": normalise(str(value))}

    def encode_exception(self, error: BaseException, words: int = 5) -> dict[str, Any]:
        """Returns class, public ancestors and message of an exception."""
        text = normalise(str(getattr(error, "message", None) or error))
        ancestors = [
            kind.__name__
            for kind in type(error).__mro__[1:]
            if kind.__name__ in self._public_errors or hasattr(builtins, kind.__name__)
        ]
        return {"raised": type(error).__name__, "mro": ancestors, "words": words, "message": text}

    def _plain(self, value: Any) -> Any:
        if value is None or isinstance(value, (bool, str)) or type(value) in (int, float):
            return normalise(value) if isinstance(value, str) else value
        if isinstance(value, complex) and not isinstance(value, np.generic):
            return {"complex": [value.real, value.imag]}
        if isinstance(value, (bytes, bytearray)):
            return {"bytes": value.decode("latin-1")}
        if value is Ellipsis:
            return {"ellipsis": True}
        if isinstance(value, slice):
            return {"slice": [self.encode(part) for part in (value.start, value.stop, value.step)]}
        return NotImplemented

    def _helpers(self, value: Any) -> Any:
        if isinstance(value, Raised):
            return self.encode_exception(value.error, value.words)
        if isinstance(value, BaseException):
            return self.encode_exception(value)
        if isinstance(value, Leading):
            return {"leading": normalise(value.text), "words": value.words}
        if isinstance(value, Approx):
            return {"approx": self.encode(value.value), "rtol": value.rtol, "atol": value.atol}
        return NotImplemented

    def _tensors(self, value: Any) -> Any:
        tf = self._tf
        if isinstance(value, tf.Variable):
            form = {"variable": value.name, "dtype": value.dtype.name, "shape": self.encode(value.shape)}
            form["trainable"] = value.trainable
            if tf.executing_eagerly():
                form["value"] = _encode_array("tensor", value.numpy(), value.dtype.base_dtype.name)
            return form
        if isinstance(value, tf.IndexedSlices):
            parts = (value.values, value.indices, value.dense_shape)
            return {"indexed_slices": [self.encode(part) for part in parts]}
        ragged = getattr(tf, "RaggedTensor", None)
        if isinstance(ragged, type) and isinstance(value, ragged):
            return {"ragged": [self.encode(value.flat_values), *map(self.encode, value.nested_row_splits)]}
        sparse = getattr(tf, "SparseTensor", None)
        if isinstance(sparse, type) and isinstance(value, sparse):
            return {"sparse": [self.encode(part) for part in (value.indices, value.values, value.dense_shape)]}
        if isinstance(value, tf.Tensor):
            if not hasattr(value, "numpy"):
                return {"symbolic": normalise(value.name), "dtype": value.dtype.name, "shape": self.encode(value.shape)}
            return _encode_array("tensor", value.numpy(), value.dtype.name)
        if isinstance(value, np.ndarray):
            return _encode_array("ndarray", value, str(value.dtype))
        if isinstance(value, np.generic):
            return _encode_array("scalar", np.asarray(value), str(value.dtype))
        return NotImplemented

    def _vocabulary(self, value: Any) -> Any:
        tf = self._tf
        if isinstance(value, tf.TensorShape):
            return {"TensorShape": None if value.rank is None else value.as_list()}
        if isinstance(value, tf.DType):
            return {"DType": value.name}
        if isinstance(value, tf.TypeSpec):
            return {"TypeSpec": normalise(repr(value))}
        if isinstance(value, tf.Operation):
            return {"operation": value.name, "type": value.type}
        if isinstance(value, np.dtype):
            return {"np.dtype": str(value)}
        if isinstance(value, type):
            return {"class": value.__name__}
        return NotImplemented

    def _containers(self, value: Any) -> Any:
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return {"namedtuple": type(value).__name__, "fields": [self.encode(part) for part in value]}
        if isinstance(value, tuple):
            return {"tuple": [self.encode(part) for part in value]}
        if isinstance(value, list):
            return [self.encode(part) for part in value]
        if isinstance(value, (set, frozenset)):
            return {"set": sorted((self.encode(part) for part in value), key=str)}
        if isinstance(value, Mapping):
            kind = {OrderedDict: "OrderedDict", defaultdict: "defaultdict"}.get(type(value), "dict")
            if kind == "dict" and all(isinstance(key, str) for key in value):
                return {"dict": {key: self.encode(part) for key, part in value.items()}}
            return {kind: [[self.encode(key), self.encode(part)] for key, part in value.items()]}
        return NotImplemented


def _encode_array(tag: str, array: Any, dtype: str) -> dict[str, Any]:
    """Returns `{tag: "dtype[shape]", "data": ...}`; `data` is a list when small, base64 of the bytes when large."""
    array = np.asarray(array)
    form: dict[str, Any] = {tag: dtype + str(list(array.shape)).replace(" ", "")}
    if array.size > _INLINE_ELEMENTS and array.dtype != object:
        form["base64"] = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
        return form
    form["data"] = _scalars(array.reshape(-1))
    return form


def _scalars(array: Any) -> list[Any]:
    if array.dtype == object or array.dtype.kind in "SU":
        return [part.decode("latin-1") if isinstance(part, bytes) else str(part) for part in array.tolist()]
    if array.dtype.kind == "c":
        return [[part.real, part.imag] for part in array.tolist()]
    if array.dtype == np.float32:
        return [float(str(part)) for part in array]
    if array.dtype.kind in "fbiu":
        return array.tolist()  # type: ignore[no-any-return]
    wide = array.astype(np.float64)
    return [int(part) if "int" in str(array.dtype) else float(part) for part in wide]


def differences(expected: Any, actual: Any, where: str = "result", tolerance: Any = None) -> Iterator[str]:
    """Yields one line for each position where `actual` is not what `expected` asks for."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        yield from _dict_differences(expected, actual, where, tolerance)
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            yield f"{where}: expected {len(expected)} items, got {len(actual)}: {_short(actual)}"
        for index, (left, right) in enumerate(zip(expected, actual, strict=False)):
            yield from differences(left, right, f"{where}[{index}]", tolerance)
    elif type(expected) is float and type(actual) is float:
        if not np.isclose(expected, actual, *(tolerance or _TOLERANCE["float64"]), equal_nan=True):
            yield f"{where}: expected {expected!r}, got {actual!r}"
    elif isinstance(expected, str) and isinstance(actual, str) and expected != actual:
        yield f"{where}: {_text_difference(expected, actual)}"
    elif type(expected) is not type(actual) or expected != actual:
        yield f"{where}: expected {_short(expected)}, got {_short(actual)}"


def _dict_differences(expected: Any, actual: Any, where: str, tolerance: Any) -> Iterator[str]:
    for tag in ("tensor", "ndarray", "scalar"):
        if tag in expected and tag in actual:
            yield from _array_differences(tag, expected, actual, where, tolerance)
            return
    if "raised" in expected:
        yield from _exception_differences(expected, actual, where)
    elif "leading" in expected and "leading" in actual:
        want, got = (_leading(form["leading"], expected["words"]) for form in (expected, actual))
        if want != got:
            yield f"{where}: expected text to start with {want!r}, got {got!r}"
    elif "approx" in expected and "approx" in actual:
        tolerance = (expected["rtol"], expected["atol"])
        yield from differences(expected["approx"], actual["approx"], where, tolerance)
    elif list(expected) != list(actual):
        yield f"{where}: expected {_short(expected)}, got {_short(actual)}"
    else:
        for key in expected:
            yield from differences(expected[key], actual[key], f"{where}.{key}", tolerance)


def _array_differences(tag: str, expected: Any, actual: Any, where: str, tolerance: Any) -> Iterator[str]:
    if expected[tag] != actual[tag]:
        yield f"{where}: expected {tag} {_short(expected)}, got {_short(actual)}"
        return
    dtype = expected[tag].split("[")[0]
    tolerance = tolerance or _TOLERANCE.get(dtype)
    left, right = (_numbers(form, dtype) for form in (expected, actual))
    if tolerance is None or left.dtype == object:
        equal = left.tolist() == right.tolist()
    else:
        equal = np.allclose(right, left, *tolerance, equal_nan=True)
    if not equal:
        yield f"{where}: expected {_short(expected)}, got {_short(actual)}"


def _numbers(form: Any, dtype: str) -> Any:
    if "base64" in form:
        raw = base64.b64decode(form["base64"])
        if dtype == "bfloat16":
            return (np.frombuffer(raw, np.uint16).astype(np.uint32) << 16).view(np.float32)
        return np.frombuffer(raw, dtype)
    kind = np.complex128 if "complex" in dtype else np.float64 if dtype in _TOLERANCE else object
    data = [complex(*pair) for pair in form["data"]] if "complex" in dtype else form["data"]
    return np.array(data, kind)


def _exception_differences(expected: Any, actual: Any, where: str) -> Iterator[str]:
    if "raised" not in actual:
        yield f"{where}: expected {expected['raised']}: {expected['message'][:120]!r}, got {_short(actual)}"
        return
    if expected["raised"] != actual["raised"]:
        yield (
            f"{where}: expected {expected['raised']}: {expected['message'][:120]!r}, "
            f"got {actual['raised']}: {actual['message'][:160]!r}"
        )
        return
    if expected["mro"] != actual["mro"]:
        yield f"{where}: expected the ancestors {expected['mro']}, got {actual['mro']}"
    words = expected["words"] + 3 * expected["message"].startswith("Graph execution error: ")
    want, got = (_leading(form["message"], words) for form in (expected, actual))
    if want != got:
        yield f"{where}: {expected['raised']} should start with {want!r}, got {actual['message'][:160]!r}"


def _leading(text: str, words: int) -> str:
    return " ".join(_OP_SUFFIX.sub("", text).split()[:words])


def _text_difference(expected: str, actual: str) -> str:
    """Shows both texts from a little before the position where they part."""
    if max(len(expected), len(actual)) < 200:
        return f"expected {expected!r}, got {actual!r}"
    pairs = enumerate(zip(expected, actual, strict=False))
    parted = next((index for index, (left, right) in pairs if left != right), min(len(expected), len(actual)))
    start = max(0, parted - 80)
    return f"from character {start}: expected {expected[start : start + 240]!r}, got {actual[start : start + 240]!r}"


def _short(form: Any) -> str:
    text = str(form)
    return text if len(text) < 300 else text[:300] + "..."

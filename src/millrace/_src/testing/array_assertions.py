"""Comparing tensors, arrays and structures of them: the numeric assertions of `tf.test.TestCase`.

A test that fails must say where and by how much, without a debugger. So a comparison first finds the elements that
differ, puts their indices, values and tolerances into the message, and lets NumPy's own assertion add the rest.
Structures are compared leaf by leaf; the path to the leaf, `a[weights][0]`, stands in the message.
"""

from __future__ import annotations

import unittest
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from millrace._src.core.dtypes import as_dtype
from millrace._src.core.tensor import Tensor
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor, is_ragged
from millrace._src.testing.evaluation import evaluate, is_evaluated, value_of

_SHOWN = 10
"""How many elements out of range a message lists."""


class Tolerance(NamedTuple):
    """How far numbers may be apart: `absolute + relative * abs(second)`."""

    relative: float
    absolute: float


class ArrayAssertions(unittest.TestCase):
    """The assertions about values of tensors and arrays."""

    # --- close --------------------------------------------------------------------------------------------------------

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None) -> None:
        """Fails unless two structures have close values: `|a - b| <= atol + rtol * |b|`.

        Args:
          a: A tensor, an array, a number, or a nested structure of them.
          b: The same, of the same structure.
          rtol: The relative tolerance.
          atol: The absolute tolerance.
          msg: What to say besides when the values differ.

        Raises:
          ValueError: if only one of two parts is a dictionary.
          TypeError: if a leaf holds no numbers.
        """
        self._compare_structures(a, b, Tolerance(rtol, atol), "", msg or "")

    def assertAllCloseAccordingToType(
        self,
        a: object,
        b: object,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: object = None,
    ) -> None:
        """Fails unless two values are close, with the tolerance of the less precise of their dtypes.

        Args:
          a: A tensor, an array or a number.
          b: The same.
          rtol: The relative tolerance of float64, and the least of all.
          atol: The absolute tolerance of float64, and the least of all.
          float_rtol: The relative tolerance of float32 and complex64.
          float_atol: The absolute tolerance of float32 and complex64.
          half_rtol: The relative tolerance of float16.
          half_atol: The absolute tolerance of float16.
          bfloat16_rtol: The relative tolerance of bfloat16.
          bfloat16_atol: The absolute tolerance of bfloat16.
          msg: What to say besides when the values differ.
        """
        left, right = self._evaluate(a, b)
        dtypes = {_as_array(left).dtype, _as_array(right).dtype}
        for dtype, relative, absolute in (
            (np.float32, float_rtol, float_atol),
            (np.complex64, float_rtol, float_atol),
            (np.float16, half_rtol, half_atol),
            (ml_dtypes.bfloat16, bfloat16_rtol, bfloat16_atol),
        ):
            if np.dtype(dtype) in dtypes:
                rtol, atol = max(rtol, relative), max(atol, absolute)
        self.assertAllClose(left, right, rtol, atol, msg)

    def assertNotAllClose(
        self, a: object, b: object, rtol: float = 1e-6, atol: float = 1e-6, msg: object = None
    ) -> None:
        """Fails if all values of two structures are close; arguments are as for `assertAllClose`."""
        try:
            self.assertAllClose(a, b, rtol=rtol, atol=atol)
        except AssertionError:
            return
        raise AssertionError(f"The two values are close at all elements. {msg or ''}")

    def _compare_structures(self, a: Any, b: Any, tolerance: Tolerance, path: str, msg: str) -> None:
        """Compares two structures leaf by leaf; `path` leads to them."""
        a, b = _fields(_as_lists(a)), _fields(_as_lists(b))
        if isinstance(a, Mapping) != isinstance(b, Mapping):
            raise ValueError(f"Can't compare dict to non-dict, a{path} vs b{path}. {msg}")
        if isinstance(a, Mapping):
            told = f"mismatched keys: a{path} has keys {a.keys()}, but b{path} has keys {b.keys()}. {msg}"
            self.assertCountEqual(a.keys(), b.keys(), told)
            for key in a:
                self._compare_structures(a[key], b[key], tolerance, f"{path}[{key}]", msg)
        elif _has_parts(a) and _has_parts(b):
            self._compare_shapes(np.empty(len(a)), np.empty(len(b)), f"with contents {_as_text(b)}.")
            for index, (left, right) in enumerate(zip(a, b)):
                self._compare_structures(left, right, tolerance, f"{path}[{index}]", msg)
        else:
            left, right = self._evaluate(a, b)
            self._compare_arrays(_as_array(left), _as_array(right), tolerance, path, msg)

    def _compare_arrays(self, a: Any, b: Any, tolerance: Tolerance, path: str, msg: str) -> None:
        self._compare_shapes(a, b, f"with contents {b}.")
        for side, array in (("a", a), ("b", b)):
            if not _is_numeric(array):
                raise TypeError(
                    f"assertAllClose compares numbers, and {side}{path} has the dtype {array.dtype}: {array!r}. "
                    "Use assertAllEqual for other values."
                )
        dtype, (a, b) = a.dtype, (_comparable(array) for array in (a, b))
        rtol, atol = tolerance
        with np.errstate(all="ignore"):
            if np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True):
                return
            difference, allowed = np.abs(a - b), atol + rtol * np.abs(b)
            far = (difference > allowed) | (np.isnan(a) != np.isnan(b))
        lines = [f"Mismatched value: a{path} is different from b{path}. {msg}"]
        lines += _elements("not close", far, str, lhs=a, rhs=b, dif=difference, tol=allowed)
        lines.append(f"dtype = {dtype}, shape = {a.shape}")
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg="\n".join(lines), equal_nan=True)

    def _compare_shapes(self, a: Any, b: Any, contents: str) -> None:
        self.assertEqual(a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape} {contents}")

    # --- equal --------------------------------------------------------------------------------------------------------

    def assertAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Fails unless two tensors or arrays have the same shape and values; NaN equals NaN, "x" equals b"x".

        Ragged tensors are compared as nested lists.

        Args:
          a: A tensor, an array, or a list that makes one.
          b: The same.
          msg: What to say besides when the values differ.
        """
        if is_ragged(a) or is_ragged(b):
            self._compare_ragged(a, b, msg)
            return
        a, b = (_as_array(value) for value in self._evaluate(a, b))
        text = f"Shape mismatch: expected {a.shape}, got {b.shape}. Contents: {b!r}. \n{msg or ''}."
        self.assertEqual(a.shape, b.shape, text)
        left, right = _as_bytes(a), _as_bytes(b)
        with np.errstate(all="ignore"):
            differs = np.asarray(left != right)
            if _is_numeric(left) and _is_numeric(right):
                differs &= ~(np.isnan(_comparable(left)) & np.isnan(_comparable(right)))
        if differs.any():
            lines = [msg or "", *_elements("not equal", differs, repr, lhs=a, rhs=b)]
            np.testing.assert_array_equal(left, right, err_msg="\n".join(lines))

    def _compare_ragged(self, a: Any, b: Any, msg: object) -> None:
        """Compares two values of which at least one is ragged; the other may be a nested list."""
        self.assertEqual(_as_nested_list(a), _as_nested_list(b), msg)
        if not isinstance(a, (list, tuple)) and not isinstance(b, (list, tuple)):
            first_rank, second_rank = (value.ragged_rank if is_ragged(value) else 0 for value in (a, b))
            self.assertEqual(first_rank, second_rank, msg)

    def assertNotAllEqual(self, a: object, b: object, msg: object = None) -> None:
        """Fails if two tensors or arrays are equal; arguments are as for `assertAllEqual`."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(f"The two values are equal at all elements. {msg or ''}")

    # --- near ---------------------------------------------------------------------------------------------------------

    def assertNear(self, f1: Any, f2: Any, err: Any, msg: object = None) -> None:
        """Fails unless two numbers are at most `err` apart.

        Args:
          f1: A number.
          f2: A number.
          err: How far apart they may be.
          msg: What to say besides when they are farther apart.
        """
        more = f" ({msg})" if msg is not None else ""
        text = f"{f1:f} != {f2:f} +/- {err:f} (difference: {abs(f1 - f2):g}){more}"
        self.assertTrue(bool(f1 == f2 or abs(f1 - f2) <= err), text)

    def assertArrayNear(self, farray1: Any, farray2: Any, err: object, msg: Any = None) -> None:
        """Fails unless two sequences of numbers are element by element at most `err` apart."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for first, second in zip(farray1, farray2):
            self.assertNear(float(first), float(second), err, msg)

    def assertNDArrayNear(self, ndarray1: object, ndarray2: object, err: Any, msg: Any = None) -> None:
        """Fails unless the difference of two arrays has a norm below `err`."""
        first, second = (_as_array(value) for value in self._evaluate(ndarray1, ndarray2))
        self.assertTrue(np.linalg.norm(first - second) < err, msg)

    # --- bounds -------------------------------------------------------------------------------------------------------

    def assertAllGreater(self, a: object, comparison_target: object) -> None:
        """Fails unless every element is greater than a number."""
        self.assertGreater(np.min(self._array(a)), comparison_target)

    def assertAllLess(self, a: object, comparison_target: object) -> None:
        """Fails unless every element is less than a number."""
        self.assertLess(np.max(self._array(a)), comparison_target)

    def assertAllGreaterEqual(self, a: object, comparison_target: object) -> None:
        """Fails unless every element is a number or greater."""
        self.assertGreaterEqual(np.min(self._array(a)), comparison_target)

    def assertAllLessEqual(self, a: object, comparison_target: object) -> None:
        """Fails unless every element is a number or less."""
        self.assertLessEqual(np.max(self._array(a)), comparison_target)

    def assertAllInRange(
        self,
        target: object,
        lower_bound: object,
        upper_bound: object,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Fails unless every element lies between two bounds.

        Args:
          target: A tensor or array of numbers.
          lower_bound: The least value.
          upper_bound: The greatest value.
          open_lower_bound: Whether the least value itself is out of range.
          open_upper_bound: Whether the greatest value itself is out of range.
        """
        array = self._array(target)
        if not np.issubdtype(array.dtype, np.number) and array.dtype != ml_dtypes.bfloat16 or array.dtype.kind == "c":
            raise AssertionError(
                f"The value of {target} does not have an ordered numeric type, instead it has type: {array.dtype}"
            )
        self._refuse_elements(array, np.isnan(array), "are NaN. Subscripts(s) and value(s) of the NaN element(s)")
        below = array <= lower_bound if open_lower_bound else array < lower_bound
        above = array >= upper_bound if open_upper_bound else array > upper_bound
        extent = f"{'(['[not open_lower_bound]}{lower_bound}, {upper_bound}{')]'[not open_upper_bound]}"
        text = f"are outside the range {extent}. Subscript(s) and value(s) of the offending elements"
        self._refuse_elements(array, below | above, text)

    def _refuse_elements(self, array: Any, refused: Any, text: str) -> None:
        """Fails if there are elements that are refused, and lists the first of them."""
        indices = np.argwhere(refused)
        if not len(indices):
            return
        lines = [f"  {index} : {array[tuple(index)]}" for index in indices[:_SHOWN]]
        lines += ["  ..."] if len(indices) > _SHOWN else []
        raise AssertionError(f"{len(indices)} of the {array.size} element(s) {text}:\n" + "\n".join(lines))

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Fails unless every element is one of a set.

        Args:
          target: A tensor or array.
          expected_set: The values it may have: a set, list or tuple.
        """
        array, expected = self._array(target), [*expected_set]
        others = np.setdiff1d(array, expected)
        if others.size:
            raise AssertionError(f"{others.size} unique element(s) are not in the set {expected_set}: {others}")

    # --- shapes and dtypes --------------------------------------------------------------------------------------------

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: object = None) -> None:
        """Fails unless two tensors or arrays have the same shape.

        Raises: TypeError: if one of them is neither.
        """
        for name, value in (("input_a", input_a), ("input_b", input_b)):
            if not isinstance(value, (np.ndarray, np.generic, Tensor)):
                raise TypeError(
                    f"{name} must be a Numpy ndarray, Numpy scalar, or a Tensor.Instead received {type(value)}"
                )
        first, second = (v.shape.as_list() if isinstance(v, Tensor) else list(v.shape) for v in (input_a, input_b))
        self.assertAllEqual(first, second, msg)

    def assertDTypeEqual(self, target: object, expected_dtype: object) -> None:
        """Fails unless a tensor, an array, or what makes one, has a dtype."""
        found = self._array(target).dtype
        if as_dtype(found) != as_dtype(expected_dtype):
            raise self.failureException(f"{found!r} != {expected_dtype!r}")

    # --- values -------------------------------------------------------------------------------------------------------

    def _array(self, value: object) -> Any:
        """Returns the value of a tensor, or what makes one, as an array."""
        (found,) = self._evaluate(value)
        return _as_array(found)

    def _evaluate(self, *values: object) -> list[Any]:
        """Returns values in which tensors are arrays; those of a graph are evaluated together."""
        return [value_of(value) if is_evaluated(value) else value for value in values]


def _as_lists(value: Any) -> Any:
    """Returns a ragged tensor or its value as nested lists; other values as they are."""
    if isinstance(value, RaggedTensor):
        value = evaluate(value)
    return value.to_list() if is_ragged(value) else value


def _as_nested_list(value: object) -> Any:
    """Returns a ragged tensor, a tensor, an array, or lists and tuples of values as nested lists."""
    if isinstance(value, (list, tuple)):
        return [_as_nested_list(part) for part in value]
    if is_evaluated(value):
        value = value_of(value)
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else _as_lists(value)


def _fields(value: object) -> Any:
    """Returns a dictionary of the fields of a named tuple or attrs object; other values as they are."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return dict(zip(value._fields, value))
    attributes = getattr(type(value), "__attrs_attrs__", None)
    return {a.name: getattr(value, a.name) for a in attributes} if attributes is not None else value


def _has_parts(value: object) -> bool:
    """Returns whether a list or tuple holds other structures, or rows of several lengths, and is compared by parts."""
    if not isinstance(value, (list, tuple)):
        return False
    if any(isinstance(_fields(part), Mapping) or _has_parts(part) for part in value):
        return True
    try:
        np.array([_as_array(value_of(part)) if is_evaluated(part) else part for part in value])
    except ValueError:
        return True
    return False


def _as_text(value: Any) -> str:
    array = np.empty(len(value), object)
    array[:] = value
    return str(array)


def _as_array(value: Any) -> Any:
    """Returns an array of a value, of objects where it is neither numbers nor text."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, (list, tuple)) and any(is_evaluated(part) for part in value):
        value = [value_of(part) if is_evaluated(part) else part for part in value]
    try:
        return np.array(value)
    except ValueError:  # rows of several lengths
        return _as_objects(value)


def _as_objects(value: Sequence[Any]) -> Any:
    array = np.empty(len(value), object)
    array[:] = value
    return array


def _is_numeric(array: Any) -> bool:
    return array.dtype.kind in "biufc" or as_dtype(array.dtype).is_numpy_compatible and array.dtype.kind == "V"


def _comparable(array: Any) -> Any:
    """Returns an array whose dtype NumPy can subtract: bfloat16 and the like as float32, truth values as integers."""
    if array.dtype.kind == "V":
        return array.astype(np.float32)
    return array.astype(np.int8) if array.dtype.kind == "b" else array


def _as_bytes(array: Any) -> Any:
    """Returns an array with text as bytes; others as they are."""
    if array.dtype.kind == "U" or array.dtype.kind == "O" and all(isinstance(x, (str, bytes)) for x in array.flat):
        encoded = [x.encode("utf8") if isinstance(x, str) else x for x in array.flat]
        return np.array(encoded or [b""], "S" if encoded else "S1")[: array.size].reshape(array.shape)
    return array


def _elements(text: str, chosen: Any, show: Any, **arrays: Any) -> Iterator[str]:
    """Yields lines with the indices and values of the chosen elements of arrays."""
    if np.ndim(chosen):
        yield f"{text} where = {np.where(chosen)}"
    for name, array in arrays.items():
        yield f"{text} {name} = {show(array[chosen] if np.ndim(chosen) else array)}"

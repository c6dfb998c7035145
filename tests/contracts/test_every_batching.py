"""What holds for the batching rule of every op: rows at once give what one row after the other gives."""

from __future__ import annotations

import functools
import itertools
import random
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.op_def import Effects, OpDef
from millrace._src.core.op_registry import all_op_names, get_op
from millrace._src.ops.batching_rules import is_exact_on_rows, rule_of
from tests.contracts.sample import Sample, all_gradient_samples, all_samples

pytestmark = pytest.mark.usefixtures("on_numpy")  # rows at once have the very bits of rows one by one
SAMPLES = [s for s in (*all_samples(), *all_gradient_samples()) if not s.random]
MAX = 6
"""Samples of one op that the default run tries; `slow` tries all."""


def _why_not(op: OpDef) -> str | None:
    """Why an op goes through the rows one by one, as its declaration tells; None if it does not tell."""
    if op.traits.not_batched is not None:
        return op.traits.not_batched
    if "func" in op.attr_kinds.values() or op.effects({}) is Effects.NONE:
        return (
            "what Python computes on the host has no batch"
            if op.traits.host_only and op.rules.gradient is None
            else None
        )
    return "effects and hidden streams happen once for each row"


def test_every_op_has_a_rule_or_says_why_not() -> None:
    silent = [n for n in all_op_names() if rule_of(get_op(n)) is None and not _why_not(get_op(n))]
    assert not silent


def test_no_op_has_both_a_rule_and_a_reason_to_have_none() -> None:
    assert not [
        n for n in all_op_names() if rule_of(get_op(n)) is not None and get_op(n).traits.not_batched is not None
    ]


def _ruled() -> list[Sample]:
    return [s for s in SAMPLES if rule_of(get_op(s.op)) is not None and get_op(s.op).effects(s.attrs) is Effects.NONE]


def _few(samples: list[Sample]) -> list[Sample]:
    """Some samples of each op, the same in every run."""
    kept: dict[str, list[Sample]] = {}
    for sample in random.Random(0).sample(samples, len(samples)):
        kept.setdefault(sample.op, []).append(sample)
    return [s for found in kept.values() for s in found[:MAX]]


RULED = _ruled()


def test_every_rule_has_a_sample() -> None:
    sampled = {s.op for s in RULED}
    kinds = [n for n in all_op_names() if rule_of(get_op(n)) is not None and n not in sampled]
    unsampled = [n for n in kinds if not _takes_handles_or_graphs(get_op(n)) and not _acts(get_op(n))]
    assert not unsampled


def _takes_handles_or_graphs(op: OpDef) -> bool:
    """Whether an op cannot be called on plain arrays alone: those are tried in tests of their own."""
    signature = op.signature
    dtypes = {a.dtype.name for a in (*signature.inputs, *signature.outputs) if a.dtype is not None}
    return bool(dtypes & {"variant", "resource"} or {"func", "list[func]"} & set(op.attr_kinds.values()))


def _acts(op: OpDef) -> bool:
    return op.effects({}) is not Effects.NONE


# --- rows at once, and one by one ------------------------------------------------------------------------------------


def _flat(sample: Sample) -> tuple[list[Any], list[int | None]]:
    """The inputs one after the other, and for each input of the signature how many they are (None: not a list)."""
    flat: list[Any] = []
    sizes: list[int | None] = []
    for arg, value in zip(get_op(sample.op).signature.inputs, sample.inputs, strict=True):
        parts = list(value) if arg.is_list else [value]
        flat += [tf.convert_to_tensor(p, dtype=arg.dtype) for p in parts]
        sizes.append(len(parts) if arg.is_list else None)
    return flat, sizes


def _call(sample: Sample, flat: list[Any], sizes: list[int | None]) -> list[Any]:
    remaining = iter(flat)
    parts = [next(remaining) if n is None else [next(remaining) for _ in range(n)] for n in sizes]
    names = get_op(sample.op).signature.input_names
    found = getattr(tf.raw_ops, sample.op)(**dict(zip(names, parts, strict=True)), **sample.attrs)
    return tf.nest.flatten(list(found) if isinstance(found, (list, tuple)) else [found])


def _other_row(tensor: Any) -> Any:
    """Another value that fits where the first does: a smaller number; of whole numbers, the same."""
    if tensor.dtype.is_floating or tensor.dtype.is_complex:
        return tensor * tf.cast(0.9, tensor.dtype)
    return tensor


def _choices(flat: list[Any]) -> list[tuple[bool, ...]]:
    """Which inputs differ from row to row: all numbers, all inputs, each alone (of many the first), some at random."""
    count = len(flat)
    numbers = tuple(bool(t.dtype.is_floating or t.dtype.is_complex) for t in flat)
    alone = [tuple(i == j for j in range(count)) for i in range(count)][: None if count <= 5 else 1]
    drawn = [tuple(bits) for bits in itertools.product([False, True], repeat=count)] if count <= 3 else []
    return [c for c in dict.fromkeys([numbers, (True,) * count, *alone, *drawn]) if any(c)]


class _Looped(Exception):
    """An operation that no rule run."""


def _at_once(sample: Sample, rows: list[list[Any]], batched: tuple[bool, ...], sizes: list[int | None]) -> list[Any]:
    """The results for all rows, each with the rows first."""
    stacked = [tf.stack([row[i] for row in rows]) for i, b in enumerate(batched) if b]

    def one(given: list[Any]) -> list[Any]:
        remaining = iter(given)
        return _call(sample, [next(remaining) if b else rows[0][i] for i, b in enumerate(batched)], sizes)

    try:
        found: list[Any] = tf.vectorized_map(one, stacked, fallback_to_while_loop=False)
    except ValueError as error:
        if "No pfor vectorization defined" in str(error):
            raise _Looped from error
        raise
    return found


def _tried(sample: Sample) -> tuple[int, int]:
    """Compares; returns how many choices of batched inputs a rule run, of how many."""
    flat, sizes = _flat(sample)
    other = [_other_row(t) for t in flat]
    try:
        _call(sample, other, sizes)
    except (ValueError, tf.errors.OpError):
        other = flat
    ruled, choices, exact = 0, _choices(flat), is_exact_on_rows(get_op(sample.op))
    for batched in choices:
        rows = [flat, [o if b else t for t, o, b in zip(flat, other, batched, strict=True)], flat]
        expected = [_call(sample, row, sizes) for row in rows]
        try:
            found = _at_once(sample, rows, batched, sizes)
        except _Looped:
            continue
        ruled += 1
        for index, tensor in enumerate(found):
            text = f"{sample}: output {index}, batched {batched}"
            _assert_rows(sample, tensor, [e[index] for e in expected], text, exact)
    return ruled, len(choices)


def _assert_rows(sample: Sample, found: Any, expected: list[Any], text: str, exact: bool = False) -> None:
    assert found.dtype is expected[0].dtype, text
    assert found.shape == (len(expected), *expected[0].shape), text
    for row, answer in zip(found, expected, strict=True):
        if exact or not (answer.dtype.is_floating or answer.dtype.is_complex):
            np.testing.assert_array_equal(row.numpy(), answer.numpy(), err_msg=text)
            continue
        wide = np.complex128 if answer.dtype.is_complex else np.float64
        a, b = row.numpy().astype(wide), answer.numpy().astype(wide)
        size = answer.dtype.real_dtype.size
        tolerance = max({4: 3e-5, 2: 4e-2}.get(size, 1e-9), sample.rtol or 0)
        finite = np.abs(b[np.isfinite(b)])
        np.testing.assert_allclose(a, b, tolerance, tolerance * max(1.0, finite.max(initial=0.0)), err_msg=text)


@pytest.mark.parametrize("sample", _few(RULED), ids=str)
def test_rows_at_once_give_what_single_rows_give(sample: Sample) -> None:
    if sample.inputs and _flat(sample)[0]:
        _tried(sample)


@pytest.mark.slow
@pytest.mark.parametrize("sample", RULED, ids=str)
def test_rows_at_once_give_what_single_rows_give_for_every_sample(sample: Sample) -> None:
    if sample.inputs and _flat(sample)[0]:
        _tried(sample)


@pytest.mark.parametrize("name", sorted({s.op for s in RULED if s.inputs}))
def test_a_rule_carries_out_some_choice_of_batched_inputs(name: str) -> None:
    samples = [s for s in RULED if s.op == name][:4]
    assert not samples or any(_tried(s)[0] for s in samples if _flat(s)[0])


# --- in graphs -------------------------------------------------------------------------------------------------------


@functools.cache
def _first_case(name: str) -> tuple[Sample, list[list[Any]], tuple[bool, ...], list[int | None], list[Any]] | None:
    """The first sample and choice of batched inputs of an op that its rule runs, and the results."""
    for sample in [s for s in RULED if s.op == name][:MAX]:
        flat, sizes = _flat(sample)
        for batched in _choices(flat):
            rows = [flat, [_other_row(t) if b else t for t, b in zip(flat, batched, strict=True)], flat]
            try:
                return sample, rows, batched, sizes, _at_once(sample, rows, batched, sizes)
            except (_Looped, tf.errors.OpError, ValueError):
                continue
    return None


def _stacked(rows: list[list[Any]], batched: tuple[bool, ...]) -> list[Any]:
    return [tf.stack([row[i] for row in rows]) for i, b in enumerate(batched) if b]


def _program(name: str) -> Any:
    """From the batched inputs to the results, through `tf.vectorized_map`."""
    sample, rows, batched, sizes, _ = _first_case(name)  # type: ignore[misc]  # of ops that have one

    def one(given: list[Any]) -> list[Any]:
        remaining = iter(given)
        return _call(sample, [next(remaining) if b else rows[0][i] for i, b in enumerate(batched)], sizes)

    return lambda stacked: tf.vectorized_map(one, stacked, fallback_to_while_loop=False)


def _assert_equal(name: str, found: list[Any]) -> None:
    sample, _, _, _, expected = _first_case(name)  # type: ignore[misc]  # of ops that have one
    for a, b in zip(found, expected, strict=True):
        _assert_rows(sample, a, list(b), name)


NAMES = sorted({s.op for s in RULED if s.inputs})


@pytest.mark.parametrize("name", NAMES)
def test_the_number_of_rows_need_not_be_known_while_tracing(name: str) -> None:
    case = _first_case(name)
    if case is None:
        return
    stacked = _stacked(case[1], case[2])
    specs = [tf.TensorSpec([None, *t.shape[1:]], t.dtype) for t in stacked]
    function = tf.function(_program(name), autograph=False, input_signature=[specs])
    outputs = function.get_concrete_function().outputs
    for tensor, answer in zip(outputs, case[4], strict=True):
        assert tensor.shape.is_compatible_with(answer.shape)
        assert tensor.shape.rank is not None
    _assert_equal(name, function(stacked))


@pytest.mark.parametrize("name", NAMES)
def test_shapes_of_rows_that_are_not_known_while_tracing_give_the_same_or_a_loop(name: str) -> None:
    case = _first_case(name)
    if case is None:
        return
    stacked = _stacked(case[1], case[2])
    specs = [tf.TensorSpec([None] * t.shape.rank, t.dtype) for t in stacked]
    try:
        found = tf.function(_program(name), autograph=False, input_signature=[specs])(stacked)
    except ValueError as error:
        if "No pfor vectorization defined" not in str(error):
            raise
        return
    _assert_equal(name, found)


def _homes() -> dict[str, list[str]]:
    """The ops that XLA takes, by their home: they are compiled together."""
    found: dict[str, list[str]] = {}
    for name in NAMES:
        if not get_op(name).traits.host_only and all(s.xla for s in RULED if s.op == name):
            found.setdefault(get_op(name).kernel.__module__.partition("_src.")[2], []).append(name)
    return found


_HOMES = _homes()


@pytest.mark.xla
@pytest.mark.parametrize("home", _HOMES)
def test_under_xla_rows_at_once_give_the_same(home: str) -> None:
    names = [n for n in _HOMES[home] if _first_case(n) is not None]

    @tf.function(autograph=False, jit_compile=True)
    def together(given: list[Any]) -> list[Any]:
        return [_program(n)(g) for n, g in zip(names, given, strict=True)]

    given = [_stacked(*_first_case(n)[1:3]) for n in names]  # type: ignore[index]  # of ops that have one
    for name, found in zip(names, together(given), strict=True):
        _assert_equal(name, found)

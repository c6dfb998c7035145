"""Programs whose results TensorFlow's bits are recorded for, and the comparison with the recording.

A program is an expression of `tf`, `np`, `r` (`tf.raw_ops`) and `R` (`tf.random`). `python -m tests.ops.random.bits`,
run where TensorFlow is installed, evaluates them all there and writes `recorded_bits.json`: for each program a checksum
of the bytes of its result, and the first numbers. The tests evaluate the same programs with Millrace.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

RECORDED = Path(__file__).with_name("recorded_bits.json")
FLOATS = ("float16", "bfloat16", "float32", "float64")
SEEDS = ("[1, 2]", "[0, 0]", "[-1, 7]", "np.array([2**40 + 3, -(2**33)])")
_ALL_SIZES = "np.concatenate([{}.numpy() for n in range({})])"


def _programs() -> dict[str, list[str]]:
    areas: dict[str, list[str]] = {}
    by_seed = {
        "uniform": "StatelessRandomUniform",
        "normal": "StatelessRandomNormal",
        "truncated": "StatelessTruncatedNormal",
    }
    areas["distributions"] = [
        f"r.{op}(shape=[7, 31], seed={seed}, dtype='{dtype}')"
        for op in by_seed.values()
        for dtype in FLOATS
        for seed in SEEDS
    ]
    areas["distributions"] += [
        _ALL_SIZES.format(f"r.{op}(shape=[n], seed=[1, 2], dtype='{dtype}')", size)
        for op, size in (
            ("StatelessRandomUniform", 2000),
            ("StatelessRandomNormal", 400),
            ("StatelessTruncatedNormal", 400),
        )
        for dtype in FLOATS
    ]
    areas["distributions"] += [
        f"r.{op}(shape=[40001], seed=[5, 6], dtype='{dtype}')"
        for op in by_seed.values()
        for dtype in ("float32", "float16")
    ]
    integers = ("int32", "int64", "uint32", "uint64")
    areas["distributions"] += [
        f"r.StatelessRandomUniformFullInt(shape=[301], seed={s}, dtype='{d}')" for d in integers for s in SEEDS
    ]
    areas["distributions"] += [
        "r.StatelessRandomUniformInt(shape=[301], seed=[3, 4], "
        f"minval=tf.constant({low}, '{d}'), maxval=tf.constant({high}, '{d}'))"
        for d in ("int32", "int64")
        for low, high in ((0, 10), (-7, 1000003), (-(2**31), 2**31 - 1))
    ]
    areas["philox"] = [
        f"r.StatelessRandomUniformFullIntV2(shape=[41], key={key}, counter={counter}, alg=1, dtype='uint32')"
        for key in ("[0]", "[2**64 - 1]")
        for counter in ("[0, 0]", "np.array([2**64 - 1, 0], np.uint64)", "np.array([2**64 - 3, 2**64 - 1], np.uint64)")
    ]
    areas["algorithms"] = [f"tf.concat(r.StatelessRandomGetKeyCounter(seed={seed}), 0)" for seed in SEEDS]
    alphas = "[0.01, 0.3, 0.5, 1.0, 1.2, 2.5, 30.0, 1000.0]"
    areas["gamma"] = [
        f"r.StatelessRandomGammaV2(shape=[201, 8], seed={seed}, alpha=tf.constant({alphas}, '{d}'))"
        for d in ("float16", "float32", "float64")
        for seed in SEEDS
    ]
    areas["gamma"] += [
        "R.stateless_gamma([3, 2, 2], [1, 2], [0.5, 2.0], [[3.0], [4.0]])",
        "r.StatelessRandomGammaV2(shape=[9], seed=[1, 2], alpha=3.0)",
    ]
    rates = "[0.1, 1.0, 3.0, 9.99, 10.0, 12.0, 50.0, 1000.0, 0.0]"
    counting = ("float16", "float32", "float64", "int32", "int64")
    areas["poisson"] = [
        f"r.StatelessRandomPoisson(shape=[101, 9], seed=[1, 2], lam=tf.cast({rates}, '{rate}'), dtype='{out}')"
        for rate in counting
        for out in counting
    ]
    areas["binomial"] = [
        "r.StatelessRandomBinomial(shape=[101, 10], seed=[1, 2], "
        f"counts=tf.cast([1, 5, 20, 100, 1000, 50, 0, 40, 12, 20], '{d}'), "
        f"probs=tf.constant([0.5, 0.3, 0.5, 0.02, 0.9, 0.6, 0.5, 0.0, 1.0, 1.5], '{d}'), dtype='{out}')"
        for d in ("float16", "float32", "float64")
        for out in ("float32", "float64", "int32", "int64")
    ]
    areas["binomial"] += [
        "R.stateless_binomial([3, 4, 5], [1, 2], tf.reshape(tf.range(20.0) * 3, [4, 5]), [0.1, 0.3, 0.5, 0.7, 0.9])"
    ]
    logits = "np.random.RandomState(0).randn(7, 11)"
    areas["categorical"] = [
        f"r.StatelessMultinomial(logits={logits}.astype('{d}'), num_samples={n}, seed=[1, 2])"
        for d in ("float16", "float32", "float64")
        for n in (0, 1, 2, 3, 5, 100)
    ]
    areas["categorical"] += [
        f"R.stateless_categorical(tf.constant([[1.0, np.{odd}, 0.5], [np.{odd}, np.{odd}, np.{odd}]]), 20, [1, 2])"
        for odd in ("inf", "nan")
    ]
    areas["shuffles"] = [f"R.experimental.stateless_shuffle(tf.range({n}), [1, 2])" for n in (0, 1, 2, 3, 10, 1000)]
    areas["shuffles"] += [
        "R.experimental.stateless_shuffle(tf.reshape(tf.range(60), [10, 2, 3]), [3, 4])",
        "R.experimental.stateless_shuffle(5, [1, 2])",
    ]
    areas["stateless"] = [
        f"R.{name}([9], [3, 4], -2, 5, '{d}')"
        for name in ("stateless_uniform", "stateless_normal", "stateless_truncated_normal")
        for d in FLOATS
    ]
    areas["stateless"] += [f"R.stateless_uniform([9], [3, 4], None, None, '{d}')" for d in integers]
    areas["stateless"] += [
        "R.split([1, 2], 5)",
        "R.split(tf.constant([1, 2], tf.int64), 5)",
        "R.fold_in([1, 2], 5)",
        "R.fold_in([1, 2], tf.constant(5, tf.int64))",
    ]
    areas["stateless"] += [
        "R.stateless_poisson([4, 2], [3, 4], [0.5, 20.0])",
        "R.stateless_categorical([[1.0, 2.0], [3.0, 1.0]], 4, [3, 4], tf.int32)",
    ]
    # Three calls of one op with one seed: where its stream goes on.
    thrice = "(R.set_seed(1), tf.stack([{} for _ in range(3)]))[1]"
    areas["stateful"] = [
        thrice.format(f"R.{name}([5, 3], dtype='{d}', seed=9)")
        for name in ("uniform", "normal", "truncated_normal")
        for d in FLOATS
    ]
    areas["stateful"] += [
        thrice.format(call)
        for call in (
            "R.uniform([7], -5, 100, tf.int32, seed=3)",
            "R.uniform([7], -5, 100, tf.int64, seed=3)",
            "R.gamma([3], [0.5, 1.0, 3.0], seed=2)",
            "R.gamma([3], [0.5, 1.0, 3.0], [[2.0], [3.0]], seed=2)",
            "R.poisson([3], [0.5, 12.0], seed=2)",
            "R.poisson([3], 3, tf.int32, seed=2)",
            "R.categorical([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]], 5, seed=2)",
            "R.categorical([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]], 6, tf.int32, seed=2)",
            "R.shuffle(tf.range(9), seed=2)",
            "R.shuffle(tf.range(10), seed=2)",
            "R.shuffle(tf.reshape(tf.range(18), [9, 2]), seed=2)",
            "R.uniform([3], 2, 3)",
            "R.normal([3], 2, 3)",
            "R.truncated_normal([3], 2, 3)",
        )
    ]
    intervals = (
        "0.0, 1.0, -2.0, 2.0",
        "0.0, 1.0, -0.5, 0.5",
        "0.0, 1.0, -10.0, -3.0",
        "1.0, 2.0, -np.inf, 0.0",
        "0.0, 1.0, 2.0, 2.5",
    )
    areas["truncated"] = [
        f"R.stateless_parameterized_truncated_normal([150], [1, 2], *(tf.constant(p, '{d}') for p in ({interval})))"
        for d in ("float16", "float32", "float64")
        for interval in intervals
    ]
    bounds, draw = "[-1.0, 4.0, -4.0], [1.0, 8.0, -3.0]", "r.ParameterizedTruncatedNormal"
    areas["truncated"] += [
        f"R.stateless_parameterized_truncated_normal([50, 3], [1, 2], [0.0, 5.0, -1.0], [1.0, 2.0, 1.0], {bounds})",
        thrice.format(f"{draw}(shape=[250], means=0.0, stdevs=1.0, minvals=-2.0, maxvals=2.0, seed=3, seed2=4)"),
        thrice.format(
            f"{draw}(shape=[3, 50], means=[0.0, 5.0, -1.0], stdevs=1.0, minvals=[-1.0, 4.0, -4.0], "
            "maxvals=[1.0, 8.0, -3.0], seed=3, seed2=4)"
        ),
    ]
    areas["index_shuffle"] = [
        "R.experimental.index_shuffle(tf.range(100), [1, 2], 99)",
        *(
            f"r.RandomIndexShuffle(index=tf.range(50, dtype='{d}'), seed=[5, 6, 7], "
            f"max_index=tf.constant({last}, '{d}'), rounds={rounds})"
            for d, last, rounds in (
                ("int32", 49, 4),
                ("int32", 65535, 4),
                ("int32", 65536, 6),
                ("int64", 10**5, 8),
                ("int64", 2**40, 6),
                ("int64", 2**63 - 1, 4),
            )
        ),
        "r.RandomIndexShuffle(index=tf.constant([1, 2, 3], 'uint32'), seed=[5, 6, 7], "
        "max_index=tf.constant([10, 20, 70000], 'uint32'))",
        "r.RandomIndexShuffle(index=3, seed=[[5, 6, 7], [8, 9, 10]], max_index=[10, 10])",
        "r.RandomIndexShuffle(index=0, seed=[5, 6, 7], max_index=0)",
    ]
    classes = "tf.constant([[1, 2], [0, 5], [3, 3]], tf.int64)"
    call = f"R.{{}}_candidate_sampler({classes}, 2, {{}}, {{}}, {{}}, seed=3).sampled_candidates"
    areas["candidates"] = [
        thrice.format(call.format(kind, count, unique, size))
        for kind in ("uniform", "log_uniform", "learned_unigram")
        for count, size in ((6, 10), (6, 8), (100, 5000))
        for unique in (False, True)
    ]
    areas["candidates"] += [
        thrice.format(call.format("fixed_unigram", 6, unique, f"{size}, unigrams=[i + 1.0 for i in range({size})]"))
        for unique in (False, True)
        for size in (8, 12)
    ]
    areas["candidates"] += [
        thrice.format(
            call.format(
                "fixed_unigram", 4, False, "8, distortion=0.75, num_reserved_ids=2, unigrams=[1, 2, 3, 4, 5, 6]"
            )
        )
    ]
    return areas


PROGRAMS = _programs()


def evaluate(tf: Any, program: str) -> np.ndarray[Any, Any]:
    """The result of a program with the given `tf`."""
    result = eval(program, {"tf": tf, "np": np, "r": tf.raw_ops, "R": tf.random})
    return np.ascontiguousarray(result.numpy() if hasattr(result, "numpy") else result)


def _numbers(array: np.ndarray[Any, Any]) -> list[Any]:
    wide = array.reshape(-1)[:12]
    return (wide if wide.dtype.kind in "iu" else wide.astype(np.float64)).tolist()


def describe(array: np.ndarray[Any, Any]) -> list[Any]:
    """What is recorded of a result: dtype, shape, checksum of the bytes, first numbers."""
    return [array.dtype.name, list(array.shape), zlib.crc32(array.tobytes()), _numbers(array)]


def check(tf: Any, program: str) -> None:
    """Compares a program's result with the recording: every bit, except for float64 that passes through log or sin.

    Those come from each engine's own library and may differ in the last digits.
    """
    dtype, shape, checksum, first = json.loads(RECORDED.read_text())[program]
    array = evaluate(tf, program)
    assert array.dtype.name == dtype
    assert list(array.shape) == shape
    if dtype == "float64" and "Uniform" not in program and "uniform" not in program:
        np.testing.assert_allclose(_numbers(array), first, rtol=2e-15)
    else:
        assert _numbers(array) == first or not np.isfinite(first).all()
        assert zlib.crc32(array.tobytes()) == checksum


def _record() -> None:
    import tensorflow as tf  # the oracle; not needed to run the tests

    answers = {program: describe(evaluate(tf, program)) for area in PROGRAMS.values() for program in area}
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in answers.items())
    RECORDED.write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    _record()

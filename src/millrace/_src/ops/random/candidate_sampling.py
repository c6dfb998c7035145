"""Candidate samplers: classes drawn for losses that look at a few of many classes, with their expected counts.

Each sampler is a distribution over `range(range_max)`: how to make a class of random words, and how probable a class
is. The rest is common: draw `num_sampled` classes, or that many different ones, and say how often each class is
expected among the candidates. The results are TensorFlow's for the same seeds.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import invalid
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import Effects, op
from millrace._src.core.op_functions import OpFunction
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.shape_checks import vector, with_rank
from millrace._src.ops.random.philox import WORDS_PER_BLOCK, Stream, blocks
from millrace._src.ops.random.seeds import KernelStream, stream_of
from millrace._src.ops.random.unigrams import AliasTable, read_unigrams
from millrace._src.ops.random.word_uniforms import uniform_float64, uniform_small

_BLOCKS_PER_SAMPLE = 512
"""The number of blocks that a call reserves of its stream for each candidate."""


class Sampler(NamedTuple):
    """A distribution over classes."""

    words: int
    """The number of random words that a proposal takes."""
    propose: Callable[[Xp, Array], Array]
    """A function that makes classes out of words of shape (n, words); fewer than n where some words are refused."""
    probability: Callable[[Array], Array]
    """A function that gives the probability of each class of an array, float32."""


def _pick(xp: Xp, stream: Stream, sampler: Sampler, count: int, unique: bool) -> tuple[Array, int]:
    """Draws `count` classes, different ones if `unique`; returns the classes and the number of proposals made."""
    proposals = np.zeros(0, np.int64)
    for more in _proposals(xp, stream, sampler, count):
        proposals = np.concatenate([proposals, more])
        if not unique:
            if len(proposals) >= count:
                return proposals[:count], count
            continue
        first = np.sort(np.unique(proposals, return_index=True)[1])
        if len(first) >= count:
            return proposals[first[:count]], int(first[count - 1]) + 1
    raise AssertionError("proposals never end")


def _proposals(xp: Xp, stream: Stream, sampler: Sampler, count: int) -> Iterator[Array]:
    """Yields proposals without end, in growing portions."""
    portion = 2 * count + 16
    while True:
        block_count = -(-portion * sampler.words // WORDS_PER_BLOCK)
        words = blocks(xp, stream, block_count).reshape(-1, sampler.words)
        yield sampler.propose(xp, words)
        stream = stream.skip(xp, block_count)
        portion *= 2


def _expect(probability: Array, count: int, tries: int) -> Array:
    """Computes how often classes of these probabilities are expected among the candidates."""
    if tries == count:
        return probability * np.float32(count)
    # 1 - (1 - p) ** tries, each step rounded to float32
    logarithm = np.log1p(-probability.astype(np.float64)).astype(np.float32)
    return -np.expm1((np.float32(tries) * logarithm).astype(np.float64)).astype(np.float32)


# --- distributions ----------------------------------------------------------------------------------------------------


def _exact(values: Array, size: int, bits: int) -> Array:
    """Returns words modulo `size`; words that would favour small classes are refused."""
    number = values.dtype.type(size)
    if size & (size - 1) == 0:
        return (values & (number - values.dtype.type(1))).astype(np.int64)
    refused = (2**bits - 1) % size + 1
    return (values[values >= values.dtype.type(refused)] % number).astype(np.int64)


def _wide(upper: Array, lower: Array) -> Array:
    """Joins pairs of words to numbers of 64 bits."""
    return upper.astype(np.uint64) << np.uint64(32) | lower


def _uniform_sampler(size: int) -> Sampler:
    def propose(xp: Xp, words: Array) -> Array:
        return _exact(_wide(words[:, 1], words[:, 0]), size, 64)

    return Sampler(2, propose, lambda classes: np.full(classes.shape, 1.0 / size, np.float32))


def _log_uniform_sampler(size: int) -> Sampler:
    log_size = np.log1p(np.float64(size))

    def propose(xp: Xp, words: Array) -> Array:
        uniform = uniform_float64(xp, _wide(words[:, 0], words[:, 1]))
        return (np.exp(uniform * log_size).astype(np.int64) - 1) % size

    def probability(classes: Array) -> Array:
        return (np.log((classes + 2.0) / (classes + 1.0)) / log_size).astype(np.float32)

    return Sampler(2, propose, probability)


def _weighted_sampler(weights: Array) -> Sampler:
    """Makes a sampler of classes with the given integer weights."""
    bounds, total = np.cumsum(weights), int(weights.sum())

    def propose(xp: Xp, words: Array) -> Array:
        return np.searchsorted(bounds, _exact(words[:, 0], total, 32), side="right")

    return Sampler(1, propose, lambda classes: (weights[classes] / np.float32(total)).astype(np.float32))


def _alias_sampler(table: AliasTable) -> Sampler:
    def propose(xp: Xp, words: Array) -> Array:
        return table.pick(words[:, 1] % np.uint32(table.size), uniform_small(xp, words[:, 0], np.dtype(np.float32)))

    return Sampler(2, propose, table.probability)


# --- the ops ----------------------------------------------------------------------------------------------------------


def _shape(c: ShapeContext) -> list[TensorShape]:
    rows, _ = with_rank(c.shape("true_classes"), 2)
    sampled = vector(c.attr("num_sampled"))
    return [sampled, TensorShape.of((rows, c.attr("num_true"))), sampled]


_TRAITS: dict[str, Any] = {
    "shape": _shape,
    "effects": Effects.RANDOM,
    "host_only": True,
    "not_differentiable": "classes are integers",
}
_SIGNATURE = (
    "true_classes: int64 -> sampled_candidates: int64, true_expected_count: float32, sampled_expected_count: float32"
)


def _check(true_classes: Array, num_true: int, num_sampled: int, unique: bool, size: int) -> None:
    if true_classes.ndim != 2:
        raise invalid("true_classes must be a matrix")
    if true_classes.shape[1] != num_true:
        raise invalid(f"true_classes must have num_true columns, expected: {true_classes.shape[1]} was: {num_true}")
    if unique and num_sampled > size:
        raise invalid("Sampler's range is too small.")
    outside = (true_classes < 0) | (true_classes >= size)
    if outside.any():
        raise invalid(f"`true_candidate` out of range [0, {size}), received {int(true_classes[outside][0])}")


def _sample(
    xp: Xp, take: Any, sampler: Sampler, true_classes: Array, num_sampled: int, unique: bool
) -> tuple[Array, Array, Array]:
    stream = take(num_sampled * _BLOCKS_PER_SAMPLE)
    sampled, tries = _pick(xp, stream, sampler, num_sampled, unique)
    expected = [_expect(sampler.probability(c), num_sampled, tries) for c in (true_classes, sampled)]
    return sampled, expected[0], expected[1]


class _SamplingCall(NamedTuple):
    """The attributes of one candidate sampler."""

    num_true: int
    num_sampled: int
    unique: bool
    range_max: int

    @staticmethod
    def of(attrs: dict[str, Any]) -> _SamplingCall:
        return _SamplingCall(*(attrs[name] for name in _SamplingCall._fields))

    def run(self, xp: Xp, take: Any, sampler: Sampler, true_classes: Array) -> tuple[Array, Array, Array]:
        """Checks the classes and draws candidates."""
        _check(true_classes, self.num_true, self.num_sampled, self.unique, self.range_max)
        return _sample(xp, take, sampler, true_classes, self.num_sampled, self.unique)


def _bind_with(function: OpFunction, make: Callable[[dict[str, Any]], Sampler]) -> None:
    """Binds an op to its stream and to the sampler made of its attributes, once for each call site."""

    def bind(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Callable[..., Any]:
        stream, call = stream_of(attrs), _SamplingCall.of(attrs)
        # The first call makes the sampler, so that a bad attribute is an error of that call.
        sampler = functools.cache(lambda: make(attrs))
        return lambda true_classes: call.run(xp, stream.take, sampler(), true_classes)

    function.specialize(bind)


@op("UniformCandidateSampler", _SIGNATURE, **_TRAITS)
def uniform_candidate_sampler_op(
    xp: Xp,
    true_classes: Array,
    *,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int = 0,
    seed2: int = 0,
) -> tuple[Array, Array, Array]:
    """Draws classes, each with the same probability.

    >>> draw = tf.raw_ops.UniformCandidateSampler
    >>> draw(true_classes=[[1]], num_true=1, num_sampled=3, unique=True, range_max=9)[0].shape
    TensorShape([3])
    """
    call = _SamplingCall(num_true, num_sampled, unique, range_max)
    return call.run(xp, KernelStream(seed, seed2).take, _uniform_sampler(range_max), true_classes)


@op("LogUniformCandidateSampler", _SIGNATURE, **_TRAITS)
def log_uniform_candidate_sampler_op(
    xp: Xp,
    true_classes: Array,
    *,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int = 0,
    seed2: int = 0,
) -> tuple[Array, Array, Array]:
    """Draws classes with Zipf's distribution, small ones more probable.

    >>> draw = tf.raw_ops.LogUniformCandidateSampler
    >>> draw(true_classes=[[1]], num_true=1, num_sampled=3, unique=True, range_max=9)[0].shape
    TensorShape([3])
    """
    call = _SamplingCall(num_true, num_sampled, unique, range_max)
    return call.run(xp, KernelStream(seed, seed2).take, _log_uniform_sampler(range_max), true_classes)


_bind_with(uniform_candidate_sampler_op, lambda attrs: _uniform_sampler(attrs["range_max"]))
_bind_with(log_uniform_candidate_sampler_op, lambda attrs: _log_uniform_sampler(attrs["range_max"]))


class _Learned:
    """Weights that grow with every true class seen; the weights start over when the random streams do."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._epoch = -1
        self.weights = np.ones(size, np.int64)

    def run(self, xp: Xp, stream: KernelStream, call: _SamplingCall, true_classes: Array) -> tuple[Array, Array, Array]:
        """Draws candidates, then learns the true classes."""
        if self._epoch != stream.current_epoch():
            self._epoch, self.weights = stream.current_epoch(), np.ones(self._size, np.int64)
        result = call.run(xp, stream.take, _weighted_sampler(self.weights), true_classes)
        self.weights = self.weights + np.bincount(true_classes.reshape(-1), minlength=self._size)
        return result


def _learn(op_name: str) -> OpFunction:
    @op(op_name, _SIGNATURE, **_TRAITS)
    def learned_unigram_candidate_sampler_op(
        xp: Xp,
        true_classes: Array,
        *,
        num_true: int,
        num_sampled: int,
        unique: bool,
        range_max: int,
        seed: int = 0,
        seed2: int = 0,
    ) -> tuple[Array, Array, Array]:
        """Draws classes with the frequencies of the true classes seen so far, each counted once more.

        >>> draw = tf.raw_ops.LearnedUnigramCandidateSampler
        >>> draw(true_classes=[[1]], num_true=1, num_sampled=3, unique=True, range_max=9)[0].shape
        TensorShape([3])
        """
        call = _SamplingCall(num_true, num_sampled, unique, range_max)
        return _Learned(range_max).run(xp, KernelStream(seed, seed2), call, true_classes)

    def bind(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Callable[..., Any]:
        stream, call, learned = stream_of(attrs), _SamplingCall.of(attrs), _Learned(attrs["range_max"])
        return lambda true_classes: learned.run(xp, stream, call, true_classes)

    learned_unigram_candidate_sampler_op.specialize(bind)
    return learned_unigram_candidate_sampler_op


learned_unigram_candidate_sampler_op = _learn("LearnedUnigramCandidateSampler")
thread_unsafe_unigram_candidate_sampler_op = _learn("ThreadUnsafeUnigramCandidateSampler")


def _of_vocabulary(c: ShapeContext) -> Capability:
    return Capability.READS_FILES if c.attr("vocab_file") else Capability.NOTHING


@op("FixedUnigramCandidateSampler", _SIGNATURE, capabilities=_of_vocabulary, **_TRAITS)
def fixed_unigram_candidate_sampler_op(
    xp: Xp,
    true_classes: Array,
    *,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: list[float] = (),  # type: ignore[assignment]  # an empty list by default
    seed: int = 0,
    seed2: int = 0,
) -> tuple[Array, Array, Array]:
    """Draws classes with given frequencies.

    >>> draw = tf.raw_ops.FixedUnigramCandidateSampler
    >>> draw(true_classes=[[1]], num_true=1, num_sampled=9, unique=False, range_max=2, unigrams=[0.0, 1.0])[0].numpy()
    array([1, 1, 1, 1, 1, 1, 1, 1, 1])
    """
    table = read_unigrams(range_max, vocab_file, distortion, num_reserved_ids, (num_shards, shard), unigrams)
    call = _SamplingCall(num_true, num_sampled, unique, range_max)
    return call.run(xp, KernelStream(seed, seed2).take, _alias_sampler(table), true_classes)


def _fixed_sampler(attrs: dict[str, Any]) -> Sampler:
    shards = attrs["num_shards"], attrs["shard"]
    file, power, reserved = attrs["vocab_file"], attrs["distortion"], attrs["num_reserved_ids"]
    return _alias_sampler(read_unigrams(attrs["range_max"], file, power, reserved, shards, attrs["unigrams"]))


_bind_with(fixed_unigram_candidate_sampler_op, _fixed_sampler)


@op("AllCandidateSampler", _SIGNATURE, **_TRAITS)
def all_candidate_sampler_op(
    xp: Xp, true_classes: Array, *, num_true: int, num_sampled: int, unique: bool, seed: int = 0, seed2: int = 0
) -> tuple[Array, Array, Array]:
    """Returns every class once.

    >>> draw = tf.raw_ops.AllCandidateSampler
    >>> draw(true_classes=[[1]], num_true=1, num_sampled=3, unique=True)[0].numpy()
    array([0, 1, 2])
    """
    _check(true_classes, num_true, num_sampled, unique, num_sampled)
    ones = np.ones(num_sampled, np.float32)
    return np.arange(num_sampled), np.ones(true_classes.shape, np.float32), ones


def _hits_shape(c: ShapeContext) -> list[TensorShape]:
    with_rank(c.shape("true_classes"), 2)
    with_rank(c.shape("sampled_candidates"), 1)
    return [vector(None)] * 3


@op(
    "ComputeAccidentalHits",
    "true_classes: int64, sampled_candidates: int64 -> indices: int32, ids: int64, weights: float32",
    shape=_hits_shape,
    host_only=True,
    not_differentiable="classes are integers",
)
def compute_accidental_hits_op(
    xp: Xp, true_classes: Array, sampled_candidates: Array, *, num_true: int, seed: int = 0, seed2: int = 0
) -> tuple[Array, Array, Array]:
    """Finds the sampled candidates that are among the true classes of a row.

    >>> hits = tf.raw_ops.ComputeAccidentalHits
    >>> [t.numpy().tolist() for t in hits(true_classes=[[1], [5]], sampled_candidates=[5, 7], num_true=1)[:2]]
    [[1], [0]]
    """
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true:
        raise invalid("true_candidates must be a batch_size * num_true matrix")
    if sampled_candidates.ndim != 1:
        raise invalid("sampled_candidates must be a vector, which is typically an output from CandidateSampler")
    last = {int(candidate): position for position, candidate in enumerate(sampled_candidates.tolist())}
    hits = [(row, last[c]) for row, classes in enumerate(true_classes.tolist()) for c in classes if c in last]
    rows, positions = zip(*hits, strict=True) if hits else ((), ())
    weights = np.full(len(hits), np.finfo(np.float32).min, np.float32)
    return np.array(rows, np.int32), np.array(positions, np.int64), weights

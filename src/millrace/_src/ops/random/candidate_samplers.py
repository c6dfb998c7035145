"""`tf.random.uniform_candidate_sampler` and the other public functions of candidate sampling.

Each function gives its op the two seeds that follow from `seed`, and returns a named tuple.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence

from millrace._src.core.argument_types import TensorLike
from millrace._src.ops.random import candidate_sampling as ops
from millrace._src.ops.random.seeds import call_seeded
from millrace._src.util.export import export

UniformCandidateSampler = namedtuple(
    "UniformCandidateSampler", ["sampled_candidates", "true_expected_count", "sampled_expected_count"]
)
LogUniformCandidateSampler = namedtuple(
    "LogUniformCandidateSampler", ["sampled_candidates", "true_expected_count", "sampled_expected_count"]
)
LearnedUnigramCandidateSampler = namedtuple(
    "LearnedUnigramCandidateSampler", ["sampled_candidates", "true_expected_count", "sampled_expected_count"]
)
FixedUnigramCandidateSampler = namedtuple(
    "FixedUnigramCandidateSampler", ["sampled_candidates", "true_expected_count", "sampled_expected_count"]
)
AllCandidateSampler = namedtuple(
    "AllCandidateSampler", ["sampled_candidates", "true_expected_count", "sampled_expected_count"]
)
ComputeAccidentalHits = namedtuple("ComputeAccidentalHits", ["indices", "ids", "weights"])


@export(
    "random.uniform_candidate_sampler",
    v1=["random.uniform_candidate_sampler", "nn.uniform_candidate_sampler"],
)
def uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> UniformCandidateSampler:
    """Draws classes of `range(range_max)`, each with the same probability.

    >>> sampled = tf.random.uniform_candidate_sampler([[1], [2]], 1, 3, unique=True, range_max=9)
    >>> sampled.sampled_candidates.shape, sampled.true_expected_count.shape
    (TensorShape([3]), TensorShape([2, 1]))

    Args:
        true_classes: The target classes, int64 of shape (batch, num_true).
        num_true: How many target classes a row has.
        num_sampled: How many classes to draw.
        unique: Whether all drawn classes must differ.
        range_max: The number of classes.
        seed: The op's own seed; see `tf.random.set_seed`.
        name: A name for the operation.

    Returns: A named tuple: `sampled_candidates`, int64 of shape (num_sampled,); `true_expected_count` and
        `sampled_expected_count`, how often the target classes and the sampled ones are expected among the candidates.
    """
    attrs = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique, "range_max": range_max}
    return UniformCandidateSampler(
        *call_seeded(ops.uniform_candidate_sampler_op, seed, true_classes, name=name, **attrs)
    )


@export(
    "random.log_uniform_candidate_sampler",
    v1=["random.log_uniform_candidate_sampler", "nn.log_uniform_candidate_sampler"],
)
def log_uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> LogUniformCandidateSampler:
    """Draws classes with Zipf's distribution: class k with probability log((k + 2) / (k + 1)) / log(range_max + 1).

    Fits classes that are sorted by falling frequency, such as the words of a lexicon.

    >>> tf.random.log_uniform_candidate_sampler([[1], [2]], 1, 3, True, range_max=9).sampled_candidates.shape
    TensorShape([3])

    Args:
        true_classes: The target classes, int64 of shape (batch, num_true).
        num_true: How many target classes a row has.
        num_sampled: How many classes to draw.
        unique: Whether all drawn classes must differ.
        range_max: The number of classes.
        seed: The op's own seed; see `tf.random.set_seed`.
        name: A name for the operation.

    Returns: What `tf.random.uniform_candidate_sampler` returns.
    """
    attrs = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique, "range_max": range_max}
    return LogUniformCandidateSampler(
        *call_seeded(ops.log_uniform_candidate_sampler_op, seed, true_classes, name=name, **attrs)
    )


@export("random.learned_unigram_candidate_sampler", "nn.learned_unigram_candidate_sampler")
def learned_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> LearnedUnigramCandidateSampler:
    """Draws classes with the frequencies of the target classes of earlier calls, each counted once more.

    >>> tf.random.learned_unigram_candidate_sampler([[1], [2]], 1, 3, True, range_max=9).sampled_candidates.shape
    TensorShape([3])

    Args:
        true_classes: The target classes, int64 of shape (batch, num_true).
        num_true: How many target classes a row has.
        num_sampled: How many classes to draw.
        unique: Whether all drawn classes must differ.
        range_max: The number of classes.
        seed: The op's own seed; see `tf.random.set_seed`.
        name: A name for the operation.

    Returns: What `tf.random.uniform_candidate_sampler` returns.
    """
    attrs = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique, "range_max": range_max}
    return LearnedUnigramCandidateSampler(
        *call_seeded(ops.learned_unigram_candidate_sampler_op, seed, true_classes, name=name, **attrs)
    )


@export("random.fixed_unigram_candidate_sampler", "nn.fixed_unigram_candidate_sampler")
def fixed_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Sequence[float] = (),
    seed: int | None = None,
    name: str | None = None,
) -> FixedUnigramCandidateSampler:
    """Draws classes with given frequencies.

    >>> tf.random.fixed_unigram_candidate_sampler([[1]], 1, 4, False, 2, unigrams=[0.0, 1.0]).sampled_candidates.numpy()
    array([1, 1, 1, 1])

    Args:
        true_classes: The target classes, int64 of shape (batch, num_true).
        num_true: How many target classes a row has.
        num_sampled: How many classes to draw.
        unique: Whether all drawn classes must differ.
        range_max: The number of classes.
        vocab_file: A file with a line for each class, its frequency after the last comma.
        distortion: The power that frequencies are raised to.
        num_reserved_ids: How many classes of frequency 0 come first.
        num_shards: The number of parts that the classes are split into: class i belongs to part `i % num_shards`.
        shard: The number of the part to draw from.
        unigrams: The frequencies, instead of `vocab_file`.
        seed: The op's own seed; see `tf.random.set_seed`.
        name: A name for the operation.

    Returns: What `tf.random.uniform_candidate_sampler` returns.
    """
    attrs = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique, "range_max": range_max}
    source = {"vocab_file": vocab_file, "distortion": distortion, "num_reserved_ids": num_reserved_ids}
    parts = {"num_shards": num_shards, "shard": shard, "unigrams": list(unigrams)}
    candidates = call_seeded(
        ops.fixed_unigram_candidate_sampler_op, seed, true_classes, name=name, **attrs, **source, **parts
    )
    return FixedUnigramCandidateSampler(*candidates)


@export("random.all_candidate_sampler", "nn.all_candidate_sampler")
def all_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> AllCandidateSampler:
    """Gives all classes `range(num_sampled)`: the full loss, for comparison with a sampled one.

    >>> tf.random.all_candidate_sampler([[1]], 1, 3, True).sampled_candidates.numpy()
    array([0, 1, 2])

    Args:
        true_classes: The target classes, int64 of shape (batch, num_true).
        num_true: How many target classes a row has.
        num_sampled: The number of classes.
        unique: Makes no difference.
        seed: Makes no difference.
        name: A name for the operation.

    Returns: What `tf.random.uniform_candidate_sampler` returns; every expected count is 1.
    """
    attrs = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique}
    return AllCandidateSampler(*call_seeded(ops.all_candidate_sampler_op, seed, true_classes, name=name, **attrs))


@export("nn.compute_accidental_hits")
def compute_accidental_hits(
    true_classes: TensorLike,
    sampled_candidates: TensorLike,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> ComputeAccidentalHits:
    """Finds the sampled classes that are target classes, so that a loss can leave them out.

    >>> hits = tf.nn.compute_accidental_hits([[1], [5]], [5, 7], num_true=1)
    >>> hits.indices.numpy(), hits.ids.numpy()
    (array([1], dtype=int32), array([0]))

    Args:
        true_classes: The target classes, int64 of shape (batch, num_true).
        sampled_candidates: The sampled classes, an int64 vector.
        num_true: How many target classes a row has.
        seed: Makes no difference.
        name: A name for the operation.

    Returns: A named tuple of vectors, an element for each hit: `indices`, the row; `ids`, the position among the
        sampled classes; `weights`, the lowest float32, to be added to the logit.
    """
    hits = call_seeded(
        ops.compute_accidental_hits_op, seed, true_classes, sampled_candidates, name=name, num_true=num_true
    )
    return ComputeAccidentalHits(*hits)

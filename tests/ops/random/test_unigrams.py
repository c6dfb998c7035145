"""Given class frequencies: the alias table's probabilities, and where the frequencies come from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.random.unigrams import AliasTable, read_unigrams


@pytest.mark.parametrize("weights", [[1.0], [1.0, 2.0, 3.0], [0.0, 5.0, 0.0, 1.0], [3.5] * 7, list(range(1, 40))])
def test_slots_and_aliases_give_every_class_its_share(weights: list[float]) -> None:
    table = AliasTable(weights)
    uniform = (np.arange(4000, dtype=np.float32) + np.float32(0.5)) / np.float32(4000)
    slots = np.repeat(np.arange(table.size), 4000)
    picked = np.bincount(table.pick(slots, np.tile(uniform, table.size)), minlength=table.size)
    np.testing.assert_allclose(picked / len(slots), np.array(weights) / sum(weights), atol=1e-3)
    np.testing.assert_allclose(table.probability(np.arange(table.size)), np.array(weights) / sum(weights), rtol=1e-6)


def test_frequencies_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "words.csv"
    file.write_text("the,10\nof,5\n\ncomma, in name,1\n")
    table = read_unigrams(4, str(file), 1.0, 1, (1, 0), ())
    np.testing.assert_allclose(table.probability(np.arange(4)), np.array([0, 10, 5, 1]) / 16)


def test_a_shard_has_its_own_classes() -> None:
    table = read_unigrams(3, "", 0.5, 0, (2, 1), [1.0, 4.0, 9.0, 16.0, 25.0, 36.0])
    np.testing.assert_allclose(table.probability(np.arange(3)), np.array([2, 4, 6]) / 12)


def test_frequencies_that_are_missing_or_too_many_raise(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("a,b\n")
    for arguments, message in (
        ((9, "", 1.0, 0, (1, 0), [1.0, 2.0]), "range is 9 must be equal to weights size  2"),
        ((9, "", 1.0, 0, (1, 0), ()), "Must provide either vocab_file or unigrams"),
        ((9, "x", 1.0, 0, (1, 0), [1.0]), "Must only provide one of vocab_file and unigrams"),
        ((1, str(broken), 1.0, 0, (1, 0), ()), "Wrong vocabulary format"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            read_unigrams(*arguments)
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        read_unigrams(1, str(tmp_path / "none"), 1.0, 0, (1, 0), ())

"""`tf.data.experimental.RandomDataset`: the class; its numbers are tested with `Dataset.random`."""

from __future__ import annotations

import millrace as tf
from tests.data.pipelines import elements


def test_the_numbers_are_those_of_the_newer_form() -> None:
    tf.random.set_seed(87654321)
    for rerandomizes in (None, True):
        dataset = tf.data.experimental.RandomDataset(3, rerandomizes)
        assert isinstance(dataset, tf.data.experimental.RandomDataset)
        assert elements(dataset.take(3)) == elements(tf.data.Dataset.random(3, rerandomizes).take(3))

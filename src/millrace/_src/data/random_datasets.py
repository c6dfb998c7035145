"""`tf.data.experimental.RandomDataset`: the class; `tf.data.Dataset.random` is the newer form."""

from __future__ import annotations

from millrace._src.data.dataset import DatasetV2
from millrace._src.data.sources.random_numbers import random_of_kind
from millrace._src.util.export import export


@export("data.experimental.RandomDataset")
class RandomDatasetV2(DatasetV2):
    """Random numbers without end, scalars of int64; those of TensorFlow for given seeds.

    >>> tf.random.set_seed(1)
    >>> list(tf.data.experimental.RandomDataset(seed=4).take(2).as_numpy_iterator())
    [np.int64(3140572256), np.int64(1890473413)]
    """

    def __init__(
        self, seed: object = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> None:
        """Makes the dataset.

        Args:
          seed: a seed, which `tf.random.set_seed` combines with the global one.
          rerandomize_each_iteration: whether each pass has numbers of its own.
          name: a name for the dataset.
        """
        made = random_of_kind("_RandomDataset", seed, rerandomize_each_iteration, name)
        super().__init__(made._variant_tensor, made.element_spec)

"""`copy_to_device` and `prefetch_to_device`: the CPU works, other devices are refused."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.data.pipelines import elements

Dataset = tf.data.Dataset


@pytest.mark.parametrize("device", ["/cpu:0", "/device:CPU:0", "/job:localhost/replica:0/task:0/device:CPU:0"])
def test_elements_are_those_of_the_source_on_the_cpu(device: str) -> None:
    copied = Dataset.range(3).apply(tf.data.experimental.copy_to_device(device))
    assert elements(copied) == [0, 1, 2]
    assert type(copied).__name__ == "_CopyToDeviceDataset"
    fetched = Dataset.range(3).apply(tf.data.experimental.prefetch_to_device(device, 2))
    assert elements(fetched) == [0, 1, 2]
    assert type(fetched).__name__ == "_PrefetchDataset"
    assert elements(Dataset.range(3).apply(tf.data.experimental.prefetch_to_device(device))) == [0, 1, 2]


@pytest.mark.parametrize("make", [tf.data.experimental.copy_to_device, tf.data.experimental.prefetch_to_device])
def test_another_device_is_refused_in_words(make: Any) -> None:
    with tf.Graph().as_default(), pytest.raises(NotImplementedError, match="elements cannot be copied to '/gpu:0'"):
        Dataset.range(3).apply(make("/gpu:0"))
    with pytest.raises(ValueError, match="foo"):
        Dataset.range(3).apply(make("foo"))

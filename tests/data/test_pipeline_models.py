"""`tf.data.experimental.get_model_proto` says why there is no model of a pipeline."""

from __future__ import annotations

import pytest

import millrace as tf


def test_an_iterator_has_no_model() -> None:
    with pytest.raises(NotImplementedError, match="makes no model of a pipeline"):
        tf.data.experimental.get_model_proto(iter(tf.data.Dataset.range(3)))


def test_what_is_no_iterator_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Only supports `tf\.data\.Iterator`-typed `iterator`"):
        tf.data.experimental.get_model_proto(3)

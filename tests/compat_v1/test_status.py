"""A status that becomes an exception."""

from __future__ import annotations

import pytest

import millrace as tf

checked = tf.compat.v1.errors.raise_exception_on_not_ok_status


def test_a_code_becomes_its_error() -> None:
    with pytest.raises(tf.errors.NotFoundError, match="gone"), checked() as status:
        status.set(tf.errors.NOT_FOUND, "gone")


def test_an_error_in_the_block_goes_first() -> None:
    with pytest.raises(KeyError), checked() as status:
        status.set(tf.errors.NOT_FOUND, "gone")
        raise KeyError

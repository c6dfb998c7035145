"""Lookup tables made of datasets refuse in words, until there are lookup tables."""

from __future__ import annotations

import pytest

import millrace as tf


@pytest.mark.parametrize("name", ["DatasetInitializer", "table_from_dataset", "index_table_from_dataset"])
def test_tables_of_datasets_say_that_they_are_not_built_yet(name: str) -> None:
    with pytest.raises(NotImplementedError, match=f"{name}: lookup tables are not built yet"):
        getattr(tf.data.experimental, name)(tf.data.Dataset.range(3))

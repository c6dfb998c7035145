"""Lookup tables made of datasets: names that say what Millrace has not yet."""

from __future__ import annotations

from typing import Any, NoReturn

from millrace._src.util.export import export


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(
        f"tf.data.experimental.{name}: lookup tables are not built yet in Millrace. A dictionary made of the dataset's "
        "elements, or `tf.gather` from a tensor of values, does the same for a small table."
    )


@export("data.experimental.DatasetInitializer")
class DatasetInitializer:
    """TensorFlow's initializer of a lookup table from a dataset; not supported yet."""

    def __init__(self, dataset: Any) -> None:
        """Refuses: lookup tables are not built yet.

        Raises: NotImplementedError: always.
        """
        _refuse("DatasetInitializer")


@export("data.experimental.table_from_dataset")
def table_from_dataset(*args: Any, **kwargs: Any) -> NoReturn:
    """Refuses: lookup tables are not built yet.

    Raises: NotImplementedError: always.
    """
    _refuse("table_from_dataset")


@export("data.experimental.index_table_from_dataset")
def index_table_from_dataset(*args: Any, **kwargs: Any) -> NoReturn:
    """Refuses: lookup tables are not built yet.

    Raises: NotImplementedError: always.
    """
    _refuse("index_table_from_dataset")

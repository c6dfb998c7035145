"""`tf.data.experimental.CsvDataset`: the records of files of comma-separated values, a tensor for each column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, bool_, int64, string
from millrace._src.core.specs import TensorSpec
from millrace._src.data.dataset import DatasetV2
from millrace._src.data.dataset_base import apply_op
from millrace._src.data.sources.table_files import FIELD_TYPES, csv_dataset_v2
from millrace._src.util.export import export

_READ_BYTES = 4 << 20


@export("data.experimental.CsvDataset")
class CsvDatasetV2(DatasetV2):
    """The records of files of comma-separated values, as tuples with a scalar for each column.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.csv")
    >>> tf.io.write_file(path, 'age,name\\n31,Ann\\n,"Bob, the other"\\n')
    >>> dataset = tf.data.experimental.CsvDataset(path, [[0], tf.string], header=True)
    >>> list(dataset.as_numpy_iterator())
    [(np.int32(31), b'Ann'), (np.int32(0), b'Bob, the other')]
    """

    def __init__(
        self,
        filenames: object,
        record_defaults: Sequence[Any],
        compression_type: object = None,
        buffer_size: object = None,
        header: object = False,
        field_delim: object = ",",
        use_quote_delim: object = True,
        na_value: object = "",
        select_cols: object = None,
        exclude_cols: object = None,
    ) -> None:
        """Makes the dataset; files are opened when a pass comes to them.

        Args:
          filenames: the names of the files, a scalar or vector of strings.
          record_defaults: for each column that is read its dtype (float32, float64, int32, int64 or string) if no field
            may be empty, else the value of an empty field.
          compression_type: "", "ZLIB" or "GZIP".
          buffer_size: how many bytes are read at a time.
          header: whether the first record of each file is left out.
          field_delim: the character between fields.
          use_quote_delim: whether double quotes have a meaning.
          na_value: another text that means an empty field.
          select_cols: the indices of the columns to read, increasing; None for all.
          exclude_cols: the indices of the columns to leave out, increasing; None for none.

        Raises:
          tf.errors.InvalidArgumentError: if the arguments do not fit; while iterating, at a record with a mistake,
            behind which the pass can go on.
          tf.errors.NotFoundError: while iterating, at a missing file.
        """
        defaults = [_default(value) for value in record_defaults]
        spec = tuple(TensorSpec([], default.dtype) for default in defaults)
        arguments = [
            convert_to_tensor(filenames, dtype=string, name="filenames"),
            _or_default(compression_type, "", string, "compression_type"),
            _or_default(buffer_size, _READ_BYTES, int64, "buffer_size"),
            convert_to_tensor(header, dtype=bool_, name="header"),
            convert_to_tensor(field_delim, dtype=string, name="field_delim"),
            convert_to_tensor(use_quote_delim, dtype=bool_, name="use_quote_delim"),
            convert_to_tensor(na_value, dtype=string, name="na_value"),
            _or_default(select_cols, np.empty(0, np.int64), int64, "select_cols"),
            defaults,
            _or_default(exclude_cols, np.empty(0, np.int64), int64, "exclude_cols"),
        ]
        made = apply_op("CsvDatasetV2", csv_dataset_v2, arguments, spec)
        super().__init__(made._variant_tensor, spec)


def _default(value: Any) -> Any:
    """Returns the default of a column as a tensor; an empty one for a dtype."""
    if isinstance(value, DType) and value in FIELD_TYPES:
        return convert_to_tensor([], dtype=value)
    return convert_to_tensor(value)


def _or_default(value: Any, default: Any, dtype: DType, name: str) -> Any:
    return convert_to_tensor(default if value is None else value, dtype=dtype, name=name)

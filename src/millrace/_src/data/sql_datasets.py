"""`tf.data.experimental.SqlDataset`: the rows that a query of a database gives."""

from __future__ import annotations

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import string
from millrace._src.core.specs import TensorSpec
from millrace._src.data.dataset import DatasetV2
from millrace._src.data.dataset_base import apply_op
from millrace._src.data.sources.sql_queries import sql_dataset
from millrace._src.util import nest
from millrace._src.util.export import export


@export("data.experimental.SqlDataset")
class SqlDatasetV2(DatasetV2):
    """The rows that a query of an SQLite database gives, with a scalar for each column.

    >>> import os, sqlite3, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "people.db")
    >>> with sqlite3.connect(path) as database:
    ...     _ = database.execute("create table people(name text, age integer)")
    ...     _ = database.execute("insert into people values('Ann', 31), ('Bob', 19)")
    >>> query = "select name, age from people order by age"
    >>> list(tf.data.experimental.SqlDataset("sqlite", path, query, (tf.string, tf.int32)).as_numpy_iterator())
    [(b'Bob', np.int32(19)), (b'Ann', np.int32(31))]
    """

    def __init__(self, driver_name: object, data_source_name: object, query: object, output_types: object) -> None:
        """Makes the dataset; the database is opened when the first row is asked for.

        Args:
          driver_name: "sqlite".
          data_source_name: the name of the database's file.
          query: the query, which may not change the database.
          output_types: a tuple of the dtypes of the columns: int8, int16, int32, int64, uint8, uint16, bool, float64 or
            string.

        Raises:
          tf.errors.InvalidArgumentError: for another driver or dtype; while iterating, if the query gives another
            number of columns.
          tf.errors.UnknownError: while iterating, if SQLite refuses the query.
        """
        spec = nest.map_structure(lambda dtype: TensorSpec([], dtype), output_types)
        texts = {"driver_name": driver_name, "data_source_name": data_source_name, "query": query}
        arguments = [convert_to_tensor(text, dtype=string, name=name) for name, text in texts.items()]
        made = apply_op("SqlDatasetV2", sql_dataset, arguments, spec)
        super().__init__(made._variant_tensor, spec)

"""`Dataset.list_files`: the names of the files that match patterns.

Tests: tests/oracle/programs/data_files.py, tests/data/test_record_datasets.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int64, string
from millrace._src.data.sources.tensors import from_tensor_slices
from millrace._src.data.transforms.shuffle import shuffle as shuffled
from millrace._src.graph.scopes import control_dependencies
from millrace._src.ops import raw
from millrace._src.ops.debug.assertion import assert_that
from millrace._src.ops.io.files import matching_files
from millrace._src.ops.strings.joining import reduce_join


def list_files(file_pattern: Any, shuffle: bool | None = None, seed: object = None, name: str | None = None) -> Any:
    """Makes a dataset of the names of the files that match patterns.

    The files are looked up now, not when the dataset is gone through.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> for letter in "cab":
    ...     tf.io.write_file(os.path.join(folder, letter), "")
    >>> names = tf.data.Dataset.list_files(folder + "/*", shuffle=False)
    >>> [os.path.basename(name) for name in names.as_numpy_iterator()]
    [b'a', b'b', b'c']

    Args:
      file_pattern: a pattern, or a list or tensor of patterns; see `tf.io.gfile.glob`.
      shuffle: whether the names come in random order, another one in each pass; None is True.
      seed: the seed of that order.
      name: a name for the dataset.

    Returns: A Dataset of scalars of string.
    Raises: tf.errors.InvalidArgumentError: if no file matches.
    """
    with name_scope("list_files"):
        patterns = convert_to_tensor(file_pattern, dtype=string, name="file_pattern")
        names = matching_files(patterns)
        count = raw.Shape(input=names, out_type=int64)[0]
        is_found = raw.Greater(x=count, y=0, name="match_not_empty")
        text = raw.Add(x="No files matched pattern: ", y=reduce_join(patterns, separator=", "), name="message")
        check = assert_that(is_found, [text], summarize=1, name="assert_not_empty")
        with control_dependencies([] if check is None else [check]):
            names = raw.Identity(input=names)
        dataset = from_tensor_slices(names, name=name)
        if shuffle is None or shuffle:
            dataset = shuffled(dataset, raw.Maximum(x=count, y=convert_to_tensor(1, dtype=int64)), seed)
        return dataset

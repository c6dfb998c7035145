"""Tables that answer every key: a key that is not in the table gets a bucket, by its hash.

The ids of a vocabulary of n words are 0 to n - 1. Each further word gets one of the ids n to n + buckets - 1, always
the same one. `tf.lookup.StaticVocabularyTable` is such a table; the tables of
`tf.data.experimental.index_table_from_dataset` are, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from millrace._src.core.context import name_scope, state
from millrace._src.core.dtypes import DType, as_dtype, int32, int64, string
from millrace._src.ops import raw
from millrace._src.ops.strings.hashing import to_hash_bucket_fast, to_hash_bucket_strong
from millrace._src.ops.strings.numbers import as_string
from millrace._src.state.lookup.interface import LookupInterface, keys_of_dtype, map_keys
from millrace._src.state.lookup.static_hash_table import StaticHashTable
from millrace._src.util.export import export


class HasherSpec(NamedTuple):
    """Which hash gives keys their buckets.

    Attributes:
      hasher: "fasthash" or "stronghash".
      key: the key of the strong hash, two integers.
    """

    hasher: str
    key: Sequence[int] | None


FAST_HASH = HasherSpec("fasthash", None)


class StrongHashSpec(HasherSpec):
    """The hash whose collisions cannot be found without the key.

    Args: key: two integers of 64 bits.
    Raises:
      ValueError: if there are not two.
      TypeError: if they are not integers.
    """

    __slots__ = ()

    def __new__(cls, key: Sequence[int]) -> StrongHashSpec:
        if len(key) != 2:
            raise ValueError(f"`key` must have size 2, received {len(key)}")
        if not all(isinstance(part, int) and not isinstance(part, bool) for part in key):
            raise TypeError(f"Invalid key {key}. Must be unsigned integer values.")
        return super().__new__(cls, "stronghash", key)


def _bucket(texts: Any, count: int, spec: HasherSpec) -> Any:
    """Returns the bucket of each text.

    Raises: ValueError: if there is no such hash.
    """
    if spec.hasher == "fasthash":
        return to_hash_bucket_fast(texts, count, name="hash_bucket")
    if spec.hasher == "stronghash":
        return to_hash_bucket_strong(texts, count, spec.key, name="hash_bucket")
    raise ValueError(f"Found unknown hasher {spec.hasher} in `hasher_spec`")


class IdTableWithHashBuckets(LookupInterface):
    """A table of ids with buckets for keys that are not in the table.

    Args:
      table: a table with values of int64; None if all keys get buckets.
      num_oov_buckets: the number of buckets.
      hasher_spec: which hash gives keys their buckets.
      name: the name of the table.
      key_dtype: the dtype of the keys that are looked up; None for that of the table.

    Raises:
      TypeError: if the dtypes do not go together, or `hasher_spec` is something else.
      ValueError: if there is neither a table nor a bucket.
    """

    def __init__(
        self,
        table: StaticHashTable | None,
        num_oov_buckets: int,
        hasher_spec: HasherSpec = FAST_HASH,
        name: str | None = None,
        key_dtype: Any = None,
    ) -> None:
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError(f"`hasher_spec` must be of type HasherSpec, got {type(hasher_spec)}.")
        if table is None and num_oov_buckets <= 0:
            raise ValueError("Table or num_oov_buckets must be given.")
        super().__init__(_key_dtype(table, key_dtype), int64)
        self._table = table
        if table is not None:
            self._track_trackable(table._initializer, "_initializer")
        self._bucket_count = num_oov_buckets
        self._hasher_spec = hasher_spec
        self._name = name or "hash_bucket" if table is None else name or table.name

    @property
    def name(self) -> str | None:
        """The name of the table."""
        return self._name

    @property
    def resource_handle(self) -> Any:
        """The handle of the table behind the buckets; None if there is none."""
        return None if self._table is None else self._table.resource_handle

    def _create_resource(self) -> Any:
        """Makes the table behind the buckets; returns its handle, None if there is no table."""
        return None if self._table is None else self._table._create_resource()

    def _initialize(self) -> Any:
        """Fills the table behind the buckets."""
        return None if self._table is None else self._table._initialize()

    def _contents(self) -> Sequence[Any]:
        return () if self._table is None else self._table.export()

    @property
    def initializer(self) -> Any:
        """The operation that fills the table in a graph, else None."""
        return None if self._table is None else self._table._init_op

    def size(self, name: str | None = None) -> Any:
        """Returns the number of keys and buckets, a scalar of int64.

        Args: name: name of the operation's scope in a graph.
        """
        with name_scope(name, f"{self.name}_Size"):
            known = 0 if self._table is None else self._table.size()
            return raw.AddV2(x=raw.Cast(x=known, DstT=int64), y=raw.Cast(x=self._bucket_count, DstT=int64))

    def lookup(self, keys: object, name: str | None = None) -> Any:
        """Returns the ids of keys.

        Args:
          keys: a Tensor, `tf.SparseTensor` or `tf.RaggedTensor` of keys, or what becomes a Tensor.
          name: name of the operation's scope in a graph.

        Returns: The ids, of int64, in the structure of `keys`.
        Raises: TypeError: if `keys` has another dtype than the table's keys.
        """
        return map_keys(lambda flat: self._ids(flat, name), keys_of_dtype(keys, self.key_dtype))

    def __getitem__(self, keys: object) -> Any:
        """Returns the values of keys; see `lookup`."""
        return self.lookup(keys)

    def _ids(self, keys: Any, name: str | None) -> Any:
        if self._table is not None and self._table.key_dtype is not keys.dtype:
            keys = raw.Cast(x=keys, DstT=self._table.key_dtype)
        if self._bucket_count == 0 and self._table is not None:
            return self._table.lookup(keys, name=name)
        with name_scope(name, f"{self.name}_Lookup"):
            if self._table is None:
                return self._buckets(keys)
            ids = self._table.lookup(keys)
            is_known = raw.NotEqual(x=ids, y=self._table.default_value)
            if state.graph is None and keys.shape.rank:
                return self._with_buckets(self._table, keys, ids, is_known)
            other_ids = raw.AddV2(x=self._buckets(keys), y=self._table.size())
            return raw.SelectV2(condition=is_known, t=ids, e=other_ids)

    def _buckets(self, keys: Any) -> Any:
        texts = keys if keys.dtype is string else as_string(keys)
        return _bucket(texts, self._bucket_count, self._hasher_spec)

    def _with_buckets(self, table: StaticHashTable, keys: object, ids: object, is_known: object) -> Any:
        """Returns the ids with those of buckets for unknown keys; only these are hashed, which takes longest."""
        positions = raw.Where(input=raw.LogicalNot(x=is_known))
        if not positions.shape[0]:
            return ids
        other_ids = raw.AddV2(x=self._buckets(raw.GatherNd(params=keys, indices=positions)), y=table.size())
        return raw.TensorScatterUpdate(tensor=ids, indices=positions, updates=other_ids)


def _key_dtype(table: StaticHashTable | None, asked: object) -> DType:
    """Returns the dtype of the keys that are looked up.

    Raises: TypeError: if the table has other keys, or other values than int64.
    """
    if table is None:
        dtype = as_dtype(asked or string)
    else:
        dtype = as_dtype(asked or table.key_dtype)
        if table.key_dtype.is_integer != dtype.is_integer:
            expected = "integer" if dtype.is_integer else "non-integer"
            raise TypeError(f"Invalid `key_dtype`, expected {expected} but got {table.key_dtype!s}.")
        if table.value_dtype is not int64:
            raise TypeError(f"Invalid `value_dtype`: expected {int64!s} but got {table.value_dtype!s}.")
    if dtype not in (int32, int64, string):
        raise TypeError(f"Invalid `key_dtype`, expected integer or string, got {dtype!s}")
    return dtype


@export("lookup.StaticVocabularyTable", v1=[])
class StaticVocabularyTable(IdTableWithHashBuckets):
    """A table of the ids of words, in which each unknown word has an id too.

    >>> words, ids = tf.constant(["emerson", "lake"]), tf.constant([0, 1], tf.int64)
    >>> table = tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(words, ids), num_oov_buckets=3)
    >>> table.lookup(tf.constant(["lake", "palmer"])).numpy()
    array([1, 2])
    >>> table.size().numpy()
    np.int64(5)

    Args:
      initializer: what fills the table, with ids of int64; None if all words get buckets.
      num_oov_buckets: the number of ids for unknown words.
      lookup_key_dtype: the dtype of the words that are looked up, if not that of the table.
      name: name of the table.
      experimental_is_anonymous: whether no graph can name the table.

    Raises:
      ValueError: if there is no bucket.
      TypeError: if the dtypes do not go together.
    """

    _table_class: type[StaticHashTable] = StaticHashTable

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        if initializer is None:
            super().__init__(None, num_oov_buckets, name=name)
            return
        if initializer.key_dtype not in (int64, string):
            expected = "expected one of (tf.int64, tf.string)"
            raise TypeError(f"Invalid `key_dtype`, {expected}, but got {initializer.key_dtype!s}")
        if initializer.value_dtype is not int64:
            raise TypeError(f"Invalid `value_dtype`, expected {int64!s} but got {initializer.value_dtype!s}.")
        table = self._table_class(initializer, -1, name, experimental_is_anonymous)
        super().__init__(table, num_oov_buckets, name=name, key_dtype=lookup_key_dtype)
        self._track_trackable(initializer, "_initializer")

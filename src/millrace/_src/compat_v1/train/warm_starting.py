"""`tf.compat.v1.train.warm_start`: a training that begins where an older one ended.

Most variables take values as `init_from_checkpoint` gives them. A row (or column) for each word of a vocabulary must be
found by its word: where the new vocabulary has a word of the old one, the row is that of the old variable, and all
other rows come from an initializer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.compat_v1.train.checkpoint_initializers import (
    InitialCheckpoint,
    init_from_checkpoint,
    set_initial_value,
)
from millrace._src.compat_v1.variables.collections import global_variables, trainable_variables
from millrace._src.compat_v1.variables.initializers import Zeros
from millrace._src.core.dtypes import DType
from millrace._src.ops import raw
from millrace._src.ops.io.file_systems import content_of
from millrace._src.state.variable import Variable
from millrace._src.util.export import export


class _VocabInfoFields(NamedTuple):
    new_vocab: str
    new_vocab_size: int
    num_oov_buckets: int
    old_vocab: str
    old_vocab_size: int = -1
    backup_initializer: Any = None
    axis: int = 0


@export(v1=["train.VocabInfo"])
class VocabInfo(_VocabInfoFields):
    """States the vocabularies of a variable that has a row or a column for each word.

    >>> tf.compat.v1.train.VocabInfo("new.txt", 100, 1, "old.txt").old_vocab_size
    -1

    Args:
      new_vocab: The file of the new vocabulary, one word a line.
      new_vocab_size: How many of its words count.
      num_oov_buckets: How many rows follow for words that the vocabulary has not.
      old_vocab: The file of the vocabulary of the checkpoint.
      old_vocab_size: How many of its words count; -1 for all.
      backup_initializer: The initializer of rows that the checkpoint has not; default zeros.
      axis: 0 if each word has a row, 1 if each has a column.

    Raises: ValueError: for another axis.
    """

    def __new__(
        cls,
        new_vocab: str,
        new_vocab_size: int,
        num_oov_buckets: int,
        old_vocab: str,
        old_vocab_size: int = -1,
        backup_initializer: object = None,
        axis: int = 0,
    ) -> VocabInfo:
        if axis not in (0, 1):
            raise ValueError(f"The only supported values for the axis argument are 0 and 1.  Provided axis: {axis}")
        fields = new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size, backup_initializer, axis
        return super().__new__(cls, *fields)


@export(v1=["train.warm_start"])
def warm_start(
    ckpt_to_initialize_from: str,
    vars_to_warm_start: object = ".*",
    var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Lets variables of the default graph begin with values of a checkpoint.

    Args:
      ckpt_to_initialize_from: The checkpoint, or a folder whose newest checkpoint it is.
      vars_to_warm_start: A regular expression that the names of trainable variables must match at their beginning; a
        list of such expressions, for all global variables; a list of variables; or None for those with vocabularies.
      var_name_to_vocab_info: The vocabularies of variables by their names.
      var_name_to_prev_var_name: The names in the checkpoint of variables that have other names there.

    Raises:
      ValueError: If a name is not used, or the checkpoint lacks a tensor.
      TypeError: If a list holds something else than names, or than variables.
    """
    vocabularies, earlier_names = dict(var_name_to_vocab_info or {}), dict(var_name_to_prev_var_name or {})
    if vars_to_warm_start is None:
        variables = _group(_with_vocabularies(vocabularies))
    else:
        variables = _group(_choose(vars_to_warm_start))
    _refuse_unused("var_name_to_prev_var_name", earlier_names, variables)
    _refuse_unused("var_name_to_vocab_info", vocabularies, variables)
    for name, parts in variables.items():
        saved_name = earlier_names.get(name, name)
        if name in vocabularies:
            _begin_with_words(InitialCheckpoint(ckpt_to_initialize_from), saved_name, parts, vocabularies[name])
        else:
            init_from_checkpoint(ckpt_to_initialize_from, {saved_name: parts if len(parts) > 1 else parts[0]})


def _choose(vars_to_warm_start: object) -> list[Any]:
    """Returns the variables that are asked for.

    Raises: TypeError, ValueError: for something else.
    """
    if isinstance(vars_to_warm_start, str):
        return trainable_variables(vars_to_warm_start)
    if not isinstance(vars_to_warm_start, list):
        raise ValueError(f"`vars_to_warm_start must be a `list` or `str`.  Given type is {type(vars_to_warm_start)}")
    if all(isinstance(item, str) for item in vars_to_warm_start):
        return [variable for pattern in vars_to_warm_start for variable in global_variables(pattern)]
    if all(isinstance(item, Variable) for item in vars_to_warm_start):
        return list(vars_to_warm_start)
    raise TypeError(f"vars_to_warm_start: expected names or variables, not a mixture; got {vars_to_warm_start}.")


def _with_vocabularies(vocabularies: Mapping[str, VocabInfo]) -> list[Any]:
    return [variable for variable in global_variables() if _whole_name(variable) in vocabularies]


def _whole_name(variable: Any) -> str:
    """Returns the name of a variable, or of the whole of which it is a part."""
    part = variable._get_save_slice_info()
    return str(variable._shared_name if part is None else part.full_name)


def _group(variables: Iterable[Any]) -> dict[str, list[Any]]:
    """Returns variables, or the parts of partitioned ones, by name, each once."""
    groups: dict[str, list[Any]] = {}
    for variable in variables:
        parts = groups.setdefault(_whole_name(variable), [])
        if not any(variable is part for part in parts):
            parts.append(variable)
    return groups


def _refuse_unused(argument: str, names: Mapping[str, Any], variables: Mapping[str, Any]) -> None:
    unused = set(names) - set(variables)
    if unused:
        raise ValueError(
            f"You provided the following variables in {argument} that were not used: {unused}.  Perhaps you misspelled "
            f"them?  Here is the list of viable variable names: {variables.keys()}"
        )


def _begin_with_words(checkpoint: InitialCheckpoint, saved_name: str, parts: Sequence[Any], info: VocabInfo) -> None:
    """Lets a variable begin with the rows or columns that an older variable had for the same words."""
    checkpoint.require(saved_name)
    indices = _indices_of_words(info)
    for part in parts:
        slice_info = part._get_save_slice_info()
        start = 0 if slice_info is None else slice_info.var_offset[info.axis]
        size = part.shape.as_list()[info.axis]
        saved = checkpoint.read(saved_name, part.dtype.base_dtype)
        set_initial_value(part, _remap(saved, indices[start : start + size], part.shape.as_list(), info, part.dtype))


def _indices_of_words(info: VocabInfo) -> list[int]:
    """Returns for each row of the new variable the row of the old one; -1 for rows that are new."""
    old_words = _words(info.old_vocab, info.old_vocab_size)
    old_indices = {word: index for index, word in reversed(list(enumerate(old_words)))}
    indices = [old_indices.get(word, -1) for word in _words(info.new_vocab, info.new_vocab_size)]
    missing = info.new_vocab_size - len(indices)
    if missing > 0:
        raise ValueError(f"{info.new_vocab} has {len(indices)} words; new_vocab_size is {info.new_vocab_size}.")
    return [*indices, *[-1] * info.num_oov_buckets]


def _words(path: str, count: int) -> list[str]:
    """Returns the words of a file: one a line, the first of them, or all if `count` is -1."""
    words = content_of(path).decode().splitlines()
    return words if count < 0 else words[:count]


def _remap(saved: object, indices: Sequence[int], shape: Sequence[int], info: VocabInfo, dtype: DType) -> Any:
    """Returns rows or columns of a tensor at indices, and those of an initializer where the index is -1."""
    dtype = dtype.base_dtype
    found = raw.GatherV2(params=saved, indices=np.maximum(indices, 0).astype(np.int64), axis=info.axis)
    fresh = (info.backup_initializer or Zeros())(shape, dtype=dtype)
    is_found = np.reshape(np.array(indices) >= 0, [-1 if axis == info.axis else 1 for axis in range(len(shape))])
    return raw.SelectV2(condition=is_found, t=found, e=fresh)

"""`Dataset.save` in steps: checkpoints say how far a dataset is saved, and a later call goes on from there.

Each checkpoint completes the files that were begun, and holds the state of the iterator beside the number of complete
files. A later call removes what was written after the last checkpoint, and begins new files. A run that has come to its
end is not gone on with: the next call saves anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millrace._src.checkpoint.checkpoint import Checkpoint
from millrace._src.checkpoint.manager import CheckpointManager
from millrace._src.core.context import state
from millrace._src.core.dtypes import string
from millrace._src.core.op_registry import late_bound
from millrace._src.data.blocks import Block
from millrace._src.data.dataset_base import DatasetBase
from millrace._src.data.element_files import validate_compression
from millrace._src.data.iterator_resource import IteratorResource
from millrace._src.data.iterator_states import restore_iterator, save_iterator
from millrace._src.data.options import ExternalStatePolicy, Options
from millrace._src.data.saved_folders import RunWriter, read_metadata
from millrace._src.data.state_bytes import from_bytes, to_bytes
from millrace._src.data.traced_functions import BoundFunction, TracedFunction
from millrace._src.data.transforms.save_load import check_shard_function
from millrace._src.data.transforms.with_options import OptionsNode, options_of
from millrace._src.state.variable import Variable


@late_bound("save_dataset_in_steps")
def save_dataset_in_steps(
    dataset: DatasetBase, folder: str, compression: str, shard_func: TracedFunction | None, arguments: Mapping[str, Any]
) -> None:
    """Writes all elements of a dataset into a folder, from the last checkpoint on if there is one.

    Args:
      dataset: the dataset.
      folder: the folder.
      compression: "", "GZIP" or "ZLIB".
      shard_func: returns the number of an element's shard; None to put all elements into one.
      arguments: those of the `CheckpointManager`, except for the checkpoint.
    """
    if state.graph is not None:
        raise NotImplementedError("Dataset.save: `checkpoint_args` are supported in eager mode only.")
    if "checkpoint" in arguments:
        raise ValueError("Invalid `checkpoint_args`. `checkpoint_args` are not allowed to include 'checkpoint'.")
    steps = _Steps(dataset, arguments)
    progress = steps.restore(folder)
    writer = RunWriter(folder, dataset.node.dtypes, validate_compression(compression), progress=progress)
    try:
        steps.write_all(writer, None if shard_func is None else _bind(shard_func))
        writer.finish()
    finally:
        steps.close()
        writer.close()


def _bind(function: TracedFunction) -> BoundFunction:
    bound = BoundFunction(function.graph_function, [capture._eager_array for capture in function.captures])
    check_shard_function(bound)
    return bound


class _Steps:
    """A pass over a dataset whose position is in checkpoints.

    Args:
      dataset: the dataset.
      arguments: those of the `CheckpointManager`.
    """

    def __init__(self, dataset: DatasetBase, arguments: Mapping[str, Any]) -> None:
        self._text = Variable(b"", trainable=False, dtype=string, name="progress")
        self._manager = CheckpointManager(Checkpoint(progress=self._text), **arguments)
        self._counter = arguments.get("step_counter")
        self._interval = arguments.get("checkpoint_interval") or 1
        options = Options()
        options.experimental_optimization.inject_prefetch = False
        node = OptionsNode(dataset.node.dtypes, dataset.node.shapes, dataset.node, options)
        self._policy = options_of(node).experimental_external_state_policy or ExternalStatePolicy.FAIL
        # An element that is an error must not be made ahead: the position would hold the error, which a later call
        # may have mended.
        self._resource = IteratorResource(node.dtypes, node.shapes, takes_blocks=False)
        self._resource.start(node)

    def restore(self, folder: str) -> Any:
        """Goes to the position of the last checkpoint; returns what the writer then needs, None to begin anew."""
        self._manager.restore_or_initialize()
        text = self._text.numpy()
        metadata = read_metadata(folder)
        if not text or metadata is None or metadata.finalized:
            return None
        (run, count, files), position = from_bytes(text)
        if run != metadata.run_id:
            return None
        restore_iterator(self._resource, position)
        return run, count, files

    def write_all(self, writer: RunWriter, sharding: BoundFunction | None) -> None:
        """Writes the elements from the position on."""
        count = 0
        while (row := self._resource.next_row()) is not None:
            shards = None if sharding is None else sharding.call_row(row)[0].reshape(1)
            writer.write(Block.of_rows([row]), shards)
            count += 1
            if self._counter is not None:
                self._counter.assign_add(1)
            if count % self._interval == 0:
                self._text.assign(to_bytes((writer.pause(), save_iterator(self._resource, self._policy))))
                self._manager.save(check_interval=False)

    def close(self) -> None:
        """Ends the pass."""
        self._resource.close()

"""Datasets in SavedModels: a dataset that functions capture is made again when the model is loaded."""

from __future__ import annotations

from typing import Any

from millrace._src.core.context import state
from millrace._src.data.dataset_base import DatasetBase
from millrace._src.data.serialized_graphs import dataset_in_graph
from millrace._src.state.resource import CapturableResource


class DatasetResource(CapturableResource):
    """The variant tensor of a dataset, which functions capture, as an object of a SavedModel.

    Args: dataset: a dataset that was made in eager mode.
    """

    def __init__(self, dataset: DatasetBase) -> None:
        super().__init__(device="CPU")
        self._dataset = dataset
        self._resource_handle = dataset._variant_tensor

    def _create_resource(self) -> Any:
        """Makes the dataset in the current graph, by the op calls that made it."""
        return dataset_in_graph(self._dataset.node, state.graph)

    def _destroy_resource(self) -> None:
        """Does nothing: a dataset is gone with its last tensor."""

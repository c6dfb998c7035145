"""What the summaries of TensorBoard's plugins say of themselves: the metadata of scalars, images, and so on.

Tests: tests/summary/test_writers.py
"""

from __future__ import annotations

import functools

from millrace._src.proto import summary_pb2, summary_plugins_pb2

SCALARS = "scalars"
HISTOGRAMS = "histograms"
IMAGES = "images"
AUDIO = "audio"
TEXT = "text"

_DATA = {
    SCALARS: summary_plugins_pb2.ScalarPluginData(),
    HISTOGRAMS: summary_plugins_pb2.HistogramPluginData(),
    IMAGES: summary_plugins_pb2.ImagePluginData(),
    AUDIO: summary_plugins_pb2.AudioPluginData(encoding=summary_plugins_pb2.AudioPluginData.WAV),
    TEXT: summary_plugins_pb2.TextPluginData(),
}


@functools.lru_cache(maxsize=1024)
def metadata_of(plugin: str, description: str | None) -> bytes:
    """Returns the serialized `SummaryMetadata` of the summaries of a plugin.

    Args:
      plugin: the name of the plugin.
      description: what the summary is about, in Markdown; None for nothing.
    """
    data = summary_pb2.SummaryMetadata.PluginData(plugin_name=plugin, content=_DATA[plugin].SerializeToString())
    metadata = summary_pb2.SummaryMetadata(plugin_data=data, summary_description=description or "")
    return bytes(metadata.SerializeToString())

"""The public names of protocol messages below `tf.compat.v1`: `GraphDef`, `ConfigProto`, `Event`, ...

Tests: tests/contracts/test_public_names.py
"""

from __future__ import annotations

from millrace._src.proto import (
    attr_value_pb2,
    config_pb2,
    event_pb2,
    graph_pb2,
    histogram_pb2,
    meta_graph_pb2,
    node_def_pb2,
    saver_pb2,
    summary_pb2,
)
from millrace._src.util.export import export_all

AttrValue = attr_value_pb2.AttrValue
NameAttrList = attr_value_pb2.NameAttrList
ConfigProto = config_pb2.ConfigProto
GPUOptions = config_pb2.GPUOptions
GraphOptions = config_pb2.GraphOptions
OptimizerOptions = config_pb2.OptimizerOptions
RunMetadata = config_pb2.RunMetadata
RunOptions = config_pb2.RunOptions
Event = event_pb2.Event
LogMessage = event_pb2.LogMessage
SessionLog = event_pb2.SessionLog
TaggedRunMetadata = event_pb2.TaggedRunMetadata
GraphDef = graph_pb2.GraphDef
HistogramProto = histogram_pb2.HistogramProto
MetaGraphDef = meta_graph_pb2.MetaGraphDef
TensorInfo = meta_graph_pb2.TensorInfo
NodeDef = node_def_pb2.NodeDef
Summary = summary_pb2.Summary
SummaryDescription = summary_pb2.SummaryDescription
SummaryMetadata = summary_pb2.SummaryMetadata
SaverDef = saver_pb2.SaverDef

export_all(
    __name__,
    "compat.v1",
    [
        "AttrValue",
        "ConfigProto",
        "Event",
        "GPUOptions",
        "GraphDef",
        "GraphOptions",
        "HistogramProto",
        "LogMessage",
        "MetaGraphDef",
        "NameAttrList",
        "NodeDef",
        "OptimizerOptions",
        "RunMetadata",
        "RunOptions",
        "SessionLog",
        "Summary",
        "SummaryMetadata",
        "TensorInfo",
    ],
)
export_all(__name__, "compat.v1.summary", ["Event", "SessionLog", "Summary", "SummaryDescription", "TaggedRunMetadata"])
export_all(__name__, "compat.v1.train", ["SaverDef"])

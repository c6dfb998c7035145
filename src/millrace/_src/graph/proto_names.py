"""The public names of protocol messages: `tf.compat.v1.GraphDef`, `tf.train.Example`, ...

The classes of the messages are generated; this module gives the classes their names in `tf`. The module loads protobuf,
so only the first use of such a name imports the module.
"""

from __future__ import annotations

from millrace._src.proto import (
    attr_value_pb2,
    cluster_pb2,
    config_pb2,
    event_pb2,
    example_pb2,
    feature_pb2,
    graph_pb2,
    histogram_pb2,
    meta_graph_pb2,
    node_def_pb2,
    saver_pb2,
    summary_pb2,
    tensorflow_server_pb2,
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

BytesList = feature_pb2.BytesList
Feature = feature_pb2.Feature
FeatureList = feature_pb2.FeatureList
FeatureLists = feature_pb2.FeatureLists
Features = feature_pb2.Features
FloatList = feature_pb2.FloatList
Int64List = feature_pb2.Int64List
Example = example_pb2.Example
SequenceExample = example_pb2.SequenceExample
ClusterDef = cluster_pb2.ClusterDef
JobDef = cluster_pb2.JobDef
ServerDef = tensorflow_server_pb2.ServerDef

export_all(
    __name__,
    "train",
    [
        "BytesList",
        "ClusterDef",
        "Example",
        "Feature",
        "FeatureList",
        "FeatureLists",
        "Features",
        "FloatList",
        "Int64List",
        "JobDef",
        "SequenceExample",
        "ServerDef",
    ],
)

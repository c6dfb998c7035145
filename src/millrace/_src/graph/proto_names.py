"""The public names of protocol messages: `tf.compat.v1.GraphDef`, `tf.train.Example`, ...

The classes of the messages are generated; this module gives the classes their names in `tf`. The module loads protobuf,
so only the first use of such a name imports the module.

Tests: tests/contracts/test_public_names.py
"""

from __future__ import annotations

from millrace._src.proto import (
    cluster_pb2,
    example_pb2,
    feature_pb2,
    tensorflow_server_pb2,
)
from millrace._src.util.export import export_all

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

"""The fingerprint of a SavedModel: hashes by which two SavedModels are told apart.

Problem: programs that keep many models want to know whether two are the same, without comparing gigabytes, and whether
what differs is the program, its interface or the values of its variables.

Idea: TensorFlow's: a small file beside the SavedModel has a FarmHash of each part, with names that hold counters left
out. What each hash covers was found by asking TensorFlow for the fingerprints of small files. TensorFlow hashes the
entries of some maps in an order of its own, so that its `saved_model_checksum` of a file can differ from the one here,
which is the hash of the file's bytes.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from millrace._src.core.dtypes import string
from millrace._src.core.errors import NotFoundError
from millrace._src.ops.array.farmhash import combine_fingerprints, fingerprint64
from millrace._src.ops.io.file_systems import content_of
from millrace._src.proto import fingerprint_pb2, graph_pb2
from millrace._src.saved_model.constants import FINGERPRINT_FILENAME
from millrace._src.saved_model.folder import folder_name
from millrace._src.util.export import export

_PRODUCER = 4
_NUMBER = re.compile(r"\d+$")
_CALLS = ("PartitionedCall", "StatefulPartitionedCall")
_FIELDS = ("graph_def_program_hash", "signature_def_hash", "saved_object_graph_hash", "checkpoint_hash")


@export("saved_model.experimental.Fingerprint", v1=[])
class Fingerprint:
    """The hashes of a SavedModel's parts, each a number of 64 bits.

    >>> tf.saved_model.experimental.Fingerprint(1, 2, 3, 4, 5).singleprint()
    '2/3/4/5'

    Args:
      saved_model_checksum: hash of the file `saved_model.pb`, whatever in it differs.
      graph_def_program_hash: hash of the graph, without functions and the numbers in names of functions.
      signature_def_hash: hash of the signatures.
      saved_object_graph_hash: hash of what the functions of objects take and return.
      checkpoint_hash: hash of the index of the variables.
      version: the number of the rules by which the hashes are computed.
    """

    def __init__(
        self,
        saved_model_checksum: int | None = None,
        graph_def_program_hash: int | None = None,
        signature_def_hash: int | None = None,
        saved_object_graph_hash: int | None = None,
        checkpoint_hash: int | None = None,
        version: int | None = None,
    ) -> None:
        self.saved_model_checksum = saved_model_checksum
        self.graph_def_program_hash = graph_def_program_hash
        self.signature_def_hash = signature_def_hash
        self.saved_object_graph_hash = saved_object_graph_hash
        self.checkpoint_hash = checkpoint_hash
        self.version = version

    @classmethod
    def from_proto(cls, proto: Any) -> Fingerprint:
        """Makes a fingerprint of a `FingerprintDef` message, or of its bytes.

        Raises: ValueError: if the bytes are no such message.
        """
        if isinstance(proto, bytes):
            try:
                proto = fingerprint_pb2.FingerprintDef.FromString(proto)
            except DecodeError as error:
                raise ValueError("The given bytes are not a FingerprintDef message.") from error
        hashes = {name: getattr(proto, name) for name in _FIELDS}
        return cls(proto.saved_model_checksum, **hashes, version=proto.version)

    def singleprint(self) -> str:
        """Returns the hashes that do not depend on how the file was written, as one text.

        Raises: ValueError: if one of them is missing.
        """
        values = [getattr(self, name) for name in _FIELDS]
        if any(value is None for value in values):
            listed = "".join(f"{name}: {value}" for name, value in zip(_FIELDS, values))
            raise ValueError(f"Encounted invalid fingerprint values when constructing singleprint.{listed}")
        return "/".join(map(str, values))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fingerprint):
            return False
        return self.saved_model_checksum == other.saved_model_checksum and all(
            getattr(self, name) == getattr(other, name) for name in _FIELDS
        )

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in _FIELDS))

    def __str__(self) -> str:
        lines = [f"  {name}: {getattr(self, name)}" for name in ("saved_model_checksum", *_FIELDS)]
        return "\n".join(["SavedModel Fingerprint", *lines, ""])

    def __repr__(self) -> str:
        return f"Fingerprint({', '.join(str(getattr(self, name)) for name in ('saved_model_checksum', *_FIELDS))})"


@export("saved_model.experimental.read_fingerprint", v1=[])
def read_fingerprint(export_dir: object) -> Fingerprint:
    """Reads the fingerprint of a SavedModel.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(tf.Module(), folder)
    >>> tf.saved_model.experimental.read_fingerprint(folder).saved_object_graph_hash
    0

    Args: export_dir: the folder of the SavedModel.

    Raises:
      FileNotFoundError: if the folder has no fingerprint: TensorFlow writes one since release 2.12.
      RuntimeError: if the file is damaged.
    """
    name = f"{folder_name(export_dir)}/{FINGERPRINT_FILENAME}"
    try:
        data = content_of(name)
    except NotFoundError as error:
        raise FileNotFoundError(
            f"SavedModel Fingerprint Error: Could not find fingerprint in directory: {export_dir}\nNOT_FOUND: {name} "
            "not found"
        ) from error
    try:
        return Fingerprint.from_proto(data)
    except ValueError as error:
        raise RuntimeError(f"SavedModel Fingerprint Error: {name} is damaged.") from error


# --- making one ------------------------------------------------------------------------------------------------------


def fingerprint_of(data: bytes, meta_graph: Any, index: bytes) -> fingerprint_pb2.FingerprintDef:
    """Returns the fingerprint of a SavedModel.

    Args:
      data: the bytes of `saved_model.pb`.
      meta_graph: its graph, which `data` holds.
      index: the bytes of the index of the variables.
    """
    digest = hashlib.blake2b(data + index, digest_size=16).digest()
    proto = fingerprint_pb2.FingerprintDef(
        saved_model_checksum=fingerprint64(data),
        graph_def_program_hash=_graph_hash(meta_graph.graph_def),
        signature_def_hash=_combine(sorted(meta_graph.signature_def.items())),
        saved_object_graph_hash=_functions_hash(meta_graph.object_graph_def.concrete_functions),
        checkpoint_hash=fingerprint64(index),
        uuid=str(int.from_bytes(digest, "big")),
    )
    proto.version.producer = _PRODUCER
    return proto


def _graph_hash(graph_def: Any) -> int:
    """Returns the hash of the nodes, without what differs between graphs that do the same."""
    proto = graph_pb2.GraphDef(node=graph_def.node)
    proto.library.SetInParent()
    proto.versions.SetInParent()
    for node in proto.node:
        if node.op in _CALLS:
            node.attr["f"].func.name = _NUMBER.sub("", node.attr["f"].func.name)
            node.attr["config_proto"].s = b""
        if node.op == "Const" and node.attr["dtype"].type == string.enum:
            node.attr["value"].Clear()  # a text may be the name of a file
    return fingerprint64(proto.SerializeToString(deterministic=True))


def _functions_hash(functions: Any) -> int:
    """Returns the hash of the functions of objects, in the order of the numbers in their names."""
    names = sorted(functions, key=lambda name: int(name.rpartition("_")[2]))
    return _combine((_NUMBER.sub("", name), functions[name]) for name in names)


def _combine(items: Any) -> int:
    """Returns one hash for names with messages."""
    combined = np.uint64(0)
    with np.errstate(over="ignore"):
        for name, message in items:
            for part in (name.encode(), message.SerializeToString(deterministic=True)):
                combined = combine_fingerprints(combined, np.uint64(fingerprint64(part)))
    return int(combined)

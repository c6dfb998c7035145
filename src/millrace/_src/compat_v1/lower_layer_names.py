"""Names in `tf.compat.v1` of functions and classes that lower layers use themselves and `tf` does not name.

A row gives the object its names; the object is defined, and documented, where it is used.

Tests: tests/contracts/test_v1_signatures.py
"""

from __future__ import annotations

from millrace._src.checkpoint import state_file
from millrace._src.core import dimension, errors, indexed_slices
from millrace._src.ops import host
from millrace._src.ops.array import filling, identity, selecting, space_to_batch
from millrace._src.ops.io import record_options
from millrace._src.ops.nn import sequence_decoders
from millrace._src.ops.ragged import ragged_value
from millrace._src.ops.random import seeds
from millrace._src.ops.sparse import sparse_tensor
from millrace._src.saved_model import constants
from millrace._src.state.lookup import static_hash_table
from millrace._src.util.export import export, export_constant

# --- values of tensors outside graphs ----------------------------------------------------------------------------

IndexedSlicesValue = export(v1=["IndexedSlicesValue"])(indexed_slices.IndexedSlicesValue)
SparseTensorValue = export(v1=["SparseTensorValue"])(sparse_tensor.SparseTensorValue)
RaggedTensorValue = export(v1=["ragged.RaggedTensorValue"])(ragged_value.RaggedTensorValue)
Dimension = export(v1=["Dimension"])(dimension.Dimension)

# --- functions ---------------------------------------------------------------------------------------------------

placeholder = export(v1=["placeholder"])(identity.placeholder)
placeholder_with_default = export(v1=["placeholder_with_default"])(identity.placeholder_with_default)
ones_like = export(v1=["ones_like"], elementwise="unary")(filling.ones_like_static)
where = export(v1=["where"])(selecting.where_select)
batch_to_space_nd = export(v1=["batch_to_space_nd", "manip.batch_to_space_nd"])(space_to_batch.batch_to_space_nd)
py_func = export(v1=["py_func"])(host.py_func)
get_seed = export(v1=["random.get_seed", "get_seed"])(seeds.get_seed)
ctc_beam_search_decoder = export(v1=["nn.ctc_beam_search_decoder"])(sequence_decoders.beam_search_decoder)
remove_checkpoint = export(v1=["train.remove_checkpoint"])(state_file.remove_checkpoint)
exception_type_from_error_code = export(v1=["errors.exception_type_from_error_code"])(
    errors.exception_type_from_error_code
)

# --- classes and constants ---------------------------------------------------------------------------------------

StaticHashTable = export(v1=["lookup.StaticHashTable"])(static_hash_table.StaticHashTableV1)
TFRecordCompressionType = export(v1=["io.TFRecordCompressionType", "python_io.TFRecordCompressionType"])(
    record_options.TFRecordCompressionType
)

LEGACY_INIT_OP_KEY = constants.LEGACY_INIT_OP_KEY
export_constant(
    __name__,
    "LEGACY_INIT_OP_KEY",
    v1=["saved_model.LEGACY_INIT_OP_KEY", "saved_model.constants.LEGACY_INIT_OP_KEY"],
)
MAIN_OP_KEY = constants.MAIN_OP_KEY
export_constant(__name__, "MAIN_OP_KEY", v1=["saved_model.MAIN_OP_KEY", "saved_model.constants.MAIN_OP_KEY"])

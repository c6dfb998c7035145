from __future__ import annotations

import pytest
from google.protobuf import text_format

import millrace as tf
from millrace._src.proto import meta_graph_pb2
from millrace._src.saved_model.object_graph_checks import check_object_graph

GOOD = """
graph_def { library { function { signature { name: "f" } } } }
object_graph_def {
  nodes {
    children { node_id: 1 local_name: "v" } children { node_id: 2 local_name: "f" }
    children { node_id: 3 local_name: "o" }
    user_object {}
  }
  nodes { variable {} }
  nodes { function { concrete_functions: "f" } }
  nodes {
    slot_variables { original_variable_node_id: 1 slot_name: "m" slot_variable_node_id: 1 }
    saveable_objects { key: "t" value { save_function: 2 restore_function: 2 } }
    user_object {}
  }
  nodes { bare_concrete_function { concrete_function_name: "f" } }
  nodes { asset { asset_file_def_index: 0 } }
  concrete_functions { key: "f" value { bound_inputs: 1 } }
}
asset_file_def { filename: "a" }
"""


def check(text: str) -> None:
    check_object_graph(text_format.Parse(text, meta_graph_pb2.MetaGraphDef()), "the folder")


def test_a_whole_object_graph_is_fine() -> None:
    check(GOOD)


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ('node_id: 1 local_name: "v"', 'node_id: 9 local_name: "v"', "the child 'v' of object 0 is object 9 of 6"),
        ("bound_inputs: 1", "bound_inputs: -1", "a capture of the function 'f' is object -1 of 6"),
        ('concrete_functions: "f"', 'concrete_functions: "g"', "object 2 is the unknown function 'g'"),
        ('concrete_function_name: "f"', 'concrete_function_name: "g"', "object 4 is the unknown function 'g'"),
        ("asset_file_def_index: 0", "asset_file_def_index: 1", "object 5 is the asset 1 of 1"),
        ("slot_variable_node_id: 1", "slot_variable_node_id: 7", "the variable 'm' of object 3 is object 7 of 6"),
        ("slot_variable_node_id: 1", "slot_variable_node_id: 0", "the variable 'm' of object 3 is none"),
        ("save_function: 2", "save_function: 6", "the saving of 't' of object 3 is object 6 of 6"),
        ("save_function: 2", "save_function: 1", "the saving of 't' of object 3 is done by no function"),
        ('function { signature { name: "f" } }', "", "the function 'f' has no graph"),
    ],
)
def test_numbers_and_names_that_lead_nowhere_are_named(right: str, wrong: str, words: str) -> None:
    assert right in GOOD
    with pytest.raises(tf.errors.DataLossError, match=f"The SavedModel at the folder is damaged: {words}"):
        check(GOOD.replace(right, wrong, 1))


def test_a_graph_without_objects_is_damaged() -> None:
    with pytest.raises(tf.errors.DataLossError, match="it has no objects"):
        check("object_graph_def {}")

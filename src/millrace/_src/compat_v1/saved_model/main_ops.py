"""Operations that run when a SavedModel is loaded: initializers of local variables and tables.

Tests: tests/compat_v1/saved_model/test_builder_and_loader.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.lookup import tables_initializer
from millrace._src.compat_v1.variables.initialization import global_variables_initializer, local_variables_initializer
from millrace._src.graph.scopes import control_dependencies
from millrace._src.ops.grouping import group
from millrace._src.util.export import export


@export(v1=["saved_model.main_op.main_op"])
def main_op() -> Any:
    """Returns an operation that initializes all variables and tables of the default graph."""
    return group(global_variables_initializer(), local_variables_initializer(), tables_initializer())


@export(v1=["saved_model.main_op_with_restore", "saved_model.main_op.main_op_with_restore"])
def main_op_with_restore(restore_op_name: object) -> Any:
    """Returns an operation that initializes the default graph, and then runs another operation.

    Args: restore_op_name: the operation; TensorFlow's argument is called a name, and is an operation all the same.
    Raises: TypeError: for what is not an operation or tensor.
    """
    with control_dependencies([main_op()]):
        return group(restore_op_name)

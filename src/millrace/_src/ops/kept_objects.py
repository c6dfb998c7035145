"""Objects that a node makes once: tables and queues of a graph.

A node that makes a table gives the same table each time that its function is called; else nothing that one call inserts
would be there in the next one. So the node keeps the object, as long as the program lives that runs the node. In eager
mode every call makes an object of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from millrace._src.core.dtypes import DType
from millrace._src.core.op_functions import OpFunction


def keep_by_node(make: OpFunction) -> OpFunction:
    """Lets an op, which has the trait `cacheable=False`, make its object once for each node of a program.

    Args: make: the op.
    Returns: The op.
    """
    op = make.op_def

    def keeping(xp: Any, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Callable[..., Any]:
        own = {name: value for name, value in attrs.items() if name in op.kernel_attrs}
        made: list[Any] = []
        lock = threading.Lock()

        def kept(*arrays: object) -> Any:
            with lock:
                if not made:
                    made.append(op.kernel(xp, *arrays, **own))
            return made[0]

        return kept

    make.specialize(keeping)
    return make

"""What a loaded SavedModel answers: the results of the calls, and a description of its objects.

The description walks the object graph of the file (`SavedObjectGraph`) beside the loaded objects: each node with what
a program can see of the object that represents it. Objects that are reached twice are described once.
"""

from __future__ import annotations

import json
import re
import tempfile
import warnings
from collections.abc import Mapping
from typing import Any

from tests.formats.saved_models.model import Model
from tests.oracle.encoding import Encoder
from tests.oracle.support import normalise

_USER_CODE = re.compile(r"^in user code:.*?\n    \w+Error: ", re.DOTALL)
_NAME = re.compile(r", name='[^']*'|, name=None|name='[^']*', ")


def answers_of(tf: Any, model: Model, folder: str, object_graph: Any) -> dict[str, Any]:
    """Returns the JSON form of what `model` answers about the SavedModel in `folder`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = model.load(tf, folder)
        objects = described(tf, loaded, object_graph)
        calls = {name: _answer(tf, call, loaded) for name, call in model.calls.items()}
    answers: dict[str, Any] = json.loads(json.dumps({"calls": _in_order(calls), "objects": objects}))
    return answers


def refusal(tf: Any, model: Model) -> dict[str, Any] | None:
    """Returns the JSON form of the exception that saving `model` raises, or None if it is saved."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            model.write(tf, f"{folder}/saved")
        except Exception as error:
            form = Encoder(tf).encode_exception(error)
            return {**form, "message": _USER_CODE.sub("", form["message"]).split("\n")[0]}
    return None


def _in_order(form: Any) -> Any:
    """Returns a JSON form with the keys of dicts in order: those that come from a file have an order by accident."""
    if isinstance(form, dict):
        return {key: _in_order(form[key]) for key in (sorted(form) if "raised" not in form else form)}
    return [_in_order(item) for item in form] if isinstance(form, list) else form


def _answer(tf: Any, call: Any, loaded: Any) -> Any:
    encoder = Encoder(tf)
    try:
        return encoder.encode(call(tf, loaded))
    except Exception as error:
        return encoder.encode_exception(error)


def described(tf: Any, loaded: Any, object_graph: Any) -> dict[str, str]:
    """Returns a line for each object that can be reached from `loaded` along the names in the file."""
    lines: dict[str, str] = {}
    seen: set[int] = set()
    queue = [(0, "root", loaded)] if object_graph.nodes else []
    for node_id, path, value in queue:
        if node_id in seen:
            continue
        seen.add(node_id)
        node = object_graph.nodes[node_id]
        lines[path] = _line(tf, node, value)
        for child in sorted(node.children, key=lambda child: child.local_name):
            found = _child(value, child.local_name)
            if found is None:
                lines[f"{path}.{child.local_name}"] = "not there"
            else:
                queue.append((child.node_id, f"{path}.{child.local_name}", found))
    return lines


def _child(parent: Any, name: str) -> Any:
    if isinstance(parent, Mapping):
        return parent.get(name)
    if isinstance(parent, (list, tuple)) and name.isdigit():
        return parent[int(name)]
    return getattr(parent, name, None)


def _line(tf: Any, node: Any, value: Any) -> str:
    """Returns what there is to see of one object."""
    kind = node.WhichOneof("kind")
    if kind == "variable":
        facts = [value.dtype.name, value.shape, f"trainable={value.trainable}", value.name]
        facts += [value.synchronization.name, value.aggregation.name]
    elif kind == "function":
        facts = sorted(signature(concrete) for concrete in value.concrete_functions)
    elif kind == "bare_concrete_function":
        facts = [signature(value)]
    elif kind == "user_object":
        facts = [_kind(node.user_object.identifier), *_shape_of_container(value), "callable" if callable(value) else ""]
    else:
        facts = []
    return normalise(" ".join([str(kind), *(str(fact) for fact in facts if fact != "")]))


def _kind(identifier: str) -> str:
    """Returns the kind of a user's object; layers of Keras 2 are objects as others are."""
    return "object" if identifier == "_generic_user_object" or identifier.startswith("_tf_keras") else identifier


def _shape_of_container(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [f"mapping of {sorted(map(str, value))}"]
    if isinstance(value, (list, tuple)):
        return [f"sequence of {len(value)}"]
    return []


def signature(concrete: Any) -> str:
    """Returns inputs and outputs of a concrete function, with the keys of dicts in order."""
    inputs, outputs = concrete.structured_input_signature, concrete.structured_outputs
    return _NAME.sub("", f"{_ordered(inputs)} -> {_ordered(outputs)}")


def _ordered(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {_ordered(value[key])}" for key in sorted(value, key=str)) + "}"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return f"{type(value).__name__}({', '.join(map(_ordered, value))})"
    if isinstance(value, (list, tuple)):
        return f"{'[' if isinstance(value, list) else '('}{', '.join(map(_ordered, value))})"
    return repr(value)

"""Variables that code of TensorFlow 1 imports are the wrapped function's; see also the topic `v1_wrapped_imports`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import millrace as tf

v1 = tf.compat.v1


def save(path: Path, **kwargs: Any) -> str:
    """Saves a graph with the variables "w" and, in no collection of variables, "unlisted"."""
    with tf.Graph().as_default():
        w = v1.get_variable("w", [4, 3], initializer=v1.ones_initializer(), **kwargs)
        unlisted = v1.get_variable("unlisted", [], initializer=v1.ones_initializer(), collections=["mine"])
        tf.add(tf.reduce_sum(tf.convert_to_tensor(w)), 1.0, name="total")
        tf.add(unlisted, 1.0, name="more")
        saver = v1.train.Saver()
        with v1.Session() as session:
            session.run([v1.global_variables_initializer(), unlisted.initializer])
            return str(saver.save(session, str(path / "model.ckpt")))


def imported(path: str) -> Any:
    return v1.wrap_function(lambda: v1.train.import_meta_graph(path + ".meta") and None, [])


@pytest.mark.parametrize("use_resource", [True, False])
def test_a_saver_restores_imported_variables(tmp_path: Path, use_resource: bool) -> None:
    path = save(tmp_path, use_resource=use_resource)
    wrapped = imported(path)
    (w,) = wrapped.variables
    assert (w.name, w.trainable, wrapped.trainable_variables) == ("w:0", True, (w,))
    with pytest.raises(tf.errors.FailedPreconditionError, match="Could not find variable w"):
        w.numpy()
    v1.train.Saver(wrapped.variables).restore(None, path)
    assert wrapped.prune([], "total:0")().numpy() == 13.0
    w.assign(tf.zeros([4, 3]))
    assert wrapped.prune([], "total:0")().numpy() == 1.0


def test_parts_of_a_variable_are_restored_as_parts(tmp_path: Path) -> None:
    path = save(tmp_path, partitioner=v1.fixed_size_partitioner(2))
    wrapped = imported(path)
    assert [variable.name for variable in wrapped.variables] == ["w/part_0:0", "w/part_1:0"]
    v1.train.Saver(wrapped.variables).restore(None, path)
    assert wrapped.prune([], "total:0")().numpy() == 13.0


def test_variables_that_the_code_makes_come_before_those_it_imports(tmp_path: Path) -> None:
    path = save(tmp_path)

    def build() -> Any:
        first = v1.get_variable("first", initializer=2.0)
        v1.train.import_meta_graph(path + ".meta")
        return first + v1.get_variable("last", initializer=3.0)

    wrapped = v1.wrap_function(build, [])
    assert [variable.name for variable in wrapped.variables] == ["first:0", "last:0", "w:0"]
    assert wrapped().numpy() == 5.0
    wrapped.prune([], "w/Assign")()
    with tf.GradientTape() as tape:
        total = wrapped.prune([], "total:0")()
    assert tape.watched_variables() == (wrapped.variables[2],)
    assert tape.gradient(total, wrapped.variables[2]).numpy().tolist() == [[1.0] * 3] * 4


def test_a_variable_in_no_collection_is_shared_by_parts_of_the_function(tmp_path: Path) -> None:
    path = save(tmp_path)
    one, other = imported(path), imported(path)
    one.prune([], "unlisted/Assign")()
    assert one.prune([], "more:0")().numpy() == 2.0
    with pytest.raises(tf.errors.FailedPreconditionError, match="Could not find variable unlisted"):
        other.prune([], "more:0")()


def test_collections_of_the_graph_hold_the_eager_variables(tmp_path: Path) -> None:
    wrapped = imported(save(tmp_path))
    for key in ("variables", "trainable_variables"):
        assert wrapped.graph.get_collection(key)[0] is wrapped.variables[0]


def test_an_imported_function_is_saved_and_served(tmp_path: Path) -> None:
    path = save(tmp_path)

    def build(x: Any) -> Any:
        v1.train.import_meta_graph(path + ".meta")
        return x * v1.get_default_graph().get_tensor_by_name("total:0")

    module = tf.Module()
    module.f = v1.wrap_function(build, [tf.TensorSpec([], tf.float32, name="x")])
    module.weights = list(module.f.variables)
    v1.train.Saver(module.weights).restore(None, path)
    tf.saved_model.save(module, str(tmp_path / "model"), signatures={"serving_default": module.f})
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    assert loaded.f(tf.constant(2.0)).numpy() == 26.0


def test_a_saver_of_nothing_says_so_unless_it_may_be_empty(tmp_path: Path) -> None:
    path = save(tmp_path)
    with pytest.raises(ValueError, match=r"^No variables to save$"):
        v1.train.Saver([]).restore(None, path)
    with pytest.raises(ValueError, match=r"^No variables to save$"):
        v1.train.Saver({}).save(None, path + "-2")
    assert v1.train.Saver([], allow_empty=True).save(None, path + "-2") is None
    v1.train.Saver([], allow_empty=True).restore(None, path)

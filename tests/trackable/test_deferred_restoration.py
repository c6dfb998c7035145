"""Values that arrive before the objects they belong to, shown with a checkpoint in memory."""

from __future__ import annotations

from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.trackable.base import Trackable
from millrace._src.trackable.deferred_restoration import CheckpointInitialValue, CheckpointInitialValueCallable
from tests.trackable.memory_checkpoint import restore_from, save

Pair = namedtuple("Pair", "a b")


class Dense(tf.Module):
    """A layer that makes its variable at the first call."""

    def __init__(self) -> None:
        super().__init__()
        self.kernel: Any = None

    def __call__(self, x: Any) -> Any:
        if self.kernel is None:
            self.kernel = tf.Variable(tf.zeros([2]))
        return x * self.kernel


def model(value: float = 0.0) -> Any:
    module = tf.Module()
    module.scale = tf.Variable(value)
    module.stages = [tf.Variable(value + 1), {"w": tf.Variable(value + 2)}, (tf.Variable(value + 3), 1)]
    module.pair = Pair(tf.Variable(value + 4), 0)
    module.generator = tf.random.Generator.from_seed(int(value))
    return module


def values(module: Any) -> list[float]:
    return [float(v) for v in module.variables if v.shape.rank == 0]


def test_objects_that_exist_take_their_values_at_once() -> None:
    saved, fresh = save(model(5.0)), model()
    restore_from(saved, fresh)
    assert values(fresh) == values(model(5.0))
    assert fresh.generator.state.numpy().tolist() == [5, 0, 0]


def test_children_that_appear_later_take_their_values_then() -> None:
    fresh = tf.Module()
    restore_from(save(model(5.0)), fresh)
    made = model()
    for name in ("scale", "stages", "pair", "generator"):
        setattr(fresh, name, getattr(made, name))
    assert values(fresh) == values(model(5.0))


def test_elements_that_are_appended_later_take_their_values_then() -> None:
    fresh = tf.Module()
    restore_from(save(model(5.0)), fresh)
    fresh.stages = []
    fresh.stages.append(tf.Variable(0.0))
    fresh.stages += [{}]
    fresh.stages[1]["w"] = tf.Variable(0.0)
    assert [float(v) for v in fresh.variables] == [6.0, 7.0]


def test_values_are_taken_once() -> None:
    fresh = tf.Module()
    restore_from(save(model(5.0)), fresh)
    fresh.scale = tf.Variable(0.0)
    assert fresh.scale.numpy() == 5.0
    fresh.scale = tf.Variable(0.0)
    assert fresh.scale.numpy() == 0.0


def test_of_two_restorations_that_wait_the_later_one_wins() -> None:
    fresh = tf.Module()
    for value in (5.0, 7.0):
        restore_from(save(model(value)), fresh)
    fresh.scale = tf.Variable(0.0)
    assert fresh.scale.numpy() == 7.0


def test_an_earlier_restoration_does_not_undo_a_later_one() -> None:
    scale, first = tf.Variable(0.0), tf.Module()
    restore_from(save(model(5.0)), first)
    second = tf.Module()
    second.scale = scale
    restore_from(save(model(7.0)), second)
    first.scale = scale  # the values of the earlier restoration wait here
    assert scale.numpy() == 7.0


def test_objects_that_refer_to_each_other_are_restored() -> None:
    def ring(value: float) -> Any:
        parent, child = tf.Module(), tf.Module()
        parent.child, child.parent, child.v = child, parent, tf.Variable(value)
        return parent

    fresh = ring(0.0)
    restore_from(save(ring(3.0)), fresh)
    assert fresh.child.v.numpy() == 3.0


def test_a_layer_called_after_restoring_has_the_saved_kernel() -> None:
    trained, fresh = Dense(), Dense()
    trained(tf.ones([2]))
    trained.kernel.assign([2.0, 3.0])
    restore_from(save(trained), fresh)
    assert fresh(tf.ones([2])).numpy().tolist() == [2.0, 3.0]


def test_a_variable_made_in_a_function_has_the_saved_value() -> None:
    trained, fresh = Dense(), Dense()
    trained(tf.ones([2]))
    trained.kernel.assign([2.0, 3.0])
    restore_from(save(trained), fresh)
    call = tf.function(fresh.__call__)
    assert call(tf.ones([2])).numpy().tolist() == [2.0, 3.0]
    fresh.kernel.assign([4.0, 5.0])
    assert call(tf.ones([2])).numpy().tolist() == [4.0, 5.0]


def test_a_value_of_another_shape_is_refused() -> None:
    fresh = tf.Module()
    restore_from(save(model(5.0)), fresh)
    with pytest.raises(ValueError, match=r"incompatible tensor with shape \(\) when attempting to restore variable"):
        fresh.scale = tf.Variable([1.0, 2.0])


@pytest.mark.parametrize(
    ("saved", "present"),
    [
        ({"w": 1.0}, [0.0]),
        ({"w": 1.0}, (0.0,)),
        ([1.0, 2.0], (0.0,)),
        (Pair(1.0, 2.0), (0.0, 0.0)),
        (Pair(1.0, 2.0), [0.0]),
    ],
    ids=["dict-list", "dict-tuple", "longer-tuple", "namedtuple-tuple", "namedtuple-list"],
)
def test_restoring_into_a_container_of_another_structure_is_an_error(saved: Any, present: Any) -> None:
    trained, fresh = tf.Module(), tf.Module()
    trained.x, fresh.x = (tf.nest.map_structure(tf.Variable, x) for x in (saved, present))
    with pytest.raises(ValueError, match=r"has an element .* which cannot have one: it was saved from a container of"):
        restore_from(save(trained), fresh)


def test_restoring_into_a_list_whose_elements_have_moved_is_an_error() -> None:
    trained, fresh = tf.Module(), tf.Module()
    trained.x, fresh.x = ([tf.Variable(1.0), tf.Variable(2.0)] for _ in range(2))
    fresh.x.pop(0)
    with pytest.raises(ValueError, match=r"A list element was replaced .*, deleted .*, or moved"):
        restore_from(save(trained), fresh)


def test_children_that_an_object_only_names_when_asked_are_restored() -> None:
    class Holder(Trackable):
        def __init__(self, value: float) -> None:
            self.variable = tf.Variable(value)

        def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
            return {"held": self.variable}

    fresh = Holder(0.0)
    restore_from(save(Holder(3.0)), fresh)
    assert fresh.variable.numpy() == 3.0


def test_an_object_saved_once_is_restored_into_one_object_only() -> None:
    trained, fresh = tf.Module(), tf.Module()
    trained.a = trained.b = tf.Variable(5.0)
    fresh.a, fresh.b = tf.Variable(0.0), tf.Variable(0.0)
    restore_from(save(trained), fresh)
    assert (fresh.a.numpy(), fresh.b.numpy()) == (5.0, 0.0)


def test_an_object_that_stands_for_two_saved_ones_has_the_first_value() -> None:
    trained, fresh = tf.Module(), tf.Module()
    trained.a, trained.b = tf.Variable(5.0), tf.Variable(6.0)
    fresh.a = fresh.b = tf.Variable(0.0)
    restore_from(save(trained), fresh)
    assert fresh.a.numpy() == 5.0


def test_elements_of_a_list_that_are_set_later_take_their_values() -> None:
    trained, fresh = tf.Module(), tf.Module()
    trained.x, fresh.x = [tf.Variable(5.0), tf.Variable(6.0)], [0, 0]
    restore_from(save(trained), fresh)
    fresh.x[1] = tf.Variable(0.0)
    assert fresh.x[1].numpy() == 6.0


def test_restoring_values_into_what_has_none_is_an_error() -> None:
    trained, fresh = tf.Module(), tf.Module()
    trained.x, fresh.x = tf.Variable(1.0), tf.Module()
    with pytest.raises(NotImplementedError, match=r"Module has no values of its own, but the checkpoint has"):
        restore_from(save(trained), fresh)


def getter(made: list[Any]) -> Any:
    def make(name: str, shape: Any, dtype: Any, initializer: Any) -> Any:
        made.append(initializer)
        return tf.Variable(lambda: initializer(shape, dtype), name=name)

    return make


def test_a_variable_made_by_a_getter_starts_with_the_saved_value() -> None:
    made: list[Any] = []
    fresh = tf.Module()
    restore_from(save(model(5.0)), fresh)
    scale = fresh._add_variable_with_custom_getter("scale", [], tf.float32, tf.zeros, getter(made))
    assert isinstance(made[0], CheckpointInitialValueCallable) and scale.numpy() == 5.0
    assert scale._update_uid == made[0].restore_uid


def test_a_variable_made_by_a_getter_without_saved_value_has_its_initializer() -> None:
    made: list[Any] = []
    scale = tf.Module()._add_variable_with_custom_getter("scale", [], tf.float32, tf.ones, getter(made))
    assert made == [tf.ones] and scale.numpy() == 1.0


def test_a_saved_value_can_be_used_as_a_tensor() -> None:
    fresh = tf.Module()
    restore_from(save(model(5.0)), fresh)
    initializer = fresh._preload_simple_restoration("scale")
    assert initializer is not None
    value = initializer([])
    assert isinstance(value, CheckpointInitialValue) and tf.convert_to_tensor(value).numpy() == 5.0


def test_an_object_with_children_is_no_saved_value() -> None:
    fresh = tf.Module()
    restore_from(save(model(5.0)), fresh)
    assert fresh._preload_simple_restoration("stages") is None
    assert fresh._preload_simple_restoration("nothing") is None


def test_a_list_that_replaces_an_empty_one_takes_the_values_that_wait() -> None:
    saved, fresh = tf.Module(), tf.Module()
    saved.all, fresh.all = [tf.Variable(5.0), tf.Variable(6.0)], []
    restore_from(save(saved), fresh)
    first = tf.Variable(0.0, name="first")
    with pytest.warns(UserWarning, match=r"^1 objects existed before the values .*other values: first:0\."):
        fresh.all = [first]
    fresh.all.append(tf.Variable(0.0))
    assert [float(v) for v in fresh.all] == [5.0, 6.0]


def test_a_list_with_elements_keeps_the_values_that_wait() -> None:
    saved, fresh = tf.Module(), tf.Module()
    saved.all, fresh.all = [tf.Variable(5.0), tf.Variable(6.0)], [tf.Variable(0.0)]
    restore_from(save(saved), fresh)
    fresh.all = [tf.Variable(1.0), tf.Variable(2.0)]
    assert [float(v) for v in fresh.all] == [1.0, 2.0]


def test_an_object_of_another_class_takes_nothing_over() -> None:
    saved, fresh = tf.Module(), tf.Module()
    saved.all, fresh.all = [tf.Variable(5.0)], []
    restore_from(save(saved), fresh)
    fresh.all = {"0": tf.Variable(1.0)}
    assert float(fresh.all["0"]) == 1.0


def test_a_value_that_does_not_fit_goes_on_waiting(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(str(tmp_path / "c"))
    checkpoint = tf.train.Checkpoint()
    checkpoint.read(path)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"incompatible tensor with shape \(2,\)"):
            checkpoint.v = tf.Variable([0.0])
    checkpoint.v = tf.Variable([0.0, 0.0])
    assert checkpoint.v.numpy().tolist() == [1.0, 2.0]

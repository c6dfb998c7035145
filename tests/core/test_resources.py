"""Storages of variables and the handles that refer to them."""

from __future__ import annotations

import copy
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.resources import (
    VariableStorage,
    is_variable,
    is_variable_class,
    resource_handle,
    resource_of,
)
from millrace._src.core.shapes import TensorShape


def storage() -> VariableStorage:
    return VariableStorage(tf.float32, TensorShape([2]), "v")


def test_a_storage_has_no_value_until_it_is_given_one() -> None:
    s = storage()
    assert s.value is None
    s.value = np.ones(2, np.float32)
    assert s.value.tolist() == [1.0, 1.0]
    assert repr(s) == '<ResourceHandle(name="v", dtype=float32, shape=(2,))>'


def test_a_value_on_a_device_comes_to_the_host_when_it_is_read() -> None:
    s = storage()
    s.value = np.ones(2, np.float32)
    s.set_device_value([5.0, 6.0])
    assert s.device == [5.0, 6.0]
    assert s.value.tolist() == [5.0, 6.0]
    s.value = np.zeros(2, np.float32)
    assert s.device is None
    assert s.value.tolist() == [0.0, 0.0]


def test_a_handle_refers_to_its_object() -> None:
    s = storage()
    handle = resource_handle(s)
    assert resource_of(handle._eager_array) is s
    assert resource_of(s) is s
    assert (handle.dtype, handle.shape) == (tf.resource, [])
    assert copy.copy(handle) is handle


def test_reading_before_there_is_a_value_is_a_clear_error() -> None:
    handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[2], shared_name="mine")
    assert not bool(tf.raw_ops.VarIsInitializedOp(resource=handle))
    for read in (
        lambda: tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32),
        lambda: tf.raw_ops.AssignAddVariableOp(resource=handle, value=[1.0, 1.0]),
        lambda: tf.raw_ops.ResourceGather(resource=handle, indices=[0], dtype=tf.float32),
        lambda: tf.raw_ops.VariableShape(input=handle),
    ):
        with pytest.raises(tf.errors.FailedPreconditionError, match="mine"):
            read()
    tf.raw_ops.AssignVariableOp(resource=handle, value=[1.0, 2.0])
    assert tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32).numpy().tolist() == [1.0, 2.0]
    tf.raw_ops.DestroyResourceOp(resource=handle)
    with pytest.raises(tf.errors.FailedPreconditionError):
        tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)


def test_reading_in_another_dtype_is_refused() -> None:
    v = tf.Variable([1.0, 2.0])
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError, TypeError)):
        tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.int32)
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError, TypeError)):
        tf.raw_ops.AssignVariableOp(resource=v.handle, value=[1, 2])
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError, TypeError)):
        tf.raw_ops.AssignAddVariableOp(resource=v.handle, value=[1, 2])
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError, TypeError)):
        tf.raw_ops.ResourceScatterAdd(resource=v.handle, indices=[0], updates=[1])
    assert v.numpy().tolist() == [1.0, 2.0]
    assert v.numpy().dtype == np.float32


class Duck:
    """Holds a variable and has the methods of one, yet declares nothing."""

    def __init__(self, value: Any) -> None:
        self.variable = tf.Variable(value)

    handle = property(lambda self: self.variable.handle)
    dtype = property(lambda self: self.variable.dtype)
    shape = property(lambda self: self.variable.shape)
    trainable = property(lambda self: self.variable.trainable)

    def assign(self, value: Any) -> Any:
        return self.variable.assign(value)

    def read_value(self) -> Any:
        return self.variable.read_value()

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
        return tf.convert_to_tensor(self.variable, dtype, name=name)


class Declared(Duck):
    """Declares itself as Keras's variables and variables that cast do."""

    @property
    def _should_act_as_resource_variable(self) -> None:
        pass


class Derived(tf.Variable):
    """A variable by inheritance."""


@pytest.mark.parametrize("cls", [tf.Variable, Declared, Derived])
def test_a_class_that_declares_itself_makes_variables(cls: Any) -> None:
    assert is_variable(cls(1.0)) and is_variable_class[cls]


@pytest.mark.parametrize("value", [Duck(1.0), 1, None, [], tf.Variable, Declared, tf.constant(1.0)])
def test_methods_of_the_same_names_make_no_variable(value: Any) -> None:
    assert not is_variable(value)


def test_an_assignment_returns_a_variable() -> None:
    assert is_variable(tf.Variable(1.0).assign(2.0))


def test_a_wrapper_that_declares_itself_is_differentiated_by_its_handle() -> None:
    x = Declared(2.0)
    with tf.GradientTape() as tape:
        y = tf.convert_to_tensor(x) * 3.0
    assert tape.gradient(y, x).numpy() == 3.0
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y = tf.convert_to_tensor(x) * 3.0
    assert accumulator.jvp(y).numpy() == 3.0


def test_tf_gradients_takes_a_wrapper_that_declares_itself() -> None:
    x = Declared(2.0)

    @tf.function
    def gradient() -> Any:
        return tf.gradients(tf.convert_to_tensor(x) * 3.0, x)

    assert gradient()[0].numpy() == 3.0


def test_a_recomputed_function_takes_a_wrapper_that_declares_itself() -> None:
    x = Declared(2.0)
    double = tf.recompute_grad(lambda a: tf.convert_to_tensor(a) * 2.0)
    with tf.GradientTape() as tape:
        y = double(x)
    assert (y.numpy(), tape.gradient(y, x).numpy()) == (4.0, 4.0)  # counted twice, as in TensorFlow


def test_a_tape_refuses_to_watch_what_declares_nothing() -> None:
    with tf.GradientTape() as tape, pytest.raises(ValueError, match=r"not tf.Tensor or tf.Variable or ExtensionType"):
        tape.watch(Duck(2.0))


def test_arithmetic_reads_a_wrapper_that_declares_itself() -> None:
    assert (tf.constant(1.0) + Declared(2.0)).numpy() == 3.0


def test_arithmetic_reads_an_assignment_after_it_in_a_graph() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def f() -> Any:
        return v.assign_add(1.0) + tf.constant(1.0), tf.constant(2.0) * v.assign(5.0)

    assert [float(x) for x in f()] == [3.0, 10.0]


def test_a_declared_class_without_a_way_to_its_value_is_left_to_conversion() -> None:
    class Bare:
        _should_act_as_resource_variable = True

    with pytest.raises((TypeError, ValueError)):
        tf.constant(1.0) + Bare()


# --- changes in place ------------------------------------------------------------------------------------------------

LARGE = 1 << 16


def large_variable() -> Any:
    """A variable that alone holds its array."""
    v = tf.Variable(np.zeros(LARGE, np.float32))
    v.assign_add(tf.ones(LARGE))  # an array of its own
    return v


def memory_of(v: Any) -> int:
    return int(v.numpy().ctypes.data)


@pytest.mark.parametrize("update", ["assign_add", "assign_sub"])
def test_a_large_variable_that_nothing_reads_is_changed_in_place(update: str) -> None:
    v = large_variable()
    address = memory_of(v)
    getattr(v, update)(tf.fill([LARGE], 2.0))
    assert memory_of(v) == address
    assert set(v.numpy().tolist()) == {3.0 if update == "assign_add" else -1.0}


@pytest.mark.parametrize(
    "read",
    [
        lambda v: v.read_value(),
        lambda v: v.numpy(),
        lambda v: v.numpy()[5:],
        lambda v: tf.reshape(v, [-1, 2]),
        lambda v: v.value(),
        lambda v: memoryview(v.numpy()),
        lambda v: tf.function(lambda: v.read_value())(),
    ],
)
def test_what_was_read_stays_as_it_was(read: Any) -> None:
    v = large_variable()
    value = read(v)
    for _ in range(3):
        v.assign_add(tf.ones(LARGE))
    assert set(np.asarray(value).reshape(-1).tolist()) == {1.0}
    assert set(v.numpy().tolist()) == {4.0}


def test_what_was_assigned_stays_as_it_was() -> None:
    value = tf.ones(LARGE)
    v, w = tf.Variable(value), tf.Variable(tf.zeros(LARGE))
    w.assign(value)
    v.assign_add(value)
    w.assign_add(value)
    assert set(value.numpy().tolist()) == {1.0}
    assert set(v.numpy().tolist()) == set(w.numpy().tolist()) == {2.0}


def test_a_variable_may_be_added_to_itself() -> None:
    v = large_variable()
    v.assign_add(v)
    tf.function(lambda: v.assign_add(v * 1.0))()
    assert set(v.numpy().tolist()) == {4.0}


def test_a_reader_in_a_function_sees_the_value_before_the_update() -> None:
    v = large_variable()

    @tf.function
    def f() -> Any:
        before = v.read_value()
        v.assign_add(tf.ones(LARGE))
        return before, v.read_value()

    for number in range(1, 4):
        before, after = f()
        assert set(before.numpy().tolist()) == {float(number)}
        assert set(after.numpy().tolist()) == {number + 1.0}


def test_an_array_with_a_weak_reference_is_not_changed_in_place() -> None:
    v = large_variable()
    watched = weakref.ref(v.handle._eager_array[()].value)
    v.assign_add(tf.fill([LARGE], 2.0))
    assert watched() is None
    assert set(v.numpy().tolist()) == {3.0}


def test_an_assignment_waits_while_the_array_is_changed() -> None:
    v = large_variable()
    storage, assigning = v.handle._eager_array[()], threading.Event()

    def assign() -> None:
        assigning.set()
        v.assign(tf.fill([LARGE], 9.0))

    assigner = threading.Thread(target=assign)

    def change(array: Any) -> None:
        assigner.start()
        assigning.wait()
        assigner.join(0.05)
        array[:] = 7

    with storage.lock:
        assert storage.change_in_place(change)
    assigner.join()
    assert set(v.numpy().tolist()) == {9.0}


def test_an_update_that_fails_leaves_the_value() -> None:
    storage = large_variable().handle._eager_array[()]

    def fail(array: Any) -> None:
        raise MemoryError

    with pytest.raises(MemoryError):
        storage.change_in_place(fail)
    assert set(storage.value.tolist()) == {1.0}


def test_a_reader_waits_while_the_array_is_changed() -> None:
    v = large_variable()
    storage = v.handle._eager_array[()]
    reading, values = threading.Event(), []

    def read() -> None:
        reading.set()
        values.append((storage.held.shape, set(v.numpy().tolist())))

    reader = threading.Thread(target=read)

    def change(array: Any) -> None:
        reader.start()
        reading.wait()
        array[: LARGE // 2] = 7
        array[LARGE // 2 :] = 7

    with storage.lock:
        assert storage.change_in_place(change)
    reader.join()
    assert values == [((LARGE,), {7.0})]


def test_threads_that_read_never_see_half_an_update() -> None:
    v = large_variable()
    one, is_over, wrong = tf.ones(LARGE), threading.Event(), []

    def read() -> None:
        while not is_over.is_set():
            value = v.numpy()
            first, last = value[0], value[-1]
            if value.min() != first or value.max() != last or first != last:
                wrong.append((first, last))

    readers = [threading.Thread(target=read) for _ in range(3)]
    writers = [threading.Thread(target=lambda: [v.assign_add(one) for _ in range(100)]) for _ in range(2)]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    is_over.set()
    for thread in readers:
        thread.join()
    assert not wrong
    assert set(v.numpy().tolist()) == {201.0}

"""SavedModels: at each moment of a save the old or the new one is whole, never the graph of one with other values."""

from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.ops.io.file_systems import content_of
from millrace._src.saved_model.folder import finish_interrupted_save
from tests.crashes.simulated_disk import SimulatedDisk, registered_disk, run_and_crash

disk = pytest.fixture(registered_disk)

_FOLDER = "disk://models/model"


def _model(step: int) -> tf.Module:
    """Returns a model whose graph, values and asset are functions of a step; the names of its files are not."""
    tf.io.write_file(f"ram://asset-{step}/vocabulary.txt", f"word of {step}\n")
    model = tf.Module()
    model.step = tf.Variable(step, dtype=tf.int64)
    model.asset = tf.saved_model.Asset(f"ram://asset-{step}/vocabulary.txt")
    model.number = tf.function(lambda: tf.fill([2], tf.constant(step * 1000, tf.int64)), input_signature=[])
    return model


def _save(step: int) -> None:
    tf.saved_model.save(_model(step), _FOLDER)


def _found_step() -> int | None:
    """Returns the step of a SavedModel, of which the graph, the values and the asset must be; None if there is none."""
    if not tf.saved_model.contains_saved_model(_FOLDER):
        return None
    loaded = tf.saved_model.load(_FOLDER)
    step = int(loaded.step)
    assert loaded.number().numpy().tolist() == [step * 1000] * 2, "the graph and the values are of two saves"
    assert content_of(loaded.asset.asset_path.numpy().decode()) == f"word of {step}\n".encode()
    return step


def _files(disk: SimulatedDisk) -> set[str]:
    return {path.removeprefix("models/model/") for path in disk.state.files()}


_WHOLE = {
    "assets/vocabulary.txt",
    "fingerprint.pb",
    "saved_model.pb",
    "variables/variables.data-00000-of-00001",
    "variables/variables.index",
}


def test_a_new_model_is_there_or_not(disk: SimulatedDisk) -> None:
    def check(is_end: bool) -> None:
        found = _found_step()
        assert found == 1 if is_end else found in (None, 1)
        _save(2)
        assert _found_step() == 2 and _files(disk) == _WHOLE

    assert run_and_crash(disk, lambda: _save(1), check, byte_step=1000, power=False) > 30


def test_a_model_that_is_saved_again_is_the_old_or_the_new(disk: SimulatedDisk) -> None:
    _save(1)

    def check(is_end: bool) -> None:
        assert _found_step() in ((2,) if is_end else (1, 2))
        _save(3)
        assert _found_step() == 3 and _files(disk) == _WHOLE

    assert run_and_crash(disk, lambda: _save(2), check, byte_step=2000) > 100


def test_a_crash_while_a_crash_is_repaired_loses_nothing(disk: SimulatedDisk) -> None:
    _save(1)

    def check_repair(is_end: bool) -> None:
        def check(is_end: bool) -> None:
            assert _found_step() in (1, 2)

        run_and_crash(disk, lambda: finish_interrupted_save(_FOLDER), check, byte_step=10_000)

    run_and_crash(disk, lambda: _save(2), check_repair, byte_step=10_000, power=False)

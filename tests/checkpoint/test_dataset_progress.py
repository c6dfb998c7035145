"""`Dataset.save(checkpoint_args=)`: saving goes on after an interruption."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from tests.data.pipelines import elements

Dataset = tf.data.Dataset


def arguments(folder: Path, **others: Any) -> dict[str, Any]:
    return {"directory": str(folder / "checkpoints"), "max_to_keep": 1, **others}


def files(folder: Path) -> int:
    return len(list(folder.rglob("*.snapshot")))


def failing(at: int) -> Any:
    """Returns a dataset whose elements fail from a number on."""

    def check(x: Any) -> Any:
        tf.debugging.assert_less(x, tf.constant(at, tf.int64))
        return x

    return Dataset.range(8).map(check)


def test_all_elements_are_saved(tmp_path: Path) -> None:
    Dataset.range(7).save(str(tmp_path / "saved"), checkpoint_args=arguments(tmp_path))
    loaded = Dataset.load(str(tmp_path / "saved"))
    assert elements(loaded) == list(range(7)) and len(loaded) == 7
    assert tf.train.latest_checkpoint(str(tmp_path / "checkpoints")).endswith("ckpt-7")


@pytest.mark.parametrize("interval", [None, 2, 3, 100])
def test_a_later_call_goes_on_from_the_last_checkpoint(interval: int | None, tmp_path: Path) -> None:
    folder = str(tmp_path / "saved")

    def save(at: int) -> int:
        counter = tf.Variable(0)
        given = {} if interval is None else {"step_counter": counter, "checkpoint_interval": interval}
        try:
            failing(at).save(folder, checkpoint_args=arguments(tmp_path, **given))
        except tf.errors.InvalidArgumentError:
            pass
        return int(counter)

    assert save(5) == (0 if interval is None else 5)
    with pytest.raises(tf.errors.DataLossError, match="was not saved to its end"):
        Dataset.load(folder)
    save(7)
    written = save(8)
    if interval is not None:
        assert written == 8 - {2: 6, 3: 6, 100: 0}[interval]
    assert elements(Dataset.load(folder)) == list(range(8))


def test_what_was_written_after_the_last_checkpoint_is_written_again(tmp_path: Path) -> None:
    folder = str(tmp_path / "saved")
    given = {"step_counter": tf.Variable(0), "checkpoint_interval": 3}
    shards: dict[str, Any] = {"shard_func": lambda x: x % 2}
    with pytest.raises(tf.errors.InvalidArgumentError):
        failing(5).save(folder, checkpoint_args=arguments(tmp_path, **given), **shards)
    assert files(tmp_path) == 4  # of each shard, one that is complete and one that was begun
    failing(8).save(folder, checkpoint_args=arguments(tmp_path, **given), **shards)
    in_a_row = Dataset.load(folder, reader_func=lambda shards: shards.flat_map(lambda shard: shard))
    assert elements(in_a_row) == [0, 2, 4, 6, 1, 3, 5, 7]


def test_a_dataset_that_is_complete_is_saved_anew(tmp_path: Path) -> None:
    for count in (3, 5):
        Dataset.range(count).save(str(tmp_path / "saved"), checkpoint_args=arguments(tmp_path))
        assert elements(Dataset.load(str(tmp_path / "saved"))) == list(range(count))


def test_shuffled_elements_are_saved_once_each(tmp_path: Path) -> None:
    def shuffled(at: int) -> Any:
        def check(index: Any, x: Any) -> Any:
            tf.debugging.assert_less(index, tf.constant(at, tf.int64))
            return x

        return Dataset.range(20).shuffle(7, seed=3, reshuffle_each_iteration=False).enumerate().map(check)

    folder = str(tmp_path / "saved")
    with pytest.raises(tf.errors.InvalidArgumentError):
        shuffled(9).save(folder, checkpoint_args=arguments(tmp_path))
    shuffled(20).save(folder, checkpoint_args=arguments(tmp_path))
    assert sorted(elements(Dataset.load(folder))) == list(range(20))


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not allowed to include 'checkpoint'"):
        Dataset.range(3).save(str(tmp_path), checkpoint_args={"checkpoint": tf.train.Checkpoint()})
    with pytest.raises(TypeError, match="directory"):
        Dataset.range(3).save(str(tmp_path), checkpoint_args={"max_to_keep": 1})

    @tf.function
    def program() -> None:
        Dataset.range(3).save(str(tmp_path), checkpoint_args=arguments(tmp_path))

    with pytest.raises(NotImplementedError, match="eager mode only"):
        program()


def test_state_outside_of_the_pipeline_is_refused(tmp_path: Path) -> None:
    dataset = Dataset.range(3).map(lambda x: tf.py_function(lambda y: y, [x], tf.int64))
    with pytest.raises(tf.errors.FailedPreconditionError, match="is stateful"):
        dataset.save(str(tmp_path / "saved"), checkpoint_args=arguments(tmp_path))

"""`Dataset.cache`, in memory and in files."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from tests.data.parallel import noting, of_variant
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, elements, outcomes, rest, started

Dataset = tf.data.Dataset


@pytest.fixture(params=["memory", "files"])
def name(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The name of a cache, empty for one in memory."""
    return "" if request.param == "memory" else str(tmp_path / "cache")


def test_the_source_is_gone_through_once(name: str) -> None:
    seen: list[int] = []
    dataset = Dataset.range(5).map(noting(seen)).cache(name)
    assert elements(dataset) == elements(dataset) == elements(dataset.map(lambda x: x)) == seen == [0, 1, 2, 3, 4]
    assert len(dataset) == 5
    assert repr(dataset).startswith("<CacheDataset element_spec=TensorSpec(")


def test_a_repetition_reads_the_cache(name: str) -> None:
    seen: list[int] = []
    assert elements(Dataset.range(3).map(noting(seen)).cache(name).repeat(3)) == [0, 1, 2] * 3
    assert seen == [0, 1, 2]


def test_a_pass_that_does_not_come_to_the_end_is_discarded_with_a_warning(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[int] = []
    dataset = Dataset.range(4).map(noting(seen)).cache(name)
    with caplog.at_level(logging.WARNING, "tensorflow"):
        assert elements(dataset.take(2)) == [0, 1]
    assert "The calling iterator did not fully read the dataset being cached" in caplog.text
    assert elements(dataset) == elements(dataset) == [0, 1, 2, 3]
    assert seen == [0, 1, 0, 1, 2, 3]


def test_a_pass_of_as_many_elements_as_there_are_fills_the_cache(name: str, caplog: pytest.LogCaptureFixture) -> None:
    seen: list[int] = []
    dataset = Dataset.range(4).map(noting(seen)).cache(name)
    iterators = [iter(dataset), iter(dataset)]
    with caplog.at_level(logging.WARNING, "tensorflow"):
        for iterator in iterators:  # as a training loop does that knows the number of steps
            assert [int(next(iterator)) for _ in range(4)] == [0, 1, 2, 3]
        del iterator, iterators
    assert elements(dataset) == [0, 1, 2, 3]
    assert seen == [0, 1, 2, 3]
    assert not caplog.text


def test_a_source_of_more_elements_than_it_says_is_still_an_error(name: str) -> None:
    dataset = Dataset.range(4).filter(lambda x: x >= 0).apply(tf.data.experimental.assert_cardinality(3)).cache(name)
    with pytest.raises(tf.errors.FailedPreconditionError):
        elements(dataset)


@pytest.mark.parametrize("position", range(5))
def test_a_restored_pass_fills_the_cache_at_the_same_element(position: int, name: str) -> None:
    seen: list[int] = []

    def make() -> Any:
        return Dataset.range(4).map(noting(seen)).cache(name)

    first = started(make())
    for _ in range(position):
        first.next_row()
    state = first.save()
    first.close()
    dataset = make()
    second = started(dataset)
    second.restore(state)
    for _ in range(4 - position):
        second.next_row()
    second.close()
    assert elements(dataset) == [0, 1, 2, 3]
    assert seen == [0, 1, 2, 3]


def test_an_empty_dataset_can_be_cached(name: str) -> None:
    dataset = Dataset.range(0).cache(name)
    assert elements(dataset) == elements(dataset) == []


def test_elements_may_differ_in_shape_and_be_nests(name: str) -> None:
    source = Dataset.range(4).map(lambda x: (tf.range(x), {"name": tf.strings.as_string(x), "flag": x > 1}))
    dataset = source.cache(name)
    assert elements(dataset) == elements(dataset) == elements(source)


def test_blocks_of_a_full_cache_are_cut_to_what_is_asked_for(name: str) -> None:
    dataset = Dataset.range(10).cache(name)
    elements(dataset)
    assert elements(dataset.batch(4)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert elements(dataset.skip(3).take(4)) == [3, 4, 5, 6]


def test_an_element_that_is_an_error_is_left_out_of_the_cache(name: str) -> None:
    def inverse(x: Any) -> Any:
        return tf.debugging.check_numerics(1 / tf.cast(x, tf.float32), "no inverse")

    dataset = Dataset.range(-2, 3).map(inverse).cache(name)
    assert outcomes(dataset) == [-0.5, -1, "InvalidArgumentError", 1, 0.5]
    assert outcomes(dataset) == [-0.5, -1, 1, 0.5]


def test_it_works_in_a_function(name: str) -> None:
    check_same_in_function(lambda: Dataset.range(4).cache(""), 4)


def test_a_dataset_made_in_a_function_has_a_new_cache_for_each_call() -> None:
    seen: list[int] = []
    source = Dataset.range(3).map(noting(seen))

    @tf.function
    def first_of_second_pass() -> Any:
        iterator = iter(source.cache().repeat(2))
        return [next(iterator) for _ in range(4)][3]

    for _ in range(2):
        assert first_of_second_pass().numpy() == 0
    assert seen == [0, 1, 2] * 2


def test_graphs_for_sessions_have_the_older_op() -> None:
    with tf.Graph().as_default() as graph:
        Dataset.range(3).cache()
    assert "CacheDataset" in [operation.type for operation in graph.get_operations()]


# --- memory ------------------------------------------------------------------------------------------------------


def test_passes_at_the_same_time_each_go_through_the_source() -> None:
    seen: list[int] = []
    dataset = Dataset.range(3).map(noting(seen)).cache()
    first, second = started(dataset), started(dataset)
    assert [row[0].item() for row in (first.next_row(), second.next_row()) if row] == [0, 0]
    assert rest(first) == rest(second) == [[1], [2]]
    assert len(seen) == 6
    assert elements(dataset) == [0, 1, 2]
    assert len(seen) == 6


def test_a_pass_goes_on_from_every_position_and_fills_the_cache() -> None:
    check_restores_everywhere(lambda: Dataset.range(5).filter(lambda x: x >= 0).cache())
    check_restores_everywhere(lambda: Dataset.range(5).filter(lambda x: x >= 0).cache().repeat(3).batch(2))

    def full() -> Any:
        dataset = Dataset.range(5).cache()
        elements(dataset)
        return dataset

    check_restores_everywhere(full)


def test_a_cache_may_be_made_by_an_op_of_its_own() -> None:
    cache, deleter = tf.raw_ops.AnonymousMemoryCache()
    seen: list[int] = []
    common: dict[str, Any] = {"filename": "", "output_types": [tf.int64], "output_shapes": [[]]}
    for _ in range(2):
        source = Dataset.range(3).map(noting(seen))._variant_tensor
        variant = tf.raw_ops.CacheDatasetV2(input_dataset=source, cache=cache, **common)
        assert elements(of_variant(variant)) == [0, 1, 2]
    assert seen == [0, 1, 2]
    tf.raw_ops.DeleteMemoryCache(handle=cache, deleter=deleter)
    older = of_variant(tf.raw_ops.CacheDataset(input_dataset=Dataset.range(3)._variant_tensor, **common))
    assert elements(older) == elements(older) == [0, 1, 2]


# --- files -------------------------------------------------------------------------------------------------------


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_files_outlive_the_dataset_and_are_read_whatever_that_is(tmp_path: Path) -> None:
    elements(Dataset.range(3).cache(str(tmp_path / "a")))
    assert names(tmp_path) == ["a.data-00000-of-00001", "a.index"]
    assert elements(Dataset.range(9).cache(str(tmp_path / "a"))) == [0, 1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="component 0: expected string but got int64"):
        elements(Dataset.from_tensors("x").cache(str(tmp_path / "a")))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes at component 0: expected \[2\] but"):
        elements(Dataset.from_tensors(tf.constant([1, 2], tf.int64)).cache(str(tmp_path / "a")))


def test_a_second_pass_that_would_write_is_an_error(tmp_path: Path) -> None:
    dataset = Dataset.range(3).cache(str(tmp_path / "a"))
    first = started(dataset)
    first.next_row()
    assert (tmp_path / "a_0.lockfile").read_text().startswith("Created at: ")
    with pytest.raises(tf.errors.AlreadyExistsError, match="There appears to be a concurrent caching iterator running"):
        started(dataset).next_row()
    assert rest(first) == [[1], [2]]
    assert elements(dataset) == [0, 1, 2]


def test_a_lock_file_of_another_program_is_respected(tmp_path: Path) -> None:
    (tmp_path / "a_0.lockfile").write_text("somebody")
    with pytest.raises(tf.errors.AlreadyExistsError, match="Lockfile contents: somebody"):
        elements(Dataset.range(3).cache(str(tmp_path / "a")))
    assert names(tmp_path) == ["a_0.lockfile"]


def test_a_discarded_pass_leaves_no_files(tmp_path: Path) -> None:
    iteration = started(Dataset.range(300).cache(str(tmp_path / "a")))
    iteration.next_row()
    assert len(names(tmp_path)) == 2
    iteration.close()
    assert not names(tmp_path)


def test_files_that_millrace_did_not_write_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.index").write_bytes(b"\0\1\2\xff")
    with pytest.raises(tf.errors.DataLossError, match="was not written by Millrace"):
        elements(Dataset.range(3).cache(str(tmp_path / "a")))


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError):
        elements(Dataset.range(3).cache(str(tmp_path / "none" / "a")))


def test_what_is_no_name_is_refused() -> None:
    for value in (1, None):
        with pytest.raises((TypeError, ValueError)):
            Dataset.range(3).cache(value)


@pytest.mark.parametrize("position", range(5))
def test_a_pass_that_writes_files_goes_on_from_every_position(position: int, tmp_path: Path) -> None:
    def make() -> Any:
        return Dataset.range(4).filter(lambda x: x >= 0).cache(str(tmp_path / "a"))

    first = started(make())
    for _ in range(position):
        first.next_row()
    state = first.save()
    first.close()
    second = started(make())
    second.restore(state)
    assert rest(second) == [[number] for number in range(position, 4)]
    assert elements(make()) == [0, 1, 2, 3]


def test_a_pass_that_reads_files_goes_on_from_every_position(tmp_path: Path) -> None:
    def make() -> Any:
        return Dataset.range(6).map(tf.strings.as_string).cache(str(tmp_path / "a"))

    elements(make())
    check_restores_everywhere(make)

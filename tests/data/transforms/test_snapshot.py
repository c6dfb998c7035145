"""`Dataset.snapshot`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from tests.data.parallel import noting
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, elements, rest, started

Dataset = tf.data.Dataset


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.snapshot"))


def squares(count: int) -> Any:
    return Dataset.range(count).map(lambda x: x * x)


def test_the_second_pass_reads_what_the_first_wrote(tmp_path: Path) -> None:
    seen: list[int] = []
    dataset = Dataset.range(9).map(noting(seen)).snapshot(str(tmp_path))
    assert elements(dataset) == elements(dataset) == seen == list(range(9))
    assert len(dataset) == 9
    assert files(tmp_path)


def test_an_equal_pipeline_reads_and_another_one_writes_anew(tmp_path: Path) -> None:
    for _ in range(2):
        assert elements(squares(5).snapshot(str(tmp_path))) == [0, 1, 4, 9, 16]
    assert len(list(tmp_path.iterdir())) == 1
    assert elements(squares(6).snapshot(str(tmp_path))) == [0, 1, 4, 9, 16, 25]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_repetition_reads(tmp_path: Path) -> None:
    seen: list[int] = []
    assert elements(Dataset.range(3).map(noting(seen)).snapshot(str(tmp_path)).repeat(3)) == [0, 1, 2] * 3
    assert seen == [0, 1, 2]


def test_a_pass_that_does_not_come_to_the_end_is_not_read(tmp_path: Path) -> None:
    dataset = squares(5).snapshot(str(tmp_path))
    assert elements(dataset.take(2)) == [0, 1]
    assert elements(dataset) == elements(dataset) == [0, 1, 4, 9, 16]


def test_passes_at_the_same_time_each_write(tmp_path: Path) -> None:
    dataset = squares(4).snapshot(str(tmp_path))
    first, second = started(dataset), started(dataset)
    first.next_row()
    second.next_row()
    assert rest(first) == rest(second) == [[1], [4], [9]]
    assert elements(dataset) == [0, 1, 4, 9]


@pytest.mark.parametrize("compression", ["AUTO", None, "GZIP", "ZLIB"])
def test_compressed_files_are_read(compression: str | None, tmp_path: Path) -> None:
    source = Dataset.range(5).map(lambda x: {"x": x, "name": tf.strings.as_string(x)})
    dataset = source.snapshot(str(tmp_path), compression)
    assert elements(dataset) == elements(dataset) == elements(source)


def test_the_shard_function_takes_elements_and_the_reader_function_shards(tmp_path: Path) -> None:
    pairs = Dataset.zip(Dataset.range(8), Dataset.range(8))
    dataset = pairs.snapshot(
        str(tmp_path),
        shard_func=lambda x, y: (x + y) // 2 % 2,
        reader_func=lambda shards: shards.flat_map(lambda shard: shard),
    )
    assert [x for x, _ in elements(dataset)] == list(range(8))
    assert [x for x, _ in elements(dataset)] == [0, 2, 4, 6, 1, 3, 5, 7]
    assert len(files(tmp_path)) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="`shard_func` must return a scalar int64"):
        Dataset.range(3).snapshot(str(tmp_path), shard_func=lambda x: "a")


def test_a_pass_goes_on_from_every_position(tmp_path: Path) -> None:
    check_restores_everywhere(lambda: squares(7).snapshot(str(tmp_path / "read")))
    folders = iter(str(tmp_path / str(number)) for number in range(100))
    check_restores_everywhere(lambda: squares(7).filter(lambda x: x >= 0).snapshot(next(folders)))


def test_it_works_in_a_function(tmp_path: Path) -> None:
    check_same_in_function(lambda: squares(4).snapshot(str(tmp_path)), 4)


def test_snappy_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="snappy"):
        elements(squares(4).snapshot(str(tmp_path), "SNAPPY"))


def test_the_transformation_does_the_same(tmp_path: Path) -> None:
    assert elements(Dataset.range(3).apply(tf.data.experimental.snapshot(str(tmp_path)))) == [0, 1, 2]
    assert files(tmp_path)


def test_a_numbered_dataset_has_a_fingerprint() -> None:
    assert Dataset.range(3).enumerate().fingerprint() == Dataset.range(3).enumerate().fingerprint()


def test_a_fingerprint_does_not_depend_on_how_many_functions_there_were_before() -> None:
    fingerprints = {int(squares(3).fingerprint()) for _ in range(12)}
    assert len(fingerprints) == 1

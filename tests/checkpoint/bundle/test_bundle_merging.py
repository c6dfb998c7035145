"""Several checkpoints become one."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import millrace as tf
from millrace._src.checkpoint.bundle.bundle_merging import merge_bundles
from millrace._src.checkpoint.bundle.reader import BundleReader
from millrace._src.checkpoint.bundle.tensor_slices import TensorSlice
from millrace._src.checkpoint.bundle.writer import BundleWriter
from tests.ops.array.answers import check_refusal

_IS_INVALID = tf.errors.InvalidArgumentError


def _parts(tmp_path: Path, *keys: str) -> list[str]:
    prefixes = []
    for number, key in enumerate(keys):
        (tmp_path / f"part{number}").mkdir()
        prefixes.append(f"{tmp_path}/part{number}/p")
        with BundleWriter(prefixes[-1]) as writer:
            writer.add(key, np.arange(3) + number)
    return prefixes


def test_checkpoints_are_merged_and_removed(tmp_path: Path) -> None:
    merge_bundles(_parts(tmp_path, "b", "a", "c"), f"{tmp_path}/all")
    with BundleReader(f"{tmp_path}/all") as reader:
        assert reader.keys() == ["a", "b", "c"]
        assert [reader.read(key).tolist() for key in "abc"] == [[1, 2, 3], [0, 1, 2], [2, 3, 4]]
        assert [reader.entry(key).shard for key in "abc"] == [1, 0, 2]
    names = [*(f"all.data-0000{shard}-of-00003" for shard in range(3)), "all.index"]
    assert sorted(os.listdir(tmp_path)) == names


def test_old_directories_stay_if_asked_or_if_others_use_them(tmp_path: Path) -> None:
    prefixes = _parts(tmp_path, "a", "b")
    (tmp_path / "part1/other").write_text("")
    merge_bundles(prefixes, f"{tmp_path}/all", delete_old_dirs=False)
    assert os.listdir(tmp_path / "part0") == []
    with BundleWriter(prefixes[0]) as writer:
        writer.add("a", np.zeros(1))
    merge_bundles([prefixes[0]], f"{tmp_path}/again")
    assert sorted(name for name in os.listdir(tmp_path) if name.startswith("part")) == ["part1"]
    with BundleWriter(prefixes[1]) as writer:
        writer.add("a", np.zeros(1))
    merge_bundles([prefixes[1]], f"{tmp_path}/once_more")
    assert os.listdir(tmp_path / "part1") == ["other"]


def test_checkpoints_of_one_directory_are_merged_there(tmp_path: Path) -> None:
    for number in range(2):
        with BundleWriter(f"{tmp_path}/p{number}") as writer:
            writer.add(f"k{number}", np.arange(2))
    merge_bundles([f"{tmp_path}/p0", f"{tmp_path}/p1"], f"{tmp_path}/all")
    assert len(os.listdir(tmp_path)) == 3


def test_merging_into_one_of_the_checkpoints(tmp_path: Path) -> None:
    prefixes = _parts(tmp_path, "a", "b")
    merge_bundles(prefixes[:1], prefixes[0])
    with BundleReader(prefixes[0]) as reader:
        assert reader.keys() == ["a"]
    merge_bundles(prefixes, prefixes[1])
    with BundleReader(prefixes[1]) as reader:
        assert [reader.read(key).tolist() for key in ("a", "b")] == [[0, 1, 2], [1, 2, 3]]
    assert os.listdir(tmp_path) == ["part1"]
    assert sorted(os.listdir(tmp_path / "part1")) == ["p.data-00000-of-00002", "p.data-00001-of-00002", "p.index"]


def test_missing_checkpoints(tmp_path: Path) -> None:
    prefixes = [*_parts(tmp_path, "a"), f"{tmp_path}/no/p"]
    words = f"allow_missing_files was set to false and {tmp_path}/no/p did not exist."
    check_refusal(lambda: merge_bundles(prefixes, f"{tmp_path}/all"), _IS_INVALID, words)
    merge_bundles(prefixes, f"{tmp_path}/all", allow_missing_files=True)
    with BundleReader(f"{tmp_path}/all") as reader:
        assert (reader.keys(), reader.num_shards) == (["a"], 1)
    words = "At least one prefix checkpoint file must exist, but none existed."
    check_refusal(lambda: merge_bundles(prefixes, f"{tmp_path}/x", allow_missing_files=True), _IS_INVALID, words)
    check_refusal(lambda: merge_bundles([], f"{tmp_path}/x"), _IS_INVALID, words)


def test_a_tensor_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    prefixes = _parts(tmp_path, "a", "a")
    words = f"Duplicate tensor keyed by a encountered, when merging prefix: {prefixes[1]}"
    check_refusal(lambda: merge_bundles(prefixes, f"{tmp_path}/all"), _IS_INVALID, words)
    with BundleReader(prefixes[0]) as reader:  # nothing was touched
        assert reader.keys() == ["a"]


def _slices(tmp_path: Path, *slices: tuple[int, str, int]) -> list[str]:
    prefixes = []
    for number, (size, text, length) in enumerate(slices):
        prefixes.append(f"{tmp_path}/slice{number}")
        with BundleWriter(prefixes[-1]) as writer:
            writer.add_slice("v", (size,), TensorSlice.parse(text), np.arange(length) + 10 * number)
    return prefixes


def test_slices_of_a_tensor_come_together(tmp_path: Path) -> None:
    merge_bundles(_slices(tmp_path, (5, "0,2", 2), (5, "2,3", 3)), f"{tmp_path}/all")
    with BundleReader(f"{tmp_path}/all") as reader:
        assert reader.read("v").tolist() == [0, 1, 10, 11, 12]


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ((6, "2,3", 3), "Slices of v are of tensors that differ in dtype or shape, when merging prefix: "),
        ((5, "0,2", 2), "Duplicate tensor keyed by "),
        ((5, "-", 5), "Duplicate tensor keyed by v encountered, when merging prefix: "),
    ],
)
def test_slices_that_do_not_fit_are_refused(tmp_path: Path, second: tuple[int, str, int], words: str) -> None:
    prefixes = _slices(tmp_path, (5, "0,2", 2), second)
    check_refusal(lambda: merge_bundles(prefixes, f"{tmp_path}/all"), _IS_INVALID, words)

"""Assets: files that SavedModels take along."""

from __future__ import annotations

import pathlib

import pytest

import millrace as tf


def test_the_name_of_an_asset_is_a_text_tensor() -> None:
    asset = tf.saved_model.Asset("a/b.txt")
    assert asset.asset_path.numpy() == b"a/b.txt"
    assert asset.asset_path.dtype is tf.string and asset.asset_path.shape == []


@pytest.mark.parametrize("path", [pathlib.Path("b.txt"), b"b.txt"])
def test_an_asset_takes_paths_and_bytes(path: object) -> None:
    assert tf.saved_model.Asset(path).asset_path.numpy() == b"b.txt"


def test_an_asset_takes_a_tensor() -> None:
    name = tf.constant("b.txt")
    assert tf.saved_model.Asset(name).asset_path is name


def test_what_is_no_name_is_refused() -> None:
    with pytest.raises(TypeError, match="Expected binary or unicode string, got 3"):
        tf.saved_model.Asset(3)


def test_an_asset_can_be_given_where_a_file_name_is_wanted(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a").write_text("content")
    assert tf.io.read_file(tf.saved_model.Asset(tmp_path / "a")).numpy() == b"content"


def test_an_asset_is_no_number() -> None:
    with pytest.raises(ValueError, match="of dtype string"):
        tf.convert_to_tensor(tf.saved_model.Asset("a"), dtype=tf.int32)


def test_the_name_is_the_same_tensor_each_time() -> None:
    asset = tf.saved_model.Asset("a")
    assert asset.asset_path is asset.asset_path

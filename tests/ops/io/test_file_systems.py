"""Which file system a name belongs to."""

from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.ops.io.file_systems import content_of, file_system_of, register_file_system
from millrace._src.ops.io.local_files import LOCAL
from millrace._src.ops.io.ram_files import RamFileSystem


@pytest.mark.parametrize("name", ["", "a:b", "/a", "file:///a", "file://host/a"])
def test_names_without_a_scheme_are_local(name: str) -> None:
    assert file_system_of(name)[0] is LOCAL


def test_a_scheme_belongs_to_the_file_system_that_is_registered() -> None:
    mine = RamFileSystem()
    register_file_system("mine", mine)
    try:
        assert file_system_of("mine://a/b") == (mine, "a/b")
        assert "mine" in tf.io.gfile.get_registered_schemes()
    finally:
        register_file_system("mine", None)
    with pytest.raises(tf.errors.UnimplementedError):
        file_system_of("mine://a/b")


def test_the_content_of_a_missing_file_is_an_error_with_its_name() -> None:
    with pytest.raises(tf.errors.NotFoundError, match=r"^ram://nothing; No such file"):
        content_of("ram://nothing")

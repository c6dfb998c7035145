"""`tensorflow.python.tools.saved_model_utils` reads the message of a SavedModel."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from millrace._src.interop.saved_model_utils import get_meta_graph_def, get_saved_model_tag_sets, read_saved_model
from tests.command_line.corpus import ARCHIVES, unpacked


@pytest.fixture
def folder() -> Iterator[str]:
    with unpacked(ARCHIVES / "tag_sets.zip") as path:
        yield path


def test_the_message_and_its_tags_are_read(folder: str) -> None:
    assert len(read_saved_model(folder).meta_graphs) == 3
    assert get_saved_model_tag_sets(folder) == [["serve", "gpu"], ["train"], ["b", "c", "a"]]


def test_a_metagraph_is_found_by_its_tags_in_any_order(folder: str) -> None:
    assert "sparse" in get_meta_graph_def(folder, "gpu,serve").signature_def


@pytest.mark.parametrize("tags", ["gpu", "serve,gpu,train", ""])
def test_other_tags_are_refused_with_those_that_there_are(folder: str, tags: str) -> None:
    words = rf"^MetaGraphDef associated with tag-set {tags} could not be found in the SavedModel\. Please use one of "
    with pytest.raises(RuntimeError, match=words + r"the following tag-sets: \['serve,gpu', 'train', 'b,c,a'\]$"):
        get_meta_graph_def(folder, tags)


def test_a_folder_without_a_saved_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="SavedModel file does not exist at: "):
        read_saved_model(str(tmp_path))

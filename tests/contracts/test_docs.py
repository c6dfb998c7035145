"""Pages of documentation name what exists: their links, files, functions; every decision is in the index."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.contracts.doc_references import (
    DOCS,
    FENCE,
    LINK,
    PACKAGE,
    ROOT,
    SOURCES,
    SPAN,
    broken_links,
    exists,
    package_docstring,
    pages,
    references,
    unresolved,
)

MAX_DOCSTRING_LINES = 10

# Files that are not Millrace's: of Keras's wheel, of other projects.
FILES_OF_OTHERS = {"ops/nn_test.py", "requirements.txt", "script.py", "train.py"}

# Words in code that the sources do not have: of other packages, or of what was not built.
WORDS_OF_OTHERS = set(
    """
    CHOICE GenerateVocabRemapping HandleData LoadAndRemapMatrix OPENBLAS_CORETYPE S12 StringDType TypedDict _handle_data
    applications converted_call left_to_numpy openblas_set_num_threads_local rnn_cell strace stringzilla
    test_tanh_of_integer_raises threadpool_limits warn_return_any
    """.split()
)

named_by_path = pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
packages = sorted(path.parent for path in SOURCES.rglob("__init__.py") if "shim" not in path.parts)
for_each_package = pytest.mark.parametrize("folder", packages, ids=lambda path: path.relative_to(PACKAGE).as_posix())


@cache  # finite: one entry
def words_of_the_repository() -> frozenset[str]:
    """Returns every word of the sources, tests and tools, and the name of every file and folder."""
    words: set[str] = set()
    for folder in ("src", "tests", "tools", "benchmarks", "examples"):
        for path in (ROOT / folder).rglob("*.py"):
            words.update(path.relative_to(ROOT).with_suffix("").parts)
            words.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    return frozenset(words)


def is_about_the_sources(page: Path) -> bool:
    """Returns whether a page describes this repository: the tour shows programs and files of its readers."""
    return DOCS / "tour" not in page.parents


@named_by_path
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


@named_by_path
def test_files_and_names_in_files_that_a_page_names_exist(page: Path) -> None:
    if is_about_the_sources(page):
        found = unresolved(page.read_text(encoding="utf-8"), page.parent)
        assert [reference for reference in found if reference not in FILES_OF_OTHERS] == []


@named_by_path
def test_names_that_a_page_writes_as_code_occur_in_the_sources(page: Path) -> None:
    spans = SPAN.findall(FENCE.sub("", page.read_text(encoding="utf-8"))) if is_about_the_sources(page) else []
    names = [match for span in spans if (match := re.fullmatch(r"@?(?:\w+\.)*(\w+)(?:\(.*\))?", span))]
    missing = [match[0] for match in names if match[1] not in words_of_the_repository() | WORDS_OF_OTHERS]
    assert missing == []


@pytest.mark.parametrize("folder", ["src", "tests", "tools", "benchmarks"])
def test_files_that_docstrings_and_comments_name_exist(folder: str) -> None:
    wrong = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        if path.stem in ("doc_references", "test_docs"):  # their examples are wrong on purpose
            continue
        folders = [path.parent, *path.parents[: len(path.relative_to(ROOT).parts)]]
        named = references("".join(re.findall(r"`[\w/.]+\.(?:py|md)(?:: [\w.]+)?`", path.read_text(encoding="utf-8"))))
        wrong += [f"{path}: {each}" for each in named if each.path not in FILES_OF_OTHERS and not exists(each, folders)]
    assert wrong == []


def test_every_decision_is_indexed_once() -> None:
    index = (DOCS / "decisions" / "README.md").read_text(encoding="utf-8")
    indexed = Counter(LINK.findall(index))
    assert indexed == Counter(path.name for path in (DOCS / "decisions").glob("*.md") if path.name != "README.md")


def test_the_picture_of_the_layers_is_the_contract_of_the_linter() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    (layers,) = (each["layers"] for each in settings["importlinter"]["contracts"] if each["name"] == "layers")
    picture = next(FENCE.finditer((DOCS / "architecture.md").read_text(encoding="utf-8")))[2]
    drawn = re.findall(r"^[\w ]*\|  (\w[\w |:]*?) +\|  ", picture, re.MULTILINE)
    assert drawn == [re.sub("[()]", "", layer) for layer in layers]


@for_each_package
def test_the_docstring_of_a_folder_says_in_ten_lines_what_it_is_and_where_to_start(folder: Path) -> None:
    docstring = package_docstring(folder)
    assert docstring and len(docstring.splitlines()) <= MAX_DOCSTRING_LINES
    if folder.name != "proto":
        assert re.search(r"`[\w/]+\.py(: [\w.]+)?`", docstring), "names no file to start with"
    assert unresolved(docstring, folder) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`core/op_def.py: Traits`", []),
        ("`core/execute.py: nothing_of_that_name`", ["core/execute.py: nothing_of_that_name"]),
        ("`core/no_such_file.py`", ["core/no_such_file.py"]),
        ("`engines/tiers.py`, then `background_compiler.py`", []),
        ("`background_compiler.py`", ["background_compiler.py"]),
        ("`engines/no_such_folder/`", ["engines/no_such_folder/"]),
        ("| `engines/tiers.py` |\n| `background_compiler.py` |", ["background_compiler.py"]),
        ("```\ncore/no_such_file.py   in a picture\n```", ["core/no_such_file.py"]),
        ("```console\n$ python core/no_such_file.py\n```", []),
        ("`ops/<folder>/<family>.py`, no_such_file.py", []),
        ("`core/tensor.py: Tensor.shape`", []),
        ("`core/tensor.py: Tensor.no_such_method`", ["core/tensor.py: Tensor.no_such_method"]),
    ],
)
def test_what_is_taken_for_a_file(text: str, expected: list[str]) -> None:
    assert unresolved(text, DOCS) == expected


def test_a_link_to_a_missing_page_or_heading_is_broken(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# Some heading: here\n")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](other.md) [b](other.md#some-heading-here) [c](other.md#none) [d](none.md) [e](https://example.com)"
    )
    assert broken_links(page) == ["other.md#none", "none.md"]

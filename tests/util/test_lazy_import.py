from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec

import pytest

from millrace._src.util.lazy_import import AliasFinder, import_optional, new_variables_removed


@pytest.fixture
def finder() -> Iterator[AliasFinder]:
    finder = AliasFinder()
    yield finder
    if finder in sys.meta_path:
        sys.meta_path.remove(finder)
    for name in [name for name in sys.modules if name.split(".")[0] == "an_alias"]:
        del sys.modules[name]


def test_a_name_below_an_alias_is_the_target_itself(finder: AliasFinder) -> None:
    finder.add("an_alias", "xml")
    assert import_module("an_alias.etree.ElementTree") is import_module("xml.etree.ElementTree")
    assert import_module("an_alias") is sys.modules["xml"]
    assert sys.modules["an_alias.etree"] is sys.modules["xml.etree"]


def test_the_nearest_alias_counts(finder: AliasFinder) -> None:
    finder.add("an_alias", "xml")
    finder.add("an_alias.json", "json")
    assert import_module("an_alias.json.decoder") is import_module("json.decoder")


def test_a_missing_module_is_reported_under_the_name_that_was_used(finder: AliasFinder) -> None:
    finder.add("an_alias", "xml")
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'an_alias.etree.nope'$") as info:
        import_module("an_alias.etree.nope")
    assert info.value.name == "an_alias.etree.nope"


def test_preparation_runs_before_the_target_and_not_when_only_looked_for(finder: AliasFinder) -> None:
    calls: list[str] = []
    finder.add("an_alias", "xml", prepare=lambda: calls.append("prepared"))
    find_spec("an_alias")
    assert calls == []
    import_module("an_alias.etree")
    import_module("an_alias.dom")
    assert calls == ["prepared"]


def test_a_missing_optional_dependency_says_what_to_install() -> None:
    message = r"^tf.keras needs the package 'no_such_package', .* pip install 'millrace\[keras\]'$"
    with pytest.raises(ModuleNotFoundError, match=message):
        import_optional("no_such_package", "tf.keras", "keras")
    assert import_optional("json", "nothing", "full") is sys.modules["json"]


def test_new_variables_are_removed_at_the_end_of_the_scope(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEPT_BEFORE", "1")
    with new_variables_removed():
        os.environ["NEW_ONE"] = "1"
    assert "NEW_ONE" not in os.environ and "KEPT_BEFORE" in os.environ


def test_variables_that_others_set_meanwhile_stay_where_prefixes_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OF_THE_USER", raising=False)
    with new_variables_removed("LIBRARY_"):
        os.environ["LIBRARY_LEVEL"] = "1"
        monkeypatch.setenv("OF_THE_USER", "1")
    assert "LIBRARY_LEVEL" not in os.environ and "OF_THE_USER" in os.environ

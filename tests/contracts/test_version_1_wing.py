"""What exists for TensorFlow 1 alone stands in `compat_v1`, and the layers below it hold none of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from millrace._api.table import NAMES
from millrace._src.core.context import state

SOURCES = Path(__file__).resolve().parents[2] / "src" / "millrace" / "_src"
WINGS = ("compat_v1", "interop")
NAMED_FOR_VERSION_1 = re.compile(r"(^|_)(v1|version_1)(_|$)")


def public_names() -> Iterator[tuple[str, str]]:
    """Yields each public name with its home."""
    for lines in NAMES.values():
        for line in lines.strip().splitlines():
            name, _, home = line.partition(" ")
            yield name, home


def test_a_name_that_only_version_1_has_is_exported_by_its_wing() -> None:
    named: dict[str, list[str]] = {}
    for name, home in public_names():
        named.setdefault(home, []).append(name)
    of_version_1 = [home for home, names in named.items() if all(name.startswith("compat.v1.") for name in names)]
    assert len(of_version_1) > 500
    outside = [home for home in of_version_1 if home != "-" and not home.startswith(WINGS)]
    assert not outside, f"export these names in compat_v1: {outside}"


def test_a_module_named_for_version_1_stands_in_its_wing() -> None:
    paths = [path.relative_to(SOURCES) for path in SOURCES.rglob("*.py")]
    assert any(path.parts[0] == "compat_v1" for path in paths)
    outside = [str(path) for path in paths if path.parts[0] not in WINGS and NAMED_FOR_VERSION_1.search(path.stem)]
    assert not outside, f"name these modules for what they hold, or move them to compat_v1: {outside}"


def test_the_state_of_a_thread_holds_nothing_of_sessions_or_strategies() -> None:
    fields = set(type(state).__annotations__)
    assert {"graph", "tapes"} <= fields
    assert not {field for field in fields if "session" in field or "distribut" in field}


def test_the_state_of_a_thread_is_set_by_scopes_of_its_own_module_alone() -> None:
    """Code of version 1 enters scopes; it does not swap fields of the state."""
    swaps = re.compile(r"\bstate\.\w+(, state\.\w+)* = ")
    found = [str(path) for path in (SOURCES / "compat_v1").rglob("*.py") if swaps.search(path.read_text())]
    assert not found

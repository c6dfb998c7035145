from __future__ import annotations

from millrace._src.util.export import export, export_all, export_constant, public_name


def test_export_returns_the_object_untouched() -> None:
    def function() -> int:
        return 1

    before = dict(vars(function))
    assert export("math.one", "one")(function) is function
    assert vars(function) == before
    assert public_name(function) == "math.one"


def test_export_takes_objects_without_attributes() -> None:
    class Slotted:
        __slots__ = ()

    thing = Slotted()
    assert export("thing")(thing) is thing
    assert public_name(thing) == "thing"


def test_a_name_of_version_1_only_is_reported_as_such() -> None:
    class Session:
        pass

    export(v1=["Session"])(Session)
    assert public_name(Session) == "compat.v1.Session"


def test_what_was_not_exported_has_no_public_name() -> None:
    assert public_name(object()) is None


def test_exporting_values_needs_nothing_at_run_time() -> None:
    export_constant(__name__, "missing", "x")
    export_all(__name__, "errors", ["missing"])

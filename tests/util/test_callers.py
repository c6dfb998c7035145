"""Whose code calls."""

from __future__ import annotations

from millrace._src.util.callers import is_library_code


def test_the_code_of_a_program_is_not_the_librarys() -> None:
    assert not is_library_code(0)


def test_code_of_the_library_is_recognized_through_its_callers() -> None:
    scope = {"__name__": "millrace._src.somewhere", "ask": is_library_code}
    exec("def call(): return ask(0)\ndef callback(f): return f()", scope)
    assert scope["call"]()  # type: ignore[operator]  # made by exec
    assert scope["callback"](lambda: is_library_code(1))  # type: ignore[operator]  # made by exec
    assert not scope["callback"](lambda: is_library_code(0))  # type: ignore[operator]  # made by exec


def test_code_without_a_module_is_not_the_librarys() -> None:
    scope = {"ask": is_library_code, "__builtins__": __builtins__}
    exec("def call(): return ask(0)", scope)
    assert not scope["call"]()  # type: ignore[operator]  # made by exec

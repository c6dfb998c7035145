from __future__ import annotations

import pytest

from millrace._src.util.registry import Registry


def test_what_is_registered_is_found() -> None:
    passes: Registry[object] = Registry("pass")
    prune = passes.register("prune", object())
    assert passes.lookup("prune") is prune
    assert passes.register("prune", prune) is prune
    assert "prune" in passes and list(passes) == ["prune"] and len(passes) == 1


def test_a_decorator_registers_too() -> None:
    converters: Registry[type] = Registry("converter")

    @converters.registers("loops")
    class Loops:
        pass

    assert converters.lookup("loops") is Loops


def test_a_name_is_taken_once() -> None:
    passes: Registry[int] = Registry("pass")
    passes.register("prune", 1)
    with pytest.raises(KeyError, match="Two things want to be the pass called 'prune'"):
        passes.register("prune", 2)


def test_a_wrong_name_suggests_a_right_one() -> None:
    passes: Registry[int] = Registry("pass")
    with pytest.raises(LookupError, match=r"There is no pass called 'prune'; known: none\."):
        passes.lookup("prune")
    passes.register("prune", 1)
    with pytest.raises(LookupError, match=r"There is no pass called 'prnue'; did you mean 'prune'\?"):
        passes.lookup("prnue")
    with pytest.raises(LookupError, match=r"known: prune\."):
        passes.lookup("xyz")

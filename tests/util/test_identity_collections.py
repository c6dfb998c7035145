from __future__ import annotations

import gc

import pytest

from millrace._src.util.identity_collections import IdentityDict, IdentitySet, Reference, WeakIdentityDict


class Vague:
    """Equal to everything and not hashable, as tensors are."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True


def test_references_compare_their_objects_by_identity() -> None:
    a, b = Vague(), Vague()
    assert Reference(a) == Reference(a) and Reference(a) != Reference(b)
    assert len({Reference(a), Reference(a), Reference(b)}) == 2
    assert Reference(a).deref() is a
    assert Reference(a) != a or Reference(a).__eq__(a) is NotImplemented
    assert repr(Reference([1])) == "<Reference wrapping [1]>"


def test_a_dict_by_identity() -> None:
    a, b = Vague(), Vague()
    table = IdentityDict([(a, 1)])
    table[b] = 2
    table[a] = 3
    assert [(key is a, value) for key, value in table.items()] == [(True, 3), (False, 2)]
    assert len(table) == 2 and b in table and Vague() not in table
    del table[a]
    assert a not in table
    for action in (table.__getitem__, table.__delitem__):
        with pytest.raises(KeyError):
            action(a)


def test_a_set_by_identity() -> None:
    a, b = Vague(), Vague()
    members = IdentitySet([a, a])
    members.add(b)
    members.update([a, b])
    assert len(members) == 2 and [member is a for member in members] == [True, False]
    members.discard(a)
    members.discard(a)
    assert list(map(id, members)) == [id(b)]
    assert len(members | IdentitySet([a])) == 2 and len(members & IdentitySet([a])) == 0


def test_a_weak_dict_drops_dead_keys() -> None:
    a, b = Vague(), Vague()
    table: WeakIdentityDict[Vague, int] = WeakIdentityDict()
    table[a], table[b] = 1, 2
    assert len(table) == 2 and table[a] == 1
    del a
    gc.collect()
    assert list(table) == [b] and len(table) == 1
    del table[b]
    assert b not in table
    with pytest.raises(KeyError):
        table[b]


def test_printing_a_collection_shows_its_members() -> None:
    assert repr(IdentityDict([("a", 1)])) == "IdentityDict([('a', 1)])"
    assert repr(IdentitySet(["a"])) == "IdentitySet(['a'])"

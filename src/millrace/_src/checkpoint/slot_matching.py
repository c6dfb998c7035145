"""Which saved slots of an optimizer are those of an optimizer in the program.

Problem: the saved optimizer may be of another kind, or have trained other variables. A list of all its variables then
has slots of another meaning at the same index; some even have the same shape.

Idea: a slot is known by the name of the child that holds it ("_momentums") and by the variable that it is for. Names
count only where both optimizers keep slots of the same kinds, as far as the checkpoint says: by the names of variables
and by the children. Indices in lists of slots are translated by the variables. What does not correspond is not
restored, and a warning names it.

Tests: tests/interop/test_keras_optimizers.py
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from millrace._src.checkpoint.shape_mismatches import find_mismatches
from millrace._src.core.resources import is_variable
from millrace._src.trackable.deferred_restoration import Reached, walk
from millrace._src.trackable.slot_owners import SlotOwner, slot_owner_of

if TYPE_CHECKING:  # a restoration matches its slots by this module
    from millrace._src.checkpoint.restore import CheckpointPosition, Restoration

_MAX_NAMES = 10


@dataclass(frozen=True, slots=True)
class SavedOwner:
    """A saved object that keeps slots, and the object of the program that takes its position.

    Attributes:
      position: the position.
      owner: the object.
      rule: what is known of the class of the object.
      slot_names: the names of the children whose values wait until all slots are made.
    """

    position: CheckpointPosition
    owner: Any
    rule: SlotOwner
    slot_names: frozenset[str]

    @property
    def restoration(self) -> Restoration:
        """The restoration."""
        return self.position.checkpoint

    def saved_elements(self, name: str) -> dict[str, int]:
        """Returns the numbers of the saved elements of a child, by index."""
        number = self.position.child_numbers().get(name)
        return {} if number is None else self.restoration.child_numbers(number)

    @property
    def saved_slots(self) -> list[int]:
        """The numbers of the saved variables that are slots."""
        numbers = self.position.child_numbers()
        common = {numbers.get(name) for name in self.rule.common}
        return [number for number in self.saved_elements(self.rule.flat_list).values() if number not in common]

    @property
    def saved_kind(self) -> str:
        """The kind of the saved object, as the name of a variable says; "" if it says none."""
        number = self.position.child_numbers().get(self.rule.common[0])
        attributes = () if number is None else self.restoration.proto.nodes[number].attributes
        return self.rule.kind_in_name(attributes[0].full_name) if attributes else ""

    def saved_slot_names(self) -> list[str]:
        """Returns the names of the saved children that are or hold slots."""
        listed = set(self.saved_slots)
        numbers = self.position.child_numbers()
        return [name for name in numbers if name in self.slot_names and self._is_listed(name, numbers[name], listed)]

    def _is_listed(self, name: str, number: int, listed: set[int]) -> bool:
        return number in listed or not listed.isdisjoint(self.saved_elements(name).values())

    def slot_names_of_program(self, children: Mapping[str, Any]) -> list[str]:
        """Returns the names of the children of the object that are or hold slots."""
        listed = {id(slot) for slot in _elements(children.get(self.rule.flat_list)).values()}
        return [
            name
            for name in self.other_names(children)
            if id(children[name]) in listed or any(id(slot) in listed for slot in _elements(children[name]).values())
        ]

    def other_names(self, names: Sequence[str] | Mapping[str, Any]) -> set[str]:
        """Returns the names of children that say which kinds of slots there are."""
        return set(names) - {self.rule.flat_list, self.rule.trained_list, *self.rule.common}


def saved_owner(position: CheckpointPosition, owner: Any) -> SavedOwner | None:
    """Returns what is known of a saved object that keeps slots; None for any other object."""
    rule = slot_owner_of[type(owner)]
    numbers = position.child_numbers()
    if rule is None or rule.flat_list not in numbers:
        return None
    listed = set(position.checkpoint.child_numbers(numbers[rule.flat_list]).values())
    children = owner._trackable_children()
    is_built = rule.is_built(owner)
    ungated = {rule.flat_list, rule.trained_list, *rule.common}

    def is_slot(name: str, number: int) -> bool:
        present = children.get(name)
        if not is_built and (present is None or is_variable(present)):
            return present is None  # what is made with the object takes its value at once
        return number in listed or not listed.isdisjoint(position.checkpoint.child_numbers(number).values())

    names = frozenset(name for name, number in numbers.items() if name not in ungated and is_slot(name, number))
    found = SavedOwner(position, owner, rule, names)
    return dataclasses.replace(found, slot_names=names | rule.own_settings(owner, found.saved_kind))


@dataclass(frozen=True, slots=True)
class SlotMatches:
    """What the slots of an object take.

    Attributes:
      reached: the objects and their positions, bound.
      by_index: the trained variables that only their index in a list identifies.
      warning: what was not restored, and why; "" if nothing is to be said.
    """

    reached: Sequence[Reached]
    by_index: Sequence[Any]
    warning: str


def match_slots(found: SavedOwner) -> SlotMatches:
    """Returns what the slots of an object take, and notes why the other saved slots are not restored."""
    restoration, children = found.restoration, found.owner._trackable_children()
    trained = _elements(children.get(found.rule.trained_list))
    pairs, by_index = _trained_pairs(found, trained)
    starts = [
        Reached(trained[name], restoration.position(found.saved_elements(found.rule.trained_list)[name]))
        for name in by_index
    ]
    reached = list(walk(starts)) if starts else []
    variables = [one.trackable for one in reached]
    if _corresponds(found, children):
        slots = [*_match(found, children, trained, pairs), *_find_unnamed(found, children, trained, pairs)]
        reached += _fitting(restoration, list(walk(slots))) if slots else []
        return SlotMatches(reached, variables, _warning_of_fresh(found, children, reached))
    return SlotMatches(reached, variables, _warning_of_kinds(found, children))


def warn_of_slots(warning: str) -> None:
    """Warns of slots that were not restored."""
    if warning:
        warnings.warn(warning, stacklevel=2)


def _elements(container: Any) -> dict[str, Any]:
    return {} if container is None else container._trackable_children()


def _corresponds(found: SavedOwner, children: Mapping[str, Any]) -> bool:
    """Returns whether the saved object keeps slots of the same kinds as the object of the program."""
    rule, kind = found.rule, found.saved_kind
    related = rule.is_related(found.owner, kind)
    if found.other_names(found.position.child_numbers()) == found.other_names(children):
        return kind == rule.kind(found.owner) or related is not False
    return related is True


def _trained_pairs(found: SavedOwner, trained: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
    """Returns the saved index of each trained variable that has one, by its index; and those known by the index alone.

    A variable that took its position by another path is known for sure. Two lists of equally many variables are
    taken to be the same list, where nothing is known of an element on either side.
    """
    saved = found.saved_elements(found.rule.trained_list)
    matched = found.restoration.matched_node_ids()
    indices = {number: index for index, number in saved.items()}
    pairs = {name: indices[matched[id(child)]] for name, child in trained.items() if matched.get(id(child)) in indices}
    by_index = [
        name
        for name, child in trained.items()
        if len(saved) == len(trained)
        and name in saved
        and id(child) not in matched
        and not found.restoration.was_bound(saved[name])
    ]
    return pairs | dict(zip(by_index, by_index)), by_index


def _match(
    found: SavedOwner, children: Mapping[str, Any], trained: Mapping[str, Any], pairs: Mapping[str, str]
) -> Iterator[Reached]:
    """Yields slots, and other objects that hold slots, with their positions."""
    saved_count = len(found.saved_elements(found.rule.trained_list))
    for name in found.slot_names:
        child = children.get(name)
        if child is None:
            continue
        saved, elements = found.saved_elements(name), _elements(child)
        if not _is_by_variable(child, elements, trained) or any(int(index) >= saved_count for index in saved):
            yield Reached(child, found.restoration.position(found.position.child_numbers()[name]))
            continue
        for index, element in elements.items():
            if index in pairs and pairs[index] in saved:
                yield Reached(element, found.restoration.position(saved[pairs[index]]))


def _find_unnamed(
    found: SavedOwner, children: Mapping[str, Any], trained: Mapping[str, Any], pairs: Mapping[str, str]
) -> list[Reached]:
    """Returns slots that only their order identifies: Keras does not track what is appended to an optimizer's list.

    The order is the same where both objects have the same trained variables and make equally many such slots, all of
    the same shapes and dtypes; otherwise nothing is known of them.
    """
    numbers = found.position.child_numbers()
    named = {
        number
        for name in numbers.keys() - _lists(found)
        for number in (numbers[name], *found.saved_elements(name).values())
    }
    saved = [number for number in found.saved_slots if number not in named]
    known = {id(child) for name in children.keys() - _lists(found) for child in _with_elements(children[name])}
    ours = [slot for slot in _own_slots(found, children) if id(slot) not in known]
    is_same_order = len(found.saved_elements(found.rule.trained_list)) == len(pairs) == len(trained)
    if not is_same_order or len(saved) != len(ours) or any(name != index for name, index in pairs.items()):
        return []
    reached = [Reached(slot, found.restoration.position(number)) for slot, number in zip(ours, saved)]
    restore_specs = map(found.restoration.restore_spec, reached)
    return [] if find_mismatches(found.restoration.reader, restore_specs) else reached


def _lists(found: SavedOwner) -> set[str]:
    return {found.rule.flat_list, found.rule.trained_list}


def _with_elements(child: object) -> Iterator[Any]:
    yield child
    yield from _elements(child).values()


def _is_by_variable(child: object, elements: Mapping[str, Any], trained: Mapping[str, Any]) -> bool:
    """Returns whether a child is a list with an element for each trained variable, some of which may be None."""
    return isinstance(child, list) and len(child) == len(trained) and all(map(is_variable, elements.values()))


def _fitting(restoration: Restoration, reached: Sequence[Reached]) -> list[Reached]:
    """Returns the slots whose saved values fit, and lets go of the others."""
    mismatches = find_mismatches(restoration.reader, map(restoration.restore_spec, reached))
    wrong = {id(mismatch.variable) for mismatch in mismatches}
    restoration.release([one for one in reached if id(one.trackable) in wrong])
    return [one for one in reached if id(one.trackable) not in wrong]


# --- what is said ----------------------------------------------------------------------------------------------------


def _own_slots(found: SavedOwner, children: Mapping[str, Any]) -> list[Any]:
    common = {id(children.get(name)) for name in found.rule.common}
    return [slot for slot in _elements(children.get(found.rule.flat_list)).values() if id(slot) not in common]


def _warning_of_fresh(found: SavedOwner, children: Mapping[str, Any], reached: Sequence[Reached]) -> str:
    _note(found, "a slot of a variable that is not trained here, or of another shape")
    restored = {id(one.trackable) for one in reached}
    fresh = [slot for slot in _own_slots(found, children) if id(slot) not in restored]
    if not fresh or not found.saved_slots:
        return ""
    return (
        f"{len(fresh)} slots of the optimizer {_describe(found.owner)} begin anew: {_list_names(fresh)}. The "
        f"checkpoint {found.restoration.reader.prefix} has no values for them that fit: their variables were not "
        "trained when it was written, or their order is not known, or the optimizer was made with other arguments."
    )


def _warning_of_kinds(found: SavedOwner, children: Mapping[str, Any]) -> str:
    saved = found.saved_slots
    kind = repr(found.saved_kind) if found.saved_kind else "another optimizer"
    _note(found, f"a slot of {kind}, not of {type(found.owner).__name__}")
    if not saved:
        return ""
    ours = sorted(found.slot_names_of_program(children))
    numbers = found.position.child_numbers()
    restored = [name for name in found.rule.common if name in numbers.keys() & children.keys() - found.slot_names]
    return (
        f"The checkpoint {found.restoration.reader.prefix} holds the slots of {kind}: {len(saved)} values of "
        f"{_join(found.saved_slot_names())}. They were not restored, because the optimizer of the program is "
        f"{_describe(found.owner)}, whose slots have another meaning; "
        + (f"{_join(ours)} begin anew. " if ours else "it keeps none. ")
        + f"Restored from the saved optimizer: {_join(restored)}."
    )


def _note(found: SavedOwner, note: str) -> None:
    """Notes for reports why saved slots that no object took are not restored."""
    restoration = found.restoration
    restoration.refused_slots.update(
        {number: note for number in found.saved_slots if not restoration.was_bound(number)}
    )


def _describe(owner: Any) -> str:
    return f"{owner.name!r} of class {type(owner).__name__}"


def _join(names: Sequence[str]) -> str:
    return ", ".join(names)


def _list_names(variables: Sequence[Any]) -> str:
    names = ", ".join(str(variable.name) for variable in variables[:_MAX_NAMES])
    return f"{names}, ..." if len(variables) > _MAX_NAMES else names

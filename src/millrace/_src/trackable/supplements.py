"""Supplementary children that appear after a checkpoint was restored.

Problem: a library keeps variables in lists and helper objects of its own classes, and does not tell when a list has
grown. Saved values that wait for an element would wait for ever.

Idea: something with parts that becomes an attribute of an object is the occasion to look again, at the attribute and at
everything else that the object's stand-ins represent.
"""

from __future__ import annotations

from typing import Any

from millrace._src.trackable.base import Trackable


def take_up_supplements(owner: Trackable, name: str, part: Any) -> None:
    """Gives supplementary children of an object the values that wait for them.

    Args:
      owner: the object.
      name: the name of an attribute that is being set.
      part: the value that the attribute is to have.
    """
    if not owner._self_stand_ins and not owner._self_unconditional_deferred_dependencies:
        return
    _take_up_all(owner)
    child = owner._as_child(name, part)  # the attribute itself still has the value of before
    _take_up(owner, name, child)
    _take_up_all(child)


def _take_up_all(owner: Trackable) -> None:
    if owner._self_unconditional_deferred_dependencies:
        for name, child in owner._supplementary_children().items():
            _take_up(owner, name, child)
    for stand_in in list(owner._self_stand_ins.values()):
        _take_up_all(stand_in)


def _take_up(owner: Trackable, name: str, child: Trackable) -> None:
    if name in owner._self_unconditional_deferred_dependencies:
        owner._handle_deferred_dependencies(name, child)

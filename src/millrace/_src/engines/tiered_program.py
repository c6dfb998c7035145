"""A program that starts on the NumPy tier and moves to the engine that runs it fastest.

Which engine is fastest depends on the shapes of the arguments. So a graph with unknown shapes has a specialization
(`tier_selection`) for each set of shapes that comes: shapes that come often move, odd ones stay on the NumPy
tier. A caller that calls often holds the program of a specialization, and is told when to call another one: then
nothing stands between the caller and the engine.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any

from millrace._src.core.engine import Holder, Program
from millrace._src.engines.function_tiers import NUMPY, FunctionTiers, either_program
from millrace._src.engines.tier_selection import ShapeSpecialization, Stage

_MAX_SPECIALIZATIONS = 1024
"""The sets of shapes that one function remembers."""


class TieredProgram:
    """The specializations of one function, for one caller.

    Args:
      tiers: what the specializations share.
      has_fixed_shapes: whether all calls have the same argument shapes.
    """

    def __init__(self, tiers: FunctionTiers, *, has_fixed_shapes: bool) -> None:
        self.tiers = tiers
        self._lock = threading.Lock()
        self._specializations: dict[Any, ShapeSpecialization] = {}
        self._only_specialization = ShapeSpecialization(tiers) if has_fixed_shapes else None
        self._retired_because = ""
        tiered_programs.add(self)

    def program(self) -> Program:
        """Returns the program for calls with any shapes."""
        program = either_program(self._run if self._only_specialization is None else self._only_specialization.run)
        program.tiering = self
        return program

    def _run(self, *arguments: object) -> Sequence[Any]:
        return self.specialization_of(arguments).run(*arguments)

    def specialization_of(self, arguments: Sequence[Any]) -> ShapeSpecialization:
        """Returns the specialization to which a call with these arguments belongs."""
        if self._only_specialization is not None:
            return self._only_specialization
        shapes = tuple([argument.shape for argument in arguments])
        specialization = self._specializations.get(shapes)
        return self._new_specialization(shapes) if specialization is None else specialization

    def _new_specialization(self, shapes: object) -> ShapeSpecialization:
        with self._lock:
            if len(self._specializations) >= _MAX_SPECIALIZATIONS:
                self._forget_some()
            specialization = self._specializations.setdefault(shapes, ShapeSpecialization(self.tiers))
        if self._retired_because:
            specialization.retire(self._retired_because)
        return specialization

    def _forget_some(self) -> None:
        """Forgets specializations: first those on the NumPy tier. A holder of such a program can go on calling it."""
        slow_ones = [shapes for shapes, specialization in self._specializations.items() if specialization.tier == NUMPY]
        for shapes in (slow_ones or list(self._specializations))[: _MAX_SPECIALIZATIONS // 2]:
            del self._specializations[shapes]

    def hold(self, holder: Holder, arguments: Sequence[Any] | None = None) -> Program:
        """Returns the program for the calls of a holder, who is told by `use` when to take another one.

        Args:
          holder: the holder of the program; a holder is not kept alive by being one.
          arguments: some arguments with the shapes that all these calls have; None for calls with any shapes.
        """
        specialization = self._only_specialization if arguments is None else self.specialization_of(arguments)
        return self.program() if specialization is None else specialization.hold(holder)

    def retire(self, reason: str) -> None:
        """Commits all specializations to the NumPy tier for good, those to come too."""
        self._lock = threading.Lock()  # in a fork: another thread of the parent may have held it
        self._retired_because = reason
        for specialization in self.specializations():
            specialization.retire(reason)

    def specializations(self) -> list[ShapeSpecialization]:
        """Returns the specializations there are."""
        only = self._only_specialization
        return list(self._specializations.values()) if only is None else [only]

    def state(self) -> tuple[str, str]:
        """Returns the tier of the specialization that has moved furthest and took most time, and why it runs there."""
        specializations = self.specializations()
        if not specializations:
            return NUMPY, "it has not been called"
        shown = max(specializations, key=lambda each: (each.stage is not Stage.COUNTING, each.budget.spent))
        if len(specializations) == 1:
            return shown.tier, shown.reason()
        count, left = len(specializations), sum(each.tier != NUMPY for each in specializations)
        return shown.tier, f"{shown.reason()} (of {count} sets of argument shapes {left} left the NumPy tier)"


tiered_programs: weakref.WeakSet[TieredProgram] = weakref.WeakSet()
"""The programs of this process, which a fork commits to the NumPy tier."""

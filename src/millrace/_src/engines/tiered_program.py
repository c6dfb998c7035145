"""A program that starts on the NumPy tier and moves to the engine that runs it fastest.

Which engine is fastest depends on the shapes of the arguments. So a graph with unknown shapes has a case
(`shape_specializations`) for each set of shapes that comes: shapes that come often move, odd ones stay on the NumPy
tier. A caller that calls often holds the program of a case, and is told when to call another one: then nothing stands
between the caller and the engine.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any

from millrace._src.core.engine import Holder, Program
from millrace._src.engines.shape_specializations import NUMPY, FunctionTiers, ShapeSpecialization, Stage, either_program

_MAX_CASES = 1024
"""The sets of shapes that one function remembers."""


class TieredProgram:
    """The cases of one function, for one caller.

    Args:
      tiers: what the cases share.
      has_fixed_shapes: whether all calls have the same argument shapes.
    """

    def __init__(self, tiers: FunctionTiers, *, has_fixed_shapes: bool) -> None:
        self.tiers = tiers
        self._lock = threading.Lock()
        self._cases: dict[Any, ShapeSpecialization] = {}
        self._only_case = ShapeSpecialization(tiers) if has_fixed_shapes else None
        self._retired_because = ""
        tiered_programs.add(self)

    def program(self) -> Program:
        """Returns the program for calls with any shapes."""
        program = either_program(self._run if self._only_case is None else self._only_case.run)
        program.tiering = self
        return program

    def _run(self, *arguments: object) -> Sequence[Any]:
        return self.case_of(arguments).run(*arguments)

    def case_of(self, arguments: Sequence[Any]) -> ShapeSpecialization:
        """Returns the case to which a call with these arguments belongs."""
        if self._only_case is not None:
            return self._only_case
        shapes = tuple([argument.shape for argument in arguments])
        case = self._cases.get(shapes)
        return self._new_case(shapes) if case is None else case

    def _new_case(self, shapes: object) -> ShapeSpecialization:
        with self._lock:
            if len(self._cases) >= _MAX_CASES:
                self._forget_some()
            case = self._cases.setdefault(shapes, ShapeSpecialization(self.tiers))
        if self._retired_because:
            case.retire(self._retired_because)
        return case

    def _forget_some(self) -> None:
        """Forgets cases: first those on the NumPy tier. Code that holds the program of a case can go on calling it."""
        slow_cases = [shapes for shapes, case in self._cases.items() if case.tier == NUMPY]
        for shapes in (slow_cases or list(self._cases))[: _MAX_CASES // 2]:
            del self._cases[shapes]

    def hold(self, holder: Holder, arguments: Sequence[Any] | None = None) -> Program:
        """Returns the program for the calls of a holder, who is told by `use` when to take another one.

        Args:
          holder: the holder of the program; a holder is not kept alive by being one.
          arguments: some arguments with the shapes that all these calls have; None for calls with any shapes.
        """
        case = self._only_case if arguments is None else self.case_of(arguments)
        return self.program() if case is None else case.hold(holder)

    def retire(self, reason: str) -> None:
        """Settles all cases on the NumPy tier for good, those to come too."""
        self._lock = threading.Lock()  # in a fork: another thread of the parent may have held it
        self._retired_because = reason
        for case in self.cases():
            case.retire(reason)

    def cases(self) -> list[ShapeSpecialization]:
        """Returns the cases there are."""
        return list(self._cases.values()) if self._only_case is None else [self._only_case]

    def state(self) -> tuple[str, str]:
        """Returns the tier of the case that has moved furthest and took most time, and why that case runs there."""
        cases = self.cases()
        if not cases:
            return NUMPY, "it has not been called"
        shown = max(cases, key=lambda case: (case.stage is not Stage.COUNTING, case.spent))
        if len(cases) == 1:
            return shown.tier, shown.reason()
        count = sum(case.tier != NUMPY for case in cases)
        return shown.tier, f"{shown.reason()} (of {len(cases)} sets of argument shapes {count} left the NumPy tier)"


tiered_programs: weakref.WeakSet[TieredProgram] = weakref.WeakSet()
"""The programs of this process, which a fork settles on the NumPy tier."""

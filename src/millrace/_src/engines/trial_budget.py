"""What a function may lose to the search for a faster engine.

Problem: compiling and trying cost the user time, and most of it is lost where nothing faster is found.

Idea: a ledger. Calls are *spent* time; what they take longer than usual, while a compiler shares the cores or a
candidate has its turn, is *lost*. Two rules follow from it.

- A candidate is not compiled before calls have taken as long as compiling all candidates so far has taken and this one
  is expected to take: what is invested never exceeds what was spent. Where libraries compute most of a call, a compiler
  can win little, and calls must have taken five times as long: on one core half of the time beside a compiler is lost,
  so that a tenth is lost at most.
- Once something was lost, the next candidate waits until the loss is at most a tenth of what was spent.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_LOST_SHARE = 0.1
"""What calls may have lost, as a share of what they have taken, when a further candidate is compiled."""
_LIBRARY_BOUND = 0.5
"""The share of a call in kernels of libraries from which a compiler can win little."""
_LIBRARY_FACTOR = 5.0
"""How many times what compiling takes such calls must have taken before."""


@dataclass(slots=True)
class TrialBudget:
    """The ledger of one shape specialization; times in seconds.

    Attributes:
      spent: what all calls have taken.
      lost: what calls have taken longer than usual.
      invested: what compiling has taken.
      library_share: which part of a call is in kernels of libraries; 0 until it is measured.
    """

    spent: float = 0.0
    lost: float = 0.0
    invested: float = 0.0
    library_share: float = 0.0
    _usual_calls: int = 0
    _usual_seconds: float = 0.0

    @property
    def usual(self) -> float:
        """The mean time of a call that nothing disturbed; infinity until there was one."""
        return self._usual_seconds / self._usual_calls if self._usual_calls else float("inf")

    def note_usual(self, seconds: float) -> None:
        """Notes a call that nothing disturbed."""
        self.spent += seconds
        self._usual_calls += 1
        self._usual_seconds += seconds

    def note_disturbed(self, seconds: float) -> None:
        """Notes a call beside a compiler, or by a candidate."""
        self.spent += seconds
        self.lost += max(seconds - self.usual, 0.0)

    def note_compiled(self, seconds: float) -> None:
        """Notes that a candidate was compiled."""
        self.invested += seconds

    def seconds_until(self, cost: float) -> float:
        """Returns how long calls must yet take before a candidate that costs some seconds may be compiled."""
        factor = _LIBRARY_FACTOR if self.library_share >= _LIBRARY_BOUND else 1.0
        needed = max((self.invested + cost) * factor, self.lost / MAX_LOST_SHARE)
        return max(needed - self.spent, 0.0)

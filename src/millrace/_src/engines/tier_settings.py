"""What decides where functions run: the user's pins, and the numbers by which automatic tiers decide.

`MILLRACE_TIER` pins all functions that do not say `jit_compile=` themselves: "numpy", "xla", or "auto", the default.
`tf.config.optimizer.set_jit` pins them from the program, `enable_op_determinism` too: a choice by time may differ from
run to run, and two engines round differently. A pin holds for functions that are first called afterwards.

Three more variables are for tests. `MILLRACE_TIER_WAIT=1` makes calls wait for the compiler, so that the same call of
every run is the first that XLA runs. `MILLRACE_TIER_THRESHOLD=0` makes functions hot at once: a number that the
expected time of compiling is multiplied with. `MILLRACE_TIER_CHOICE=alternate` makes calls go on taking turns with all
engines that can run the function, rather than only until the fastest is known.
"""

from __future__ import annotations

import enum
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from millrace._src.core.runtime_options import is_op_determinism_enabled
from millrace._src.engines.compile_costs import CompileCosts
from millrace._src.engines.engine_table import HOST_ENGINE, JIT_ENGINE
from millrace._src.engines.record_folder import RecordFolder
from millrace._src.engines.tier_records import TierRecords
from millrace._src.passes.optimizer_options import jit_pin
from millrace._src.util.trials import TrialRules

_ALTERNATING = TrialRules(warm_up=0, counted=1, least=sys.maxsize, hopeless=float("inf"))
"""The rules of a trial that never ends."""
_FASTEST = TrialRules(hopeless=2.0)
"""The rules of other trials: a call of a function is long, so a candidate that is half as fast gets one turn."""
COMPILE_SECONDS, NODE_SECONDS = 0.06, 0.002
"""What compiling the smallest graph takes, and what a node adds until this machine has shown what it takes."""
FORKED = "this process is a fork of one that had loaded JAX, and a fork has none of JAX's threads"
"""Why a function stays on the NumPy tier in a fork."""
Kind = TypeVar("Kind", bound=enum.Enum)


class Pin(enum.Enum):
    """Who chooses the engine of functions that do not say `jit_compile=`."""

    AUTO = "auto"
    """The time that calls take."""
    NUMPY = HOST_ENGINE
    """None: every function stays on the NumPy tier."""
    COMPILED = JIT_ENGINE
    """None: every function that loses nothing by it runs compiled, from its first call on."""


class TierChoice(enum.Enum):
    """How a function with several engines to choose from makes its choice."""

    FASTEST = "fastest"
    ALTERNATE = "alternate"


@dataclass(slots=True)
class TierSettings:
    """The numbers, which tests replace.

    Attributes:
      pin: who chooses, where the program itself has set nothing by `tf.config`.
      waits: whether calls wait for the compiler.
      threshold: a function is hot when its calls have taken this many times as long as compiling is expected.
      choice: how a trial ends.
      clock: returns the time in seconds.
      import_seconds: what importing the compiler takes.
      costs: what compiling takes, as learned on this machine.
      records: where trials are kept on disk; None to keep none.
      call_seconds: what a call of a compiled function costs before it computes anything; no compiler helps a function
        whose calls take less.
      small_calls: how many calls tell that calls are as short as that.
      is_fork: whether this process is a fork of one that had loaded the compiler, whose threads the fork has not.
    """

    pin: Pin = Pin.AUTO
    waits: bool = False
    threshold: float = 1.0
    choice: TierChoice = TierChoice.FASTEST
    clock: Callable[[], float] = time.perf_counter
    import_seconds: float = 0.7
    costs: CompileCosts = field(default_factory=lambda: CompileCosts(COMPILE_SECONDS, NODE_SECONDS))
    records: TierRecords | None = None
    call_seconds: float = 15e-6
    small_calls: int = 8
    is_fork: bool = False

    def estimate_seconds(self, node_count: int) -> float:
        """Returns the time after which a function with so many nodes is hot: what compiling is expected to take."""
        loading = 0.0 if "jax" in sys.modules else self.import_seconds
        return self.threshold * (loading + self.costs.estimate(node_count))

    @property
    def least_seconds(self) -> float:
        """What a part of a function must take on the NumPy tier to be worth compiling."""
        return self.call_seconds if self.threshold else 0.0

    def trial_rules(self) -> TrialRules:
        """Returns how thorough trials are."""
        return _ALTERNATING if self.choice is TierChoice.ALTERNATE else _FASTEST

    def pin_in_force(self) -> Pin:
        """Returns who chooses for a function that is called for the first time."""
        program_pin = jit_pin()
        if program_pin is not None:
            return Pin.COMPILED if program_pin else Pin.NUMPY
        if self.pin is Pin.AUTO and is_op_determinism_enabled():
            return Pin.NUMPY
        return self.pin


def settings_from(environment: Mapping[str, str]) -> TierSettings:
    """Returns the settings that the variables of an environment ask for.

    Raises: ValueError: if a variable has a value that it cannot have.
    """
    folder = RecordFolder()
    settings = TierSettings(costs=CompileCosts(COMPILE_SECONDS, NODE_SECONDS, folder), records=TierRecords(folder))
    settings.pin = _one_of(Pin, environment, "MILLRACE_TIER", Pin.AUTO)
    settings.choice = _one_of(TierChoice, environment, "MILLRACE_TIER_CHOICE", TierChoice.FASTEST)
    settings.waits = environment.get("MILLRACE_TIER_WAIT", "0") not in ("", "0")
    threshold = environment.get("MILLRACE_TIER_THRESHOLD", "1")
    try:
        settings.threshold = float(threshold)
    except ValueError:
        raise ValueError(f"MILLRACE_TIER_THRESHOLD is a number; received {threshold!r}.") from None
    return settings


def _one_of(kind: type[Kind], environment: Mapping[str, str], name: str, default: Kind) -> Kind:
    """Returns the member of an enumeration that a variable names."""
    text = environment.get(name) or default.value
    try:
        return kind(text)
    except ValueError:
        names = ", ".join(repr(member.value) for member in kind)
        raise ValueError(f"{name} is one of {names}; received {text!r}.") from None


settings = settings_from(os.environ)
"""The settings of this process."""

"""Runs random programs in all modes and tells where the modes differ."""

from __future__ import annotations

from collections.abc import Iterator

from millrace._src.engines.tier_settings import Pin
from millrace._src.passes.clustering import ClusterStrategy
from tests.soundness import outcomes
from tests.soundness.programs import generate

CHEAP_MODES: dict[str, outcomes.Mode] = {
    "unoptimized": outcomes.unoptimized,
    "unknown shapes": outcomes.unknown_shapes,
}
"""Ways that compile nothing."""
_OTHER_TRACES = (outcomes.unknown_shapes,)
"""Ways with a trace of their own, whose operations may have other names in messages."""
COMPILED_MODES: dict[str, outcomes.Mode] = {
    "wide clusters": outcomes.clusters(ClusterStrategy.WIDE),
    "narrow clusters": outcomes.clusters(ClusterStrategy.NARROW),
    "automatic tiers": outcomes.automatic,
    "pinned to XLA": outcomes.pinned_to_xla,
}
"""Ways that take a compiler, and most of a second for a program."""


def complaints(seed: int, *, compiled: bool) -> Iterator[str]:
    """Yields where the program of a seed shows something else in one mode than in another.

    Args:
      seed: the seed.
      compiled: whether the modes that compile are among the modes.
    """
    with outcomes.tiers(pin=Pin.NUMPY):
        yield from _complaints(seed, {**CHEAP_MODES, **(COMPILED_MODES if compiled else {})})


def _complaints(seed: int, modes: dict[str, outcomes.Mode]) -> Iterator[str]:
    with outcomes.run_eagerly():
        program = generate(seed)
    eager = outcomes.run(program, outcomes.eager)
    graph = outcomes.run(program, outcomes.graph)
    assert eager is not None
    if graph is None:
        return  # a program for eager mode alone
    if not program.draws:  # the hidden streams of eager mode are others
        yield from _told(seed, "graph", outcomes.differences(graph, eager, same_text=False))
    for name, mode in modes.items():
        try:
            found = outcomes.run(program, mode)
        except Exception as error:  # a mode that breaks down is told like one that differs
            yield f"program {seed}, {name}: {type(error).__name__}: {error}"
            continue
        if found is not None:
            yield from _told(seed, name, outcomes.differences(found, graph, same_text=mode not in _OTHER_TRACES))


def _told(seed: int, mode: str, differences: list[str]) -> Iterator[str]:
    yield from (f"program {seed}, {mode}: {difference}" for difference in differences[:3])

"""The cost of a strategy of one replica: asking for the strategy in force, running a function for the only replica."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = (
    Row("get_strategy", "tf.distribute.get_strategy()", "us", reach=0.3),
    Row("strategy_run", "strategy.run(f), f returns its argument", "us"),
)


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    strategy, x = tf.distribute.get_strategy(), tf.constant(1.0)
    return {"get_strategy": tf.distribute.get_strategy, "strategy_run": lambda: strategy.run(_same, args=(x,))}


def _same(x: Any) -> Any:
    return x

"""What the topics about loops over lists share."""

from __future__ import annotations

from typing import Any

from tests.oracle.support import normalise


def outcome(call: Any, words: int = 6) -> Any:
    """What a call returns; of an exception, its class and the first words of its own message."""
    try:
        return call()
    except Exception as error:
        text = normalise(str(getattr(error, "message", None) or error)).removeprefix("Graph execution error: ")
        return [type(error).__name__, " ".join(text.split()[:words])]


def both(tf: Any, call: Any, words: int = 6) -> list[Any]:
    """What a call returns in eager mode and inside a function."""
    return [outcome(call, words), outcome(lambda: tf.function(call, autograph=False)(), words)]

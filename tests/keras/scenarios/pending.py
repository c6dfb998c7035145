"""Scenarios that do not give TensorFlow's numbers yet: `topic::scenario mode` -> what it waits for.

One that passes is an error, so that the list shrinks.
"""

PENDING: dict[str, str] = {}

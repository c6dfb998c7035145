"""All cases, by name."""

from __future__ import annotations

from tests.formats.checkpoints.case import Case
from tests.formats.checkpoints.keras_models import KERAS
from tests.formats.checkpoints.objects import OBJECTS
from tests.formats.checkpoints.writing import WRITING

_TOPICS = {"objects": OBJECTS, "writing": WRITING, "keras": KERAS}

CASES: dict[str, Case] = {f"{topic}-{case.name}": case for topic, cases in _TOPICS.items() for case in cases.all}

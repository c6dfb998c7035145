"""What is read from a checkpoint: the values of the objects, and the list of its variables."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any

from tests.formats.checkpoints.case import Case
from tests.oracle.encoding import Encoder


def answers_of(tf: Any, case: Case, path: str) -> dict[str, Any]:
    """Returns the JSON form of what `case` reads from the checkpoint at `path`."""
    encoder = Encoder(tf)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            values = encoder.encode(case.answer(tf, path))
        except Exception as error:
            values = encoder.encode_exception(error)
        listed = encoder.encode(tf.train.list_variables(path))
    answers = {"path": os.path.basename(path), "values": values, "listed": listed}
    result: dict[str, Any] = json.loads(json.dumps(answers))
    return result

"""Writes `recorded/` anew by running the programs on real TensorFlow.

python -m tests.formats.record_formats          (from the project's root, with tensorflow-cpu==2.21.0 installed)
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from millrace._src.core.op_homes import OP_HOMES
from tests.formats.canonical_text import graph_text
from tests.formats.dataset_programs import PIPELINES, elements, pipeline, written
from tests.formats.expressions import ALL, answer
from tests.formats.programs import PROGRAMS
from tests.formats.record_programs import write_files

RECORDED = Path(__file__).parent / "recorded"


def op_lines() -> list[str]:
    """Returns a line for each op that both TensorFlow and Millrace declare, in the form of `known_ops.txt`."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
    import gen_known_ops  # type: ignore[import-not-found]  # a script, found on the path above

    return sorted(gen_known_ops.line_of(op) for op in gen_known_ops.op_list() if op.name in OP_HOMES)


def main() -> None:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf  # the oracle; needed only here

    RECORDED.mkdir(exist_ok=True)
    with open(RECORDED / "graphs.txt", "w", encoding="utf-8") as file:
        for program in PROGRAMS:
            file.write(f"== {program.name}\n{graph_text(program.graph_def(tf))}")
    for name, expressions in ALL.items():
        lines = [f"{expression}\n    {answer(tf, expression)}\n" for expression in expressions]
        (RECORDED / f"{name}.txt").write_text("".join(lines), encoding="utf-8")
    (RECORDED / "ops.txt").write_text("".join(f"{line}\n" for line in op_lines()), encoding="utf-8")
    write_files(tf, RECORDED)
    datasets = {name: {"graph": written(tf, name), "elements": elements(tf, pipeline(tf, name))} for name in PIPELINES}
    (RECORDED / "datasets.json").write_text(json.dumps(datasets, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

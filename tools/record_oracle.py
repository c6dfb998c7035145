"""Records what real TensorFlow answers to the programs of tests/oracle/programs.

Run with a Python that has tensorflow-cpu 2.21: `python tools/record_oracle.py [--output FOLDER] [TOPIC ...]`.
Each topic becomes one JSON file, one program a line; a second run writes the same bytes.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import sys
import time
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(_ROOT))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")


def record_own_answers() -> None:
    """Records what millrace answers where it deliberately differs; answers that agree after all are left out."""
    import numpy as np

    import millrace as tf
    from tests.oracle import composite_differences, corpus, encoding

    found = {}
    for key, reason in composite_differences.reasons().items():
        topic, _, name = key.partition("::")
        answer = json.loads(json.dumps(corpus.run(corpus.programs(topic)[name], tf, np)))
        if list(encoding.differences(corpus.recorded(topic)[name], answer)):
            found[key] = {"reason": reason, "expected": answer}
    corpus.write_record(composite_differences.OWN_ANSWERS, dict(sorted(found.items())))
    print(f"{len(found)} programs answered on purpose otherwise")


def main() -> None:
    """Records the topics named on the command line, or all of them."""
    from tests.oracle import corpus

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("topics", nargs="*")
    parser.add_argument("--output", type=Path, default=corpus.RECORDED)
    parser.add_argument("--limit", type=int, default=60, help="seconds a topic may take before its stack is shown")
    parser.add_argument("--own", action="store_true", help="record millrace's answers where they differ on purpose")
    arguments = parser.parse_args()
    if arguments.own:
        record_own_answers()
        return
    import numpy as np
    import tensorflow as tf

    arguments.output.mkdir(parents=True, exist_ok=True)
    total = 0
    for topic in arguments.topics or corpus.topics():
        start = time.perf_counter()
        faulthandler.dump_traceback_later(arguments.limit, exit=True)
        answers = {name: corpus.run(program, tf, np) for name, program in corpus.programs(topic).items()}
        corpus.write_record(arguments.output / f"{topic}.json", answers)
        total += len(answers)
        print(f"{topic}: {len(answers)} programs, {time.perf_counter() - start:.1f} s")
    faulthandler.cancel_dump_traceback_later()
    print(f"{total} programs on TensorFlow {tf.__version__}")


if __name__ == "__main__":
    main()

"""Runs scenarios and prints their numbers as JSON; `--record` writes them down as real TensorFlow's.

`python -m tests.keras.scenarios [TOPIC ...] [--slow] [--tensorflow] [--record]`.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

from tests.keras.scenarios.catalogue import Run, Scenario, differences, numbers, scenarios

RECORDED = Path(__file__).parent / "recorded.json"
Answers = dict[str, dict[str, Any]]


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.keras.scenarios", description=__doc__)
    parser.add_argument("topics", nargs="*", help="topics or scenarios (all if none)")
    parser.add_argument("--slow", action="store_true", help="the slow ones too")
    parser.add_argument("--tensorflow", action="store_true", help="run on real TensorFlow")
    parser.add_argument("--record", action="store_true", help="write recorded.json; implies --tensorflow and --slow")
    parser.add_argument("--check", action="store_true", help="print what differs from recorded.json, not the numbers")
    parser.add_argument("--output", type=Path, help="write the numbers into this file")
    return parser.parse_args()


def start(on_tensorflow: bool) -> tuple[Any, Any]:
    """Imports the framework and Keras on it."""
    os.environ.update(KERAS_BACKEND="tensorflow", TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0")
    if importlib.util.find_spec("torch"):
        importlib.import_module("torch")  # TensorFlow's libraries must not be loaded before torch's
    if not on_tensorflow:
        import millrace

        millrace.install_as_tensorflow()
    return importlib.import_module("tensorflow"), importlib.import_module("keras")


def _compilation_count() -> int:
    """How many executables Millrace has compiled; 0 on TensorFlow, where Millrace must not be imported."""
    compilations = sys.modules.get("millrace._src.engines.compilations")
    return compilations.compilation_count() if compilations else 0


def answer(one: Scenario, mode: str, tf: Any, keras: Any) -> dict[str, Any]:
    """The numbers of a scenario in one mode, the seconds it took and how often XLA compiled, or its error."""
    keras.backend.clear_session()
    keras.utils.set_random_seed(0)
    keras.config.set_dtype_policy("float32")
    compiled, began = _compilation_count(), time.perf_counter()
    try:
        with tempfile.TemporaryDirectory() as folder:
            found = dict(numbers(one.function(Run(tf, keras, mode, folder))))
    except Exception as error:
        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {str(error)[:600]}"}
    seconds = round(time.perf_counter() - began, 3)
    return {"numbers": found, "seconds": seconds, "compilations": _compilation_count() - compiled}


def run(chosen: dict[str, Scenario], tf: Any, keras: Any, on_tensorflow: bool, is_slow: bool) -> Answers:
    """All answers: scenario -> mode -> answer. TensorFlow is not asked for what it answers differently."""
    answers: Answers = {}
    for name, one in chosen.items():
        if importlib.util.find_spec(one.needs) is None:
            continue
        modes = [mode for mode in one.modes if not on_tensorflow or mode == one.recorded_mode(mode)]
        modes = [mode for mode in modes if is_slow or mode not in one.slow]
        answers[name] = {mode: answer(one, mode, tf, keras) for mode in modes}
        took = ", ".join(f"{mode} {a.get('seconds', a.get('error'))}" for mode, a in answers[name].items())
        print(f"{name}: {took}", file=sys.stderr, flush=True)
    return answers


def spread(answers: dict[str, Any], tolerance: float) -> list[str]:
    """What TensorFlow's own modes do not agree on: such a scenario is too sensitive to compare by."""
    first, *others = (a["numbers"] for a in answers.values())
    return [line for other in others for line in differences(first, other, tolerance)]


def recorded() -> dict[str, dict[str, dict[str, float]]]:
    """TensorFlow's numbers: scenario -> mode -> path -> number."""
    if not RECORDED.exists():
        return {}
    kept: dict[str, dict[str, dict[str, float]]] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return kept


def record(answers: Answers, chosen: dict[str, Scenario]) -> None:
    """Writes TensorFlow's numbers, one scenario a line; says where its modes differ."""
    kept = recorded()
    for name, by_mode in answers.items():
        if any("error" in a for a in by_mode.values()):
            raise SystemExit(f"{name} fails on TensorFlow")
        for line in spread(by_mode, chosen[name].tolerance / 2):
            print(f"sensitive: {name}: {line}", file=sys.stderr)
        kept[name] = {
            mode: {path: float(f"{value:.9g}") for path, value in a["numbers"].items()} for mode, a in by_mode.items()
        }
    lines = [f"{json.dumps(name)}: {json.dumps(kept[name])}" for name in sorted(kept) if name in scenarios()]
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main() -> None:
    """Runs what the command line names."""
    options = parse()
    on_tensorflow = options.tensorflow or options.record
    tf, keras = start(on_tensorflow)
    topics = sorted({name.partition("::")[0] for name in options.topics})
    chosen = {
        name: one
        for name, one in scenarios(topics).items()
        if name in options.topics or name.partition("::")[0] in options.topics or not topics
    }
    answers = run(chosen, tf, keras, on_tensorflow, options.slow or options.record)
    if options.record:
        record(answers, chosen)
    elif options.output:
        options.output.write_text(json.dumps(answers), encoding="utf-8")
    elif options.check:
        for name, lines in judged(answers, chosen).items():
            print(f"{name}: {'; '.join(lines[:4]) or 'as on TensorFlow'}")
    else:
        print(json.dumps(answers))


def judged(answers: Answers, chosen: dict[str, Scenario]) -> dict[str, list[str]]:
    """Scenario and mode -> what is not as on TensorFlow. What is to be compiled has to have been compiled."""
    found, kept = {}, recorded()
    for name, by_mode in answers.items():
        for mode, given in by_mode.items():
            expected = kept.get(name, {}).get(chosen[name].recorded_mode(mode))
            if expected is None:
                lines = ["nothing is recorded"]
            elif "error" in given:
                lines = [given["error"]]
            else:
                lines = differences(expected, given["numbers"], chosen[name].tolerance)
                if mode == "jit" and not given["compilations"]:
                    lines.append("XLA compiled nothing")
            found[f"{name} {mode}"] = lines
    return found


if __name__ == "__main__":
    main()

"""Runs the old programs one after the other in one process, each in a default graph of its own.

    python -m tests.end_to_end.v1_programs.running [--record] [PROGRAM ...]

prints, as JSON, what each program prints. With `--record`, on a Python that has TensorFlow, the answers are kept in
`recorded.json`. Without TensorFlow the name `tensorflow` is Millrace's.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import sys
import time
import traceback
import warnings
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
RECORD = HERE / "recorded.json"


def names() -> list[str]:
    """Returns the names of the programs."""
    return sorted(path.stem for path in PROGRAMS.glob("*.py"))


def output_of(name: str) -> str:
    """Returns what a program prints; the last line of its error, if it fails."""
    import tensorflow.compat.v1 as tf  # TensorFlow, or Millrace under its name

    tf.reset_default_graph()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            runpy.run_path(str(PROGRAMS / f"{name}.py"), run_name="__main__")
        except Exception as error:
            if os.environ.get("MILLRACE_SHOW_ERRORS"):
                traceback.print_exc()
            lines = f"{type(error).__name__}: {error}".splitlines()
            printed.write(f"FAILED {' '.join(lines)[:2000]}\n")
    return printed.getvalue()


def main(arguments: list[str]) -> None:
    """Runs programs, all of them unless some are named."""
    is_recording = "--record" in arguments
    chosen = [name for name in arguments if not name.startswith("--")]
    if not is_recording:
        from millrace._src.interop.tensorflow_alias import install_as_tensorflow

        install_as_tensorflow()
    found: dict[str, str] = {}
    for name in chosen or names():
        start = time.process_time()
        found[name] = output_of(name)
        print(f"{name}: {time.process_time() - start:.2f} s", file=sys.stderr)
    if is_recording:
        known = json.loads(RECORD.read_text()) if RECORD.exists() else {}
        kept = {name: text for name, text in {**known, **found}.items() if name in names()}
        RECORD.write_text(json.dumps(dict(sorted(kept.items())), indent=1) + "\n")
    else:
        print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])

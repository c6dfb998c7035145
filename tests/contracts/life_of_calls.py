"""Runs the programs of `docs/life-of.md` and prints the functions that each section's program called, as JSON.

A process of its own (`python -m tests.contracts.life_of_calls`), because modules that are imported and kernels that are
bound already would leave out first calls. A function is `path below the package: qualified name`.
"""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import sys
import threading
from types import FrameType

from tests.contracts.doc_references import DOCS, FENCE, PACKAGE

PAGE = DOCS / "life-of.md"


def programs() -> dict[str, str]:
    """Returns the program of each section, by the section's heading."""
    sections = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    blocks = {text.split("\n", 1)[0]: [block[2] for block in FENCE.finditer(text)] for text in sections}
    return {heading: "\n".join(found) for heading, found in blocks.items()}


def called_functions(program: str, name: str, namespace: dict[str, object]) -> list[str]:
    """Runs a program, and returns the functions of the package that it called."""
    called = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            called.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)  # for AutoGraph
    code = compile(program, name, "exec")
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        exec(code, namespace)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    prefix = f"{PACKAGE}/"
    return sorted(f"{file.removeprefix(prefix)}: {function}" for file, function in called if file.startswith(prefix))


def main() -> None:
    namespace: dict[str, object] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        called = {
            heading: called_functions(program, f"<life of {heading}>", namespace)
            for heading, program in programs().items()
        }
    json.dump(called, sys.stdout)


if __name__ == "__main__":
    main()

"""The command line: `python -m millrace run script.py`, `python -m millrace show DIR`, ..."""

from __future__ import annotations

import sys
from importlib import import_module

USAGE = """usage: python -m millrace <command> [argument ...]

  run         run a TensorFlow program on Millrace: script.py, -m module or -c code;
              or a signature of a SavedModel: DIR --input_exprs 'x=[[1, 2]]'
  profile     run a program, and say what took the time and the memory
  show        show the signatures, ops and functions of a SavedModel
  inspect     say what is in a checkpoint, SavedModel, event, TFRecord, .safetensors or .npz file
  convert     write the variables of a checkpoint as .safetensors or .npz, or back
  freeze      write a signature of a SavedModel as a graph without variables
  doctor      say which devices, versions, libraries and settings are in force, and what is missing
  scan        look for ops that a SavedModel should not have
  --version   print the version"""

# Command -> the function that takes the remaining arguments and returns the exit code.
COMMANDS = {
    "run": "millrace._src.command_line.run:run",
    "profile": "millrace._src.command_line.profile:profile",
    "doctor": "millrace._src.command_line.doctor:doctor",
    "show": "millrace._src.command_line.saved_model_cli:show",
    "inspect": "millrace._src.command_line.inspect:inspect",
    "convert": "millrace._src.command_line.convert:convert",
    "freeze": "millrace._src.command_line.freeze:freeze",
    "scan": "millrace._src.command_line.saved_model_cli:scan",
}


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and returns the exit code."""
    command, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if command in ("-V", "--version"):
        print("millrace", import_module("millrace").__version__)
        return 0
    if command in ("-h", "--help"):
        print(USAGE)
        return 0
    if command not in COMMANDS:
        print(f"{USAGE}\n\nmillrace: unknown command {command!r}", file=sys.stderr)
        return 2
    module, _, function = COMMANDS[command].partition(":")
    code: int = getattr(import_module(module), function)(rest)
    return code


if __name__ == "__main__":
    sys.exit(main())

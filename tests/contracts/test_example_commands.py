"""The docstring of every program in `examples/` gives the command that runs it.

The programs are TensorFlow's, unedited: `import tensorflow as tf`, or Keras on its TensorFlow backend. Plain `python`
runs them on TensorFlow; on Millrace they need `python -m millrace run`. The tests of the programs run these commands.
"""

from __future__ import annotations

import ast

import pytest

from tests.end_to_end.example_programs import PROGRAMS, code_of, command_of, stated_commands, tree_of

ALIASED = {"tensorflow", "keras"}


def imported_packages(program: str) -> set[str]:
    """The packages that a program imports, in functions too, and those of the programs beside it that it imports."""
    found: set[str] = set()
    for node in ast.walk(tree_of(program)):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found.add(node.module.partition(".")[0])
    return found.union(*(imported_packages(neighbour) for neighbour in found.intersection(PROGRAMS)))


def test_there_are_programs() -> None:
    assert {"digits", "rnn", "keras_gan", "autograph_jax"} <= set(PROGRAMS)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_docstring_gives_the_one_command_that_runs_the_program(program: str) -> None:
    command = "python -m millrace run" if imported_packages(program) & ALIASED else "python"
    assert stated_commands(program) == [f"{command} examples/{program}.py"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_of_tensorflow_names_millrace_in_its_docstring_alone(program: str) -> None:
    if imported_packages(program) & ALIASED:
        assert "millrace" not in code_of(program)
    else:
        assert "millrace" in imported_packages(program)
        assert command_of(program)[1:] == [command_of(program)[-1]]

"""`saved_model_cli`: which commands there are, and what is refused."""

from __future__ import annotations

import pytest

from millrace._src.command_line.saved_model_cli import main


@pytest.mark.parametrize("command", ["convert", "aot_compile_cpu", "freeze_model"])
def test_commands_of_tensorflows_compilers_are_refused_in_words(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "--dir", "somewhere", "--output_prefix", "x"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"saved_model_cli {command}: Millrace ")
    assert printed.err.count("\n") == 1


def test_the_commands_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()[2:]]
    assert listed == ["show", "run", "scan", "convert", "aot_compile_cpu", "freeze_model"]


def test_no_command_lists_them_too_but_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().out.startswith("usage: saved_model_cli <command>")


def test_an_unknown_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["frobnicate"]) == 2
    assert capsys.readouterr().err.startswith("saved_model_cli: unknown command 'frobnicate'; the commands are show, ")


def test_a_missing_folder_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["show", "--all"])
    assert "the following arguments are required: --dir" in capsys.readouterr().err

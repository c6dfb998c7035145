"""`python -m millrace doctor`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from millrace.__main__ import main
from millrace._src.command_line import doctor as command

FOUND: dict[str, Any] = {
    "versions": {"millrace": "1", "python": "3"},
    "devices": [{"name": "/physical_device:CPU:0", "kind": "CPU", "details": "here"}],
    "processor": {"cores": 4},
    "libraries": [{"name": "openblas", "version": "1", "threads": 4, "file": "x.so"}],
    "packages": [{"name": "onnx", "version": None, "purpose": "models", "advice": "pip install it"}],
    "variables": [],
}


@pytest.fixture(autouse=True)
def known_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "diagnosis", lambda: FOUND)


def test_the_report_has_a_paragraph_for_each_part(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    titles = [part.partition(":")[0] for part in text.split("\n\n")]
    assert titles == ["Versions", "Devices", "Processor", "Libraries", "Packages", "Environment variables"]
    assert "  onnx  -        models   pip install it" in text


def test_the_report_is_data_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == FOUND


def test_variables_that_are_set_are_a_table(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {**FOUND, "variables": [{"name": "MILLRACE_TIER", "value": "xla", "meaning": "which engine"}]}
    monkeypatch.setattr(command, "diagnosis", lambda: found)
    main(["doctor"])
    assert "MILLRACE_TIER  xla    which engine" in capsys.readouterr().out

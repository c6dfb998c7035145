"""What the doctor finds, and what it says of what is missing."""

from __future__ import annotations

import importlib.metadata
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from millrace._src.explain import doctor

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def name_of(requirement: str) -> str:
    """Returns the package of a requirement."""
    return requirement.split(";")[0].split(">")[0].split("=")[0].strip()


def test_all_packages_of_the_project_are_looked_at() -> None:
    known = {package.name: package.extra for package in doctor.PACKAGES}
    for requirement in PROJECT["dependencies"]:
        assert known[name_of(requirement)] is None
    for extra, requirements in PROJECT["optional-dependencies"].items():
        for requirement in requirements if extra != "full" else ():
            assert known[name_of(requirement)] == extra


def test_a_missing_package_comes_with_advice() -> None:
    def version_of(name: str) -> str:
        if name == "onnx":
            raise importlib.metadata.PackageNotFoundError(name)
        return "1.0"

    rows = {row["name"]: row for row in doctor.packages(version_of)}
    assert (rows["onnx"]["version"], rows["onnx"]["advice"]) == (None, "pip install 'millrace[onnx]'")
    assert (rows["numpy"]["version"], rows["numpy"]["advice"]) == ("1.0", "")


@pytest.mark.parametrize(
    ("environment", "cards", "drivers", "error", "reason"),
    [
        ({"CUDA_VISIBLE_DEVICES": ""}, 2, ["jax_plugins"], "", "the system has 2 NVIDIA GPUs, but CUDA_VISIBLE"),
        ({"CUDA_VISIBLE_DEVICES": "-1"}, 0, [], "", "CUDA_VISIBLE_DEVICES='-1' hides all GPUs"),
        ({"JAX_PLATFORMS": "cpu"}, 1, [], "", "the system has 1 NVIDIA GPU, but JAX_PLATFORMS=cpu"),
        ({}, 1, [], "", "the system has 1 NVIDIA GPU, but no package with a driver for JAX is installed"),
        ({}, 0, ["jax_plugins"], "no libcuda", "the driver of jax_plugins failed: no libcuda"),
        ({}, 0, ["jax_plugins"], "", "no card was found; the driver package jax_plugins offers no device"),
    ],
)
def test_why_there_is_no_accelerator(
    environment: dict[str, str],
    cards: int,
    drivers: list[str],
    error: str,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(doctor, "nvidia_cards", lambda: cards)
    monkeypatch.setattr(doctor, "find_drivers", lambda: drivers)
    assert doctor._why_none({"error": error}, environment).startswith(reason)


class Engine:
    """An engine with two GPUs."""

    def facts(self) -> dict[str, Any]:
        cards = [{"kind": "GPU", "details": "device_name H"}] * 2
        return {"compiler": "JAX 1", "accelerators": cards, "error": ""}


def test_accelerators_are_numbered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "has_compiler", lambda: True)
    monkeypatch.setattr(doctor, "compiling_engine", Engine)
    names = [device["name"] for device in doctor.devices()]
    assert names == ["/physical_device:CPU:0", "/physical_device:GPU:0", "/physical_device:GPU:1", "XLA"]


def test_without_jax_the_advice_is_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "has_compiler", lambda: False)
    assert "pip install 'millrace[xla]'" in doctor.devices()[-1]["details"]


def test_what_keeps_jax_from_starting_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Any:
        raise OSError("no such library")

    monkeypatch.setattr(doctor, "has_compiler", lambda: True)
    monkeypatch.setattr(doctor, "compiling_engine", broken)
    assert doctor.devices()[-1]["details"] == "JAX cannot be used: OSError: no such library"


def test_cards_are_counted_where_the_system_lists_them(tmp_path: Path) -> None:
    (tmp_path / "0000:01:00.0").mkdir()
    assert doctor.nvidia_cards(str(tmp_path)) == 1
    assert doctor.nvidia_cards(str(tmp_path / "nothing")) == 0


def test_variables_that_are_set_are_told_with_their_meaning() -> None:
    (row,) = doctor.variables({"MILLRACE_TIER": "xla", "HOME": "/x"})
    assert (row["name"], row["value"]) == ("MILLRACE_TIER", "xla")


def test_a_machine_without_oneDNN_says_where_it_was_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", os.environ.copy())  # threadpoolctl writes into it
    monkeypatch.setattr(doctor.onednn, "load", lambda: None)
    monkeypatch.setattr(doctor.onednn, "candidates", lambda: ["a.so", "b.so"])
    assert doctor.libraries()[-1]["file"] == "not found (looked at a.so, b.so)"

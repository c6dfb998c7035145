"""Damaged files are read right or refused in words: some cases of each target; `attack.py` runs as many as asked."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import millrace as tf
from tests.attack import attack, cage, mutations
from tests.attack.target import Target, single

CASES = 25


@pytest.fixture(scope="module")
def reports() -> dict[str, attack.Report]:
    return attack.attack(list(attack.all_targets()), 0, CASES)


@pytest.mark.parametrize("name", attack.all_targets())
def test_damaged_files_are_read_right_or_refused_in_words(name: str, reports: dict[str, attack.Report]) -> None:
    report = reports[name]
    assert report.outcomes.total() == CASES
    assert not report.faults, attack.described(report, 2000)


def test_a_case_is_a_function_of_its_number(tmp_path: Path) -> None:
    target = Target(
        "t", lambda folder: single("f", [bytes(100), b"x" * 50]), {"": mutations.DAMAGES}, lambda folder: None
    )
    specimens = target.specimens(tmp_path)
    cases = [attack.case_files(target, specimens, number) for number in range(50)]
    assert cases == [attack.case_files(target, specimens, number) for number in range(50)]
    assert len({files["f"] for _, files, _ in cases}) > 40


@pytest.mark.parametrize("damage", mutations.DAMAGES, ids=lambda damage: damage.__name__)
def test_damage_changes_bytes(damage: mutations.Damage) -> None:
    whole = bytes(range(200))
    damaged = [damage(whole, random.Random(seed)) for seed in range(20)]
    assert sum(data != whole for data in damaged) > 10
    assert isinstance(damage(b"", random.Random(0)), bytes)


def test_damage_to_a_message_is_a_message() -> None:
    proto = tf.make_tensor_proto([1.5, 2.5])
    damaged = {mutations.damaged_message(proto.SerializeToString(), type(proto), random.Random(s)) for s in range(50)}
    assert len(damaged) > 15
    for data in damaged:
        type(proto).FromString(data)


def test_only_errors_that_say_what_is_wrong_are_refusals() -> None:
    assert cage.refusal(ValueError("the file is damaged")).kind == "refused"
    assert cage.refusal(tf.errors.DataLossError(None, None, "the file is damaged")).kind == "refused"
    for error in (ValueError("?"), UnicodeDecodeError("utf-8", b"x", 0, 1, "no text at all")):
        assert cage.refusal(error).kind == "fault"
    assert cage.refusal(tf.errors.InternalError(None, None, "something went wrong")).kind == "fault"

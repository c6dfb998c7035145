"""The scripts of code points."""

from __future__ import annotations

import numpy as np

import millrace as tf
from millrace._src.ops.strings.unicode_scripts import SCRIPT_NAMES, script_runs
from tests.contracts.sample import Sample

SAMPLES = [
    Sample("UnicodeScript", inputs=(np.array([[97, 26085]], np.int32),)),
    Sample("UnicodeScript", inputs=(np.array(-1, np.int32),)),
    Sample("UnicodeScript", inputs=(np.zeros([0], np.int32),)),
]


def test_scripts_have_icus_numbers() -> None:
    codes = [97, 26085, 0x3B1, 0x430, 0x5D0, 32, 0x1F600, -1, 0x110000, 0xE000, 0x10FFFF]
    found = tf.strings.unicode_script(codes)
    assert found.dtype is tf.int32
    assert found.numpy().tolist() == [25, 17, 14, 8, 19, 0, 0, -1, -1, 103, 103]
    assert tf.strings.unicode_script(97).shape.as_list() == []


def test_names_stand_at_their_numbers() -> None:
    for name, letter in (
        ("Greek", "α"),
        ("Han", "日"),
        ("Latin", "a"),
        ("Cyrillic", "я"),
        ("Yi", "ꀀ"),
        ("Tagbanwa", "ᝠ"),
    ):
        assert tf.strings.unicode_script(ord(letter)).numpy() == SCRIPT_NAMES.index(name)


def test_the_runs_cover_everything_once() -> None:
    starts, scripts = script_runs()
    assert starts[0] == 0
    assert (np.diff(starts) > 0).all()
    assert (np.diff(scripts) != 0).all()
    assert len(starts) == 1587

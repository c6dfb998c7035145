"""The report of a restored checkpoint, as data, as text and as a table for notebooks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import millrace as tf


def layer() -> Any:
    made = tf.Module()
    made.kernel, made.bias = tf.Variable(tf.zeros([2, 3])), tf.Variable(tf.zeros([3]))
    return made


def network(names: Any) -> Any:
    made = tf.Module()
    for name in names:
        setattr(made, name, layer())
    return made


@pytest.fixture
def path(tmp_path: Path) -> Any:
    return tf.train.Checkpoint(net=network(["first", "second"])).write(str(tmp_path / "c"))


def test_a_complete_report_says_so_in_a_line(path: str) -> None:
    report = tf.train.Checkpoint(net=network(["first", "second"])).read(path).report()
    assert report.is_complete and report.summary == f"All 4 values were restored from {path}."
    assert [row.name for row in report.loaded] == [
        "net/first/kernel",
        "net/first/bias",
        "net/second/kernel",
        "net/second/bias",
    ]
    first = report.loaded[0]
    assert first.program == first.saved and str(first.saved) == "float32 (2, 3)"


def test_a_renamed_layer_is_one_line(path: str) -> None:
    report = tf.train.Checkpoint(net=network(["first", "last"])).read(path).report()
    assert [row.nearest_name for row in report.missing] == ["net/second/kernel", "net/second/bias"]
    assert [row.nearest_name for row in report.unused] == ["net/last/kernel", "net/last/bias"]
    lines = str(report).splitlines()
    assert lines[0] == f"2 values restored from {path}, 2 missing in checkpoint, 2 unused in checkpoint."
    assert lines[3].split() == "renamed? net/last/* 2 values 2 values did you mean net/second/*?".split()
    assert len(lines) == 6


def test_one_renamed_value_names_both(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(scale=tf.Variable(1.0)).write(str(tmp_path / "c"))
    text = str(tf.train.Checkpoint(scales=tf.Variable(1.0)).read(path).report())
    assert "renamed?  scales  float32 ()  float32 ()  did you mean scale?" in text


def test_a_value_that_is_like_no_other_has_no_nearest_name(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(abc=tf.Variable(1.0)).write(str(tmp_path / "c"))
    report = tf.train.Checkpoint(xyz=tf.Variable([1])).read(path).report()
    assert report.missing[0].nearest_name is None and report.unused[0].nearest_name is None


def test_another_kind_of_value_is_named_but_not_taken_for_renamed(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(weights=tf.Variable(1.0)).write(str(tmp_path / "c"))
    report = tf.train.Checkpoint(weight=tf.Variable([1])).read(path).report()
    assert report.missing[0].nearest_name == "weights"
    assert "missing in checkpoint" in str(report) and "renamed?" not in str(report)


def test_one_value_does_not_fit(path: str) -> None:
    with pytest.raises(ValueError, match="Received incompatible tensor") as caught:
        net = network(["first", "second"])
        net.second.kernel = tf.Variable(tf.zeros([3, 2]))
        tf.train.Checkpoint(net=net).read(path)
    assert f"Nothing was restored from {path}: 1 value does not fit.\n" in str(caught.value)


def test_two_objects_that_were_one_are_explained(tmp_path: Path) -> None:
    shared = tf.Variable(1.0)
    path = tf.train.Checkpoint(a=shared, b=shared).write(str(tmp_path / "c"))
    report = tf.train.Checkpoint(a=tf.Variable(0.0), b=tf.Variable(0.0)).read(path).report()
    assert [row.name for row in report.missing] == ["b"]
    assert report.missing[0].note == "one object with a in the checkpoint"


def test_what_does_not_fit_stands_in_the_error_and_nothing_is_changed(path: str) -> None:
    net = network(["first", "second"])
    net.first.bias.assign(tf.ones([3]))
    net.second.kernel = tf.Variable(tf.zeros([3, 2]))
    net.second.bias = tf.Variable([0, 0, 0])
    with pytest.raises(ValueError, match=r"Received incompatible tensor with shape \(2, 3\)") as caught:
        tf.train.Checkpoint(net=net).read(path)
    text = str(caught.value)
    assert f"Nothing was restored from {path}: 2 values do not fit." in text
    assert "wrong shape  net/second/kernel" in text and "wrong dtype  net/second/bias" in text and "fits" in text
    assert net.first.bias.numpy().tolist() == [1.0, 1.0, 1.0]


def test_the_report_follows_objects_that_are_made_later(path: str) -> None:
    checkpoint = tf.train.Checkpoint()
    status = checkpoint.read(path)
    assert len(status.report().unused) == 4
    checkpoint.net = network(["first", "second"])
    assert status.report().is_complete


def test_assertions_show_the_table(path: str) -> None:
    status = tf.train.Checkpoint(net=network(["first", "last"])).read(path)
    with pytest.raises(AssertionError, match="Found 2 Python objects that were not bound to checkpointed") as caught:
        status.assert_consumed()
    assert str(status.report()) in str(caught.value)


def test_a_message_does_not_show_what_is_in_a_variable(path: str) -> None:
    status = tf.train.Checkpoint(net=network(["first", "last"])).read(path)
    with pytest.raises(AssertionError) as caught:
        status.assert_existing_objects_matched()
    assert "[<tf.Variable 'Variable:0' shape=(2, 3) dtype=float32>, <tf" in str(caught.value)


def test_a_large_report_has_at_most_thirty_lines(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(net=network([f"a{i}" for i in range(60)])).write(str(tmp_path / "c"))
    for names in ([f"a{i}" for i in range(60)], [f"b{i}" for i in range(60)], [f"a{i}" for i in range(30)]):
        text = str(tf.train.Checkpoint(net=network(names), extra=tf.Variable("x")).read(path).report())
        assert len(text.splitlines()) <= 30 and "more" in text


def test_names_that_are_long_are_cut_in_the_middle(tmp_path: Path) -> None:
    deep: Any = {"v": tf.Variable(1.0)}
    for index in range(20):
        deep = {f"level{index}": deep}
    path = tf.train.Checkpoint(deep=deep).write(str(tmp_path / "c"))
    report = tf.train.Checkpoint().read(path).report()
    assert max(map(len, str(report).splitlines()[1:])) < 120
    assert report.unused[0].name.endswith("level0/v") and "..." in str(report)


def test_a_notebook_shows_a_table(path: str) -> None:
    text = tf.train.Checkpoint(net=network(["<i>"])).read(path).report()._repr_html_()
    assert text.startswith("<p>") and text.endswith("</table>") and "&lt;i&gt;" in text and "<i>" not in text


def test_nothing_is_printed_unless_asked(path: str, capsys: Any, caplog: pytest.LogCaptureFixture) -> None:
    status = tf.train.Checkpoint(net=network(["first", "last"])).read(path)
    del status
    assert capsys.readouterr() == ("", "") and not caplog.records


def test_an_empty_report_is_a_sentence(tmp_path: Path) -> None:
    path = tf.train.Checkpoint().write(str(tmp_path / "c"))
    assert str(tf.train.Checkpoint().read(path).report()) == f"No values in the program, and none in {path}."

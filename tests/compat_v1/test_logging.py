from __future__ import annotations

import logging

import pytest

import millrace as tf

log = tf.compat.v1.logging


def test_functions_write_at_their_level(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "tensorflow")
    log.debug("a %d", 1)
    log.info("b")
    log.warn("c")
    log.warning("d")
    log.error("e")
    log.fatal("f")
    log.log(log.INFO, "g %s", "x")
    log.vlog(log.ERROR, "h")
    log.TaskLevelStatusMessage("i")
    levels = [(record.levelno, record.getMessage()) for record in caplog.records]
    assert levels == [
        (10, "a 1"), (20, "b"), (30, "c"), (30, "d"), (40, "e"), (50, "f"), (20, "g x"), (40, "h"), (40, "i"),
    ]  # fmt: skip


def test_counting_functions_count_per_line(caplog: pytest.LogCaptureFixture) -> None:
    for i in range(5):
        log.log_every_n(log.WARN, "every %d", 2, i)
        log.log_first_n(log.WARN, "first %d", 2, i)
        log.log_if(log.WARN, "if %d", i == 3, i)
    assert [record.getMessage() for record in caplog.records] == [
        "every 0", "first 0", "first 1", "every 2", "if 3", "every 4",
    ]  # fmt: skip


def test_verbosity_is_the_level_of_the_logger() -> None:
    before = tf.get_logger().level
    try:
        log.set_verbosity("ERROR")
        assert log.get_verbosity() == log.ERROR == tf.get_logger().level
        log.flush()
    finally:
        tf.get_logger().setLevel(before)

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from millrace._src.util import logger

ROOT = Path(__file__).resolve().parents[2]


def messages(code: str) -> str:
    """What a fresh process with `tf` imported writes to standard error."""
    program = f"import sys, logging; sys.path.insert(0, {str(ROOT / 'src')!r})\nimport millrace as tf\n{code}"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    return result.stderr


def test_warnings_are_shown_with_level_and_name_and_information_is_not() -> None:
    assert messages("l = tf.get_logger(); l.info('i'); l.warning('w'); l.error('e')") == (
        "WARNING:tensorflow:w\nERROR:tensorflow:e\n"
    )


def test_the_level_can_be_set() -> None:
    assert messages("tf.get_logger().setLevel('ERROR'); tf.get_logger().warning('w')") == ""
    assert messages("tf.get_logger().setLevel(10); tf.get_logger().debug(1)") == "DEBUG:tensorflow:1\n"


def test_a_program_that_configured_logging_decides_itself() -> None:
    code = "logging.basicConfig(format='MINE %(message)s'); tf.get_logger().warning('w')"
    assert messages(code) == "MINE w\n"


def test_messages_follow_a_replaced_standard_error() -> None:
    code = "l = tf.get_logger(); old = sys.stderr; sys.stderr = sys.stdout; l.warning('w'); sys.stderr = old"
    assert messages(code) == ""


def test_a_warning_is_given_so_often_for_one_line(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(4):
        logger.warn_first(2, "text %d", 7)
    logger.warn_first(2, "text %d", 8)
    assert [r.getMessage() for r in caplog.records] == ["text 7", "text 7", "text 8"]

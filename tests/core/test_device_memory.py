"""The memory of devices; a stand-in replaces an accelerator."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.core import device_memory, devices

experimental = tf.config.experimental


class Card:
    """An accelerator that says what it is told to say."""

    kind = "GPU"

    def __init__(self) -> None:
        self.numbers = (100, 500)

    def memory(self) -> tuple[int, int]:
        return self.numbers

    def details(self) -> dict[str, Any]:
        return {"device_name": "Card", "compute_capability": (9, 0)}

    def holds(self, array: Any) -> bool:
        return False


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> Any:
    made = Card()
    monkeypatch.setattr(devices, "accelerators", lambda: (made,))
    monkeypatch.setattr(device_memory, "_growth", {})
    monkeypatch.setattr(device_memory, "_forgotten_peaks", {})
    for choices in ("_visible", "_configured"):
        monkeypatch.setattr(devices, choices, {})
    devices.accelerator_at.cache_clear()
    yield made
    devices.accelerator_at.cache_clear()


def test_the_memory_of_an_accelerator_is_told(card: Card) -> None:
    assert experimental.get_memory_info("GPU:0") == {"current": 100, "peak": 500}
    assert experimental.get_memory_usage("GPU:0") == 100


def test_a_peak_is_forgotten_until_a_higher_one_comes(card: Card) -> None:
    experimental.reset_memory_stats("GPU:0")
    assert experimental.get_memory_info("GPU:0") == {"current": 100, "peak": 100}
    card.numbers = (300, 500)
    assert experimental.get_memory_info("GPU:0") == {"current": 300, "peak": 300}
    card.numbers = (200, 600)
    assert experimental.get_memory_info("GPU:0") == {"current": 200, "peak": 600}


def test_details_are_those_of_the_accelerator(card: Card) -> None:
    (gpu,) = tf.config.list_physical_devices("GPU")
    assert experimental.get_device_details(gpu) == {"device_name": "Card", "compute_capability": (9, 0)}


def test_memory_grows_and_that_stays_after_the_first_op(card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_memory, "eager_use_has_begun", lambda: True)
    (gpu,) = tf.config.list_physical_devices("GPU")
    assert experimental.get_memory_growth(gpu) is True
    experimental.set_memory_growth(gpu, True)
    with pytest.raises(RuntimeError, match="Physical devices cannot be modified after being initialized"):
        experimental.set_memory_growth(gpu, False)


def test_memory_that_is_to_be_taken_at_once_needs_a_variable(
    card: Card, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(device_memory, "eager_use_has_begun", lambda: False)
    (gpu,) = tf.config.list_physical_devices("GPU")
    with caplog.at_level("WARNING", logger="tensorflow"):
        experimental.set_memory_growth(gpu, False)
    assert "XLA_PYTHON_CLIENT_PREALLOCATE=true" in caplog.text
    assert experimental.get_memory_growth(gpu) is False


def test_the_memory_of_a_cpu_is_not_counted() -> None:
    with pytest.raises(ValueError, match="Allocator stats not available for device 'CPU:0'"):
        experimental.get_memory_info("CPU:0")
    with pytest.raises(ValueError, match="Cannot reset memory stats for device 'CPU:0'"):
        experimental.reset_memory_stats("CPU:0")


def test_a_limit_for_an_accelerator_comes_too_late(card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "eager_use_has_begun", lambda: False)
    monkeypatch.delenv("XLA_PYTHON_CLIENT_MEM_FRACTION", raising=False)
    (gpu,) = tf.config.list_physical_devices("GPU")
    one = tf.config.LogicalDeviceConfiguration
    with pytest.raises(RuntimeError, match="XLA_PYTHON_CLIENT_MEM_FRACTION, set before the program starts, limits it"):
        tf.config.set_logical_device_configuration(gpu, [one(memory_limit=1024)])
    with pytest.raises(RuntimeError, match="experimental_priority cannot be set"):
        tf.config.set_logical_device_configuration(gpu, [one(experimental_priority=1)])
    monkeypatch.setenv("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.1")
    tf.config.set_logical_device_configuration(gpu, [one(memory_limit=1024), one()])
    assert [d.name for d in tf.config.list_logical_devices("GPU")] == ["/device:GPU:0", "/device:GPU:1"]

"""What tf.experimental.dtensor tells about this process."""

from __future__ import annotations

import pytest

import millrace as tf

dtensor = tf.experimental.dtensor


def test_a_program_is_one_client() -> None:
    assert (dtensor.num_clients(), dtensor.client_id(), dtensor.jobs()) == (1, 0, [])
    assert (dtensor.job_name(), dtensor.full_job_name(0)) == ("localhost", "localhost/replica:0/task:0")
    assert dtensor.preferred_device_type() == "CPU"
    assert (dtensor.UNSHARDED, dtensor.MATCH) == ("unsharded", "match")


def test_a_task_of_another_client_is_refused() -> None:
    with pytest.raises(ValueError, match="Unexpected task ID 3 in local runs"):
        dtensor.full_job_name(3)


@pytest.mark.parametrize(("kind", "count"), [("CPU", 1), ("cpu", 1), ("GPU", 0), ("TPU", 0)])
def test_devices_are_counted_by_type(kind: str, count: int) -> None:
    assert (
        dtensor.num_local_devices(kind) == dtensor.num_global_devices(kind) == count == len(dtensor.local_devices(kind))
    )


def test_devices_are_named_in_full() -> None:
    (device,) = dtensor.local_devices("CPU", for_client_id=2)
    assert device.to_string() == "/job:localhost/replica:0/task:2/device:CPU:0"


def test_another_type_of_device_is_refused() -> None:
    with pytest.raises(ValueError, match="Device type XYZ is not CPU, GPU, or TPU"):
        dtensor.local_devices("xyz")


def test_no_tensor_is_a_dtensor() -> None:
    assert not dtensor.is_dtensor(tf.constant(1))

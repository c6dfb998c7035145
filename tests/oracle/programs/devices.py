"""Names of devices, and devices that a program makes."""

from __future__ import annotations

from tests.oracle.support import attempt


def prog_device_specs(tf, np):
    """tf.DeviceSpec: names and their parts."""
    spec = tf.DeviceSpec
    names = ["", "/job:a", "/job:a/replica:1/task:2/device:GPU:3", "/cpu:0", "cpu:0", "/gpu:*", "/device:GPU:*", "/device:CPU", "/job:a/task:x", "/foo", "/foo:1", "CPU", "/device:cpu:0", "/device:XLA_CPU:1", "/device:tpu:1", "/tpu:1", "/custom:0", "/task:0/job:b", "/device:GPU:a", "/job:a/gpu:1/cpu:2", None, "/job:", "//job:a"]

    def parts(found):
        return [found.to_string(), str(found), found.job, found.replica, found.task, found.device_type, found.device_index]

    one, other = spec(job="a", task=1), spec(device_type="gpu", device_index=2)
    old = tf.compat.v1.DeviceSpec(job="a")
    old.job, old.device_type, old.task = "b", "gpu", "3"
    merged = old.merge_from(tf.compat.v1.DeviceSpec(task=4))
    return [
        [attempt(lambda n=n: parts(spec.from_string(n)), words=20) for n in names],
        parts(one), parts(other),
        [one == spec(job="a", task=1), hash(one) == hash(spec(job="a", task=1)), one == "/job:a/task:1", one != other],
        one.make_merged_spec(other).to_string(), one.make_merged_spec(spec(job="z")).to_string(),
        one.replace(job="q", device_type="TPU").to_string(), one.parse_from_string("/gpu:1").to_string(),
        attempt(lambda: one.replace(nope=1), words=0), attempt(lambda: setattr(one, "job", "b"), words=1),
        attempt(lambda: spec(replica="a")), spec(replica="1").replica, spec("j", 1, 2, "CPU", 0).to_string(), spec(device_index=2).to_string(),
        merged, old.to_string(), old.parse_from_string("/cpu:0") is old, old.to_string(), isinstance(old, spec), spec(job="a") == tf.compat.v1.DeviceSpec(job="a"),
    ]

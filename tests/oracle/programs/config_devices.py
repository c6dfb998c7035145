"""tf.config and tf.test about devices: details, memory, names and classes."""

from __future__ import annotations

from tests.oracle.support import attempt

_NAMES = ["CPU:0", "/device:CPU:0", "/job:localhost/replica:0/task:0/device:CPU:0", "", None, "GPU:0", "TPU:0", "cpu:0", "CPU", "nope", "CPU:7", "/GPU:3"]


def prog_memory_info(tf, np):
    """Memory of devices by name."""
    return [attempt(lambda n=n: tf.config.experimental.get_memory_info(n), words=30) for n in _NAMES]


def prog_memory_usage(tf, np):
    """The older form."""
    return [attempt(lambda n=n: tf.config.experimental.get_memory_usage(n), words=30) for n in _NAMES]


def prog_reset_memory_stats(tf, np):
    """Forgetting the peak."""
    return [attempt(lambda n=n: tf.config.experimental.reset_memory_stats(n), words=30) for n in _NAMES]


def prog_names_that_are_no_text(tf, np):
    """The class of the error."""
    functions = [tf.config.experimental.get_memory_info, tf.config.experimental.get_memory_usage, tf.config.experimental.reset_memory_stats]
    return [attempt(lambda f=f, v=v: f(v), words=0) for f in functions for v in (3, 2.5, object())]


def prog_device_details(tf, np):
    """Details of the CPU, and of what is no device."""
    (cpu,) = tf.config.list_physical_devices("CPU")
    devices = [cpu, tf.config.PhysicalDevice("/physical_device:GPU:0", "GPU"), "GPU", None, tf.config.LogicalDevice("/device:CPU:0", "CPU")]
    return [attempt(lambda d=d: tf.config.experimental.get_device_details(d), words=14) for d in devices]


def prog_device_tuples(tf, np):
    """Devices and configurations are tuples with names."""
    config = tf.config
    one = config.LogicalDeviceConfiguration()
    return [
        repr(config.PhysicalDevice("a", "b")), repr(config.LogicalDevice("a", "b")), repr(one), repr(config.LogicalDeviceConfiguration(memory_limit=3)),
        config.PhysicalDevice("a", "b") == config.PhysicalDevice("a", "b"), config.PhysicalDevice("a", "b") == ("a", "b"), tuple(config.LogicalDeviceConfiguration(5)),
        config.experimental.VirtualDeviceConfiguration is config.LogicalDeviceConfiguration, len({config.LogicalDevice("a", "b"), config.LogicalDevice("a", "b")}),
        one._replace(memory_limit=2).memory_limit, config.LogicalDevice(name="x", device_type="y").name,
    ]


def prog_refused_configurations(tf, np):
    """What cannot be configured of a CPU."""
    config = tf.config
    (cpu,) = config.list_physical_devices("CPU")
    one = config.LogicalDeviceConfiguration
    gpu = config.PhysicalDevice("/physical_device:GPU:0", "GPU")
    calls = [(cpu, [one(memory_limit=3)]), (cpu, [one(experimental_priority=3)]), (cpu, [one(experimental_device_ordinal=3)]), (cpu, [one(), one(memory_limit=1)]), (cpu, None), (gpu, [one()]), ("CPU", [one()]), (None, [])]
    return [attempt(lambda d=d, c=c: config.set_logical_device_configuration(d, c), words=14) for d, c in calls] + [attempt(lambda d=d: config.get_logical_device_configuration(d), words=6) for d in (cpu, gpu, "CPU")]


def prog_older_names(tf, np):
    """Names of tf.config.experimental for the same functions."""
    config, older = tf.config, tf.config.experimental
    pairs = [("list_physical_devices",) * 2, ("list_logical_devices",) * 2, ("get_visible_devices",) * 2, ("set_visible_devices",) * 2, ("get_logical_device_configuration", "get_virtual_device_configuration"), ("set_logical_device_configuration", "set_virtual_device_configuration")]
    return [getattr(config, new) is getattr(older, old) for new, old in pairs] + [tf.compat.v1.config.list_physical_devices is config.list_physical_devices]


def prog_cluster_device_filters(tf, np):
    """Filters that nobody uses here."""
    filters = tf.config.experimental.ClusterDeviceFilters()
    calls = [("worker", 0, ["/job:ps"]), ("worker", 0, 3), (3, 0, []), ("worker", 1, ("/job:ps", "/job:worker/task:1")), ("ps", 2, [])]
    return [attempt(lambda c=c: filters.set_device_filters(*c), words=0) for c in calls]


def prog_connecting_needs_a_host(tf, np):
    """Connecting to nobody."""
    config = tf.config
    return [attempt(lambda v=v: config.experimental_connect_to_host(v), words=8) for v in (None, "", [])] + [attempt(lambda v=v: config.experimental_connect_to_cluster(v), words=8) for v in (None, 3, "host:1", {"worker": []})]


def prog_gpu_questions_of_tests(tf, np):
    """tf.test on a machine without a GPU."""
    test = tf.test
    return [test.is_gpu_available(), test.is_gpu_available(cuda_only=True), test.is_gpu_available(False, (3, 5)), test.gpu_device_name(), test.is_built_with_cuda(), test.is_built_with_rocm(), test.is_built_with_gpu_support(), test.is_built_with_xla(), test.experimental.sync_devices()]


def prog_optimizer_jit(tf, np):
    """Automatic compilation."""
    optimizer = tf.config.optimizer
    before = optimizer.get_jit()
    answers = []
    for value in (True, "autoclustering", False, ""):
        optimizer.set_jit(value)
        answers.append(optimizer.get_jit())
    optimizer.set_jit(before)
    return answers


def prog_list_devices_by_type(tf, np):
    """Types that there are and types that there are not."""
    config = tf.config
    return [[d.name for d in config.list_physical_devices(t)] for t in ("CPU", "GPU", "TPU", "cpu", "", None)][:4] + [[d.name for d in config.list_logical_devices(t)] for t in ("CPU", "GPU", "TPU", "cpu")]


def prog_a_spec_is_read_and_written(tf, np):
    """DeviceSpecs from names and back."""
    spec = tf.DeviceSpec
    names = ["/job:a/replica:1/task:2/device:GPU:3", "/GPU:1", "/cpu:*", "/device:TPU:0", "/task:4", "/job:ps", "", "/job:a/device:CPU:*"]
    return [[spec.from_string(n).to_string(), repr(spec.from_string(n)), hash(spec.from_string(n)) == hash(spec.from_string(n).to_string())] for n in names]


def prog_specs_are_merged(tf, np):
    """make_merged_spec: the other spec wins where it says something."""
    spec = tf.DeviceSpec
    specs = [spec(), spec(job="a"), spec(job="b", task=2), spec(device_type="GPU"), spec(device_type="CPU", device_index=1), spec(replica=0)]
    return [[a.make_merged_spec(b).to_string() for b in specs] for a in specs]


def prog_specs_are_replaced(tf, np):
    """replace, with good and bad names."""
    spec = tf.DeviceSpec(job="a", task=1, device_type="GPU", device_index=2)
    changes = [{}, {"job": "b"}, {"device_index": 5}, {"device_type": None}, {"task": None}, {"replica": 3}]
    return [spec.replace(**c).to_string() for c in changes] + [attempt(lambda: spec.replace(nope=1), words=0), attempt(lambda: spec.replace(task="x"), words=5)]


def prog_a_spec_does_not_change(tf, np):
    """Only the old DeviceSpec may be written to."""
    spec, old = tf.DeviceSpec(job="a"), tf.compat.v1.DeviceSpec(job="a")
    old.task = 3
    old.device_type, old.device_index = "cpu", 1
    return [attempt(lambda n=n: setattr(spec, n, 1), words=1) for n in ("job", "replica", "task", "device_type", "device_index")] + [old.to_string(), spec != old]

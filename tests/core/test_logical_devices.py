"""Several logical devices on one processor: a value says which one it was made on. Each test has its own process."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAD = """
import millrace as tf
config = tf.config
cpu = config.list_physical_devices("CPU")[0]
def short(tensor): return tensor.device[-5:]
"""
THREE = "config.set_logical_device_configuration(cpu, [config.LogicalDeviceConfiguration()] * 3)\n"


def _output(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", HEAD + program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("made", "device"),
    [
        ("tf.constant(1)", "CPU:1"),
        ("tf.convert_to_tensor([1])", "CPU:1"),
        ("tf.zeros([2])", "CPU:1"),
        ("tf.ones_like(x)", "CPU:1"),
        ("tf.range(3)", "CPU:1"),
        ("x + 1", "CPU:1"),
        ("x[0:1]", "CPU:1"),
        ("tf.split(x, 2)[1]", "CPU:1"),
        ("tf.random.uniform([2])", "CPU:1"),
        ("tf.Variable(1)", "CPU:1"),
        ("v.assign_add(1)", "CPU:0"),
        ("f(x)", "CPU:1"),
        ("tf.cond(tf.constant(True), lambda: x + 1, lambda: x)", "CPU:1"),
        ("tape.gradient(y, z)", "CPU:1"),
        ("tf.shape(x)", "CPU:1"),
        ("tf.size(x)", "CPU:1"),
        ("tf.rank(x)", "CPU:1"),
        ("tf.shape_n([x, x])[1]", "CPU:1"),
        ("x", "CPU:0"),
        ("(x + 1).cpu()", "CPU:0"),
    ],
)
def test_what_is_made_in_the_scope_of_a_device_is_on_it(made: str, device: str) -> None:
    program = (
        THREE
        + f"""
x, v = tf.constant([1, 2]), tf.Variable(1)
f = tf.function(lambda a: a * 2)
z = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(z)
    y = z * z
with tf.device("/cpu:1"):
    made = {made}
print(short(made), short(tf.identity(made)), short(tf.constant(1)))
"""
    )
    assert _output(program) == [f"{device} CPU:0 CPU:0"]


def test_logical_devices_are_listed_and_chosen_in_every_way() -> None:
    program = (
        THREE
        + """
print([d.name for d in config.list_logical_devices()], len(config.get_logical_device_configuration(cpu)))
for name in (config.list_logical_devices()[2], "CPU:2", tf.DeviceSpec(device_type="CPU", device_index=2)):
    with tf.device(name):
        x = tf.constant(1)
        with tf.device(None):
            y = tf.constant(1)
        with tf.device("/cpu:0"):
            z = x + y
    print(short(x), short(y), short(z), x.backing_device[-5:])
with tf.device("/cpu:9"):
    print(short(tf.constant(1)))
"""
    )
    assert _output(program) == [
        "['/device:CPU:0', '/device:CPU:1', '/device:CPU:2'] 3",
        *["CPU:2 CPU:0 CPU:0 CPU:0"] * 3,
        "CPU:0",
    ]


def test_nodes_of_a_function_name_their_device_and_results_are_where_it_is_called() -> None:
    program = (
        THREE
        + """
@tf.function
def f(a):
    with tf.device("/cpu:1"):
        return a * 2
print([n.device for n in f.get_concrete_function(tf.constant(1)).graph.get_operations() if n.type == "Mul"])
print(short(f(tf.constant(1))))
with tf.device("/cpu:2"):
    print(short(f(tf.constant(1))), short(f(tf.constant(2))))
"""
    )
    assert _output(program) == ["['/device:CPU:1']", "CPU:0", "CPU:2 CPU:2"]


def test_devices_stay_once_they_are_used() -> None:
    program = (
        THREE
        + """
config.list_logical_devices()
config.set_logical_device_configuration(cpu, [config.LogicalDeviceConfiguration()] * 3)
for change in (lambda: config.set_logical_device_configuration(cpu, []), lambda: config.set_visible_devices([], "CPU")):
    try:
        change()
    except RuntimeError as error:
        print(error)
"""
    )
    assert _output(program) == [
        "Virtual devices cannot be modified after being initialized",
        "Visible devices cannot be modified after being initialized",
    ]


def test_what_cannot_be_configured_is_refused() -> None:
    program = """
one = config.LogicalDeviceConfiguration
for device, made in ((cpu, one(memory_limit=10)), (cpu, one(experimental_priority=1)), ("cpu", one())):
    try:
        config.set_logical_device_configuration(device, [made])
    except ValueError as error:
        print(error)
print(config.get_logical_device_configuration(cpu))
"""
    assert _output(program) == [
        "Setting memory limit on CPU virtual devices is currently not supported",
        "Setting experimental_priority on CPU virtual  devices is currently not supported",
        "Unrecognized device: 'cpu'",
        "None",
    ]

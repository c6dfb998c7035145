"""tf.device: names, scopes in scopes, devices that do not exist, with soft placement and without."""

from __future__ import annotations

from tests.oracle.programs._process_helpers import alone

_TWO = """
(cpu,) = config.list_physical_devices("CPU")
config.set_logical_device_configuration(cpu, [config.LogicalDeviceConfiguration()] * 2)
"""
_NAMES = """
for name in ["/CPU:0", "CPU:0", "cpu:0", "CPU", "/cpu:*", "/device:CPU:0", "/replica:0", "/job:localhost", "", None]:
    say(lambda: on(name))
"""
_MISSING = """
for name in ["CPU:1", "/GPU:0", "/GPU:7", "GPU", "/device:TPU:0", "/device:FOO:0"]:
    say(lambda: on(name))
"""
_ELSEWHERE = """
for name in ["/job:worker", "/job:worker/task:1", "/job:localhost/task:1", "/replica:1", "/job:worker/device:GPU:0"]:
    say(lambda: on(name))
"""


def prog_names_of_the_first_cpu(tf, np):
    """Every way to name the CPU."""
    return alone(tf, _NAMES)


def prog_names_of_the_first_cpu_without_soft_placement(tf, np):
    """The same where nothing may stand in."""
    return alone(tf, "config.set_soft_device_placement(False)\n" + _NAMES)


def prog_missing_devices_with_soft_placement(tf, np):
    """The CPU stands in."""
    return alone(tf, _MISSING)


def prog_missing_devices_without_soft_placement(tf, np):
    """Nothing stands in."""
    return alone(tf, "config.set_soft_device_placement(False)\n" + _MISSING, words=40)


def prog_devices_of_other_processes(tf, np):
    """Nothing stands in for another process."""
    return alone(tf, _ELSEWHERE + "config.set_soft_device_placement(False)\n" + _ELSEWHERE)


def prog_names_that_cannot_be_read(tf, np):
    """Parse errors."""
    return alone(tf, """
for name in ["/XLA_CPU:0", "/foo:0", "foo", "/device:CPU", "/device:GPU:a", "/job:a/b", "/cpu:0/gpu:0", 3, 2.5, b"/cpu:0"]:
    say(lambda: on(name))
""", words=14)


def prog_an_empty_scope_of_a_missing_device(tf, np):
    """A scope in which nothing runs is no error."""
    return alone(tf, """
config.set_soft_device_placement(False)
def enter(name):
    with tf.device(name):
        return "entered"
for name in ["/GPU:7", "/device:TPU:0", "/job:worker"]:
    say(lambda: enter(name))
""")


def prog_what_runs_on_a_missing_device(tf, np):
    """Constants, ops, variables and functions in the scope of a missing device."""
    return alone(tf, """
config.set_soft_device_placement(False)
x = tf.ones([2])
f = tf.function(lambda: x + 1)
for make in (lambda: tf.constant(1.0), lambda: x + x, lambda: tf.Variable(1.0), lambda: tf.zeros([2])):
    say(lambda: on("/GPU:7", make))
""", words=9)


def prog_specs_as_devices(tf, np):
    """A DeviceSpec, the old one too, and a logical device."""
    return alone(tf, """
spec = tf.DeviceSpec
for device in [spec(device_type="CPU", device_index=0), spec(device_type="CPU"), spec(job="localhost"), spec(),
               tf.compat.v1.DeviceSpec(device_type="CPU", device_index=0), config.list_logical_devices()[0],
               spec(device_type="GPU", device_index=7)]:
    say(lambda: on(device))
""")


def prog_functions_as_devices(tf, np):
    """Functions are refused, in a tf.function too."""
    return alone(tf, """
choose = lambda op: "/CPU:0"
say(lambda: on(choose))
@tf.function
def f(x):
    with tf.device(choose):
        return x + 1
say(lambda: f(tf.constant(1.0)))
""")


def prog_functions_as_devices_in_a_graph(tf, np):
    """In a graph, tf.compat.v1.device takes a function, whose answer replaces the device of inner scopes."""
    return alone(tf, """
device = tf.compat.v1.device
choose = lambda op: "/GPU:1" if op.type == "MatMul" else "/cpu:0"
say(lambda: device(choose).__enter__())
with tf.Graph().as_default() as graph:
    say(lambda: tf.device(choose).__enter__())
    with device(choose):
        x = tf.ones([2, 2], name="x")
        y = tf.matmul(x, x, name="y")
    with device("/job:worker"):
        with device(lambda op: "/task:3"):
            with device("/cpu:7"):
                tf.identity(y, name="a")
            tf.identity(y, name="b")
            with device(None):
                tf.identity(y, name="c")
        with device(lambda op: ""):
            tf.identity(y, name="d")
    with device(lambda op: op.device or "/task:5"):
        tf.identity(y, name="e")
        with device("/gpu:2"):
            tf.identity(y, name="f")
    with device(lambda op: "/job:outer"):
        with device(lambda op: "/task:1"):
            tf.identity(y, name="g")
    with graph.device(lambda op: "/cpu:1"):
        tf.identity(y, name="h")
    with graph.device(tf.DeviceSpec(job="b")):
        tf.identity(y, name="i")
    say(lambda: graph.device(lambda op: 3).__enter__() or tf.identity(y))
print([(o.name, o.device) for o in graph.get_operations() if len(o.name) == 1])
""", words=6)


def prog_scopes_in_scopes(tf, np):
    """The inner scope decides."""
    return alone(tf, _TWO + """
make = lambda: tf.constant(1.0) + 1.0
with tf.device("/CPU:1"):
    say(lambda: on("/CPU:0", make))
    say(lambda: on(None, make))
    say(lambda: on("", make))
    say(lambda: on("/job:localhost", make))
    say(lambda: make().device)
say(lambda: make().device)
""")


def prog_two_cpus(tf, np):
    """Values are on the CPU of their scope."""
    return alone(tf, _TWO + """
say(config.list_logical_devices)
for make in (lambda: tf.constant([1.0]), lambda: tf.zeros([2]), lambda: tf.random.uniform([2]), lambda: tf.Variable(1.0),
             lambda: tf.identity(tf.constant(1)), lambda: tf.concat([[1], [2]], 0), lambda: tf.ones([2])[0]):
    say(lambda: on("/CPU:1", make))
say(lambda: on("/CPU:2"))
config.set_soft_device_placement(False)
say(lambda: on("/CPU:1"))
say(lambda: on("/CPU:2"))
""")


def prog_inputs_of_another_cpu(tf, np):
    """An op runs where its scope says, wherever its inputs are."""
    return alone(tf, _TWO + """
with tf.device("/CPU:1"):
    x = tf.constant([1.0, 2.0])
say(lambda: (x * 2).device)
say(lambda: on("/CPU:1", lambda: x * 2))
say(lambda: (x + tf.ones([2])).numpy().tolist())
""")


def prog_devices_of_nodes(tf, np):
    """Nodes say what their scope said."""
    return alone(tf, """
@tf.function
def f(x):
    result = []
    for name in ["/CPU:0", "cpu:0", "GPU", "/GPU:7", "/job:worker", "/device:FOO:0", "", None, "/cpu:*",
                 tf.DeviceSpec(job="a", task=1), tf.compat.v1.DeviceSpec(device_type="GPU")]:
        with tf.device(name):
            result.append((x + 1).device)
    with tf.device("/job:worker/task:1"):
        with tf.device("/GPU:2"):
            result.append((x + 1).device)
            with tf.device(None):
                result.append((x + 1).device)
            with tf.device("/CPU:0"):
                result.append((x + 1).device)
    print(result)
    return x
f.get_concrete_function(tf.TensorSpec([]))
""")


def prog_functions_on_missing_devices(tf, np):
    """Nodes of functions on devices that do not exist, with soft placement and without."""
    return alone(tf, """
def call(name):
    @tf.function
    def f(x):
        with tf.device(name):
            return x + 1
    return f(tf.constant(1.0)).numpy()
for is_soft in (True, False):
    config.set_soft_device_placement(is_soft)
    for name in ["/CPU:0", "/GPU:0", "/GPU:7", "/device:FOO:0", "/cpu:*", "/replica:0"]:
        say(lambda: call(name))
""", words=9)


def prog_functions_of_other_processes(tf, np):
    """Nodes of functions for another process."""
    return alone(tf, """
def call(name):
    @tf.function
    def f(x):
        with tf.device(name):
            return tf.add(x, 1, name="sum")
    return f(tf.constant(1.0)).numpy()
for is_soft in (True, False):
    config.set_soft_device_placement(is_soft)
    for name in ["/job:worker", "/job:localhost/task:1", "/replica:1"]:
        say(lambda: call(name))
""", words=11)


def prog_functions_called_on_a_device(tf, np):
    """The results of a function are where it is called."""
    return alone(tf, _TWO + """
f = tf.function(lambda x: x + 1)
say(lambda: on("/CPU:1", lambda: f(tf.constant(1.0))))
say(lambda: on("/CPU:0", lambda: f(tf.constant(1.0))))
say(lambda: f(tf.constant(1.0)).device)
""")


def prog_copies_to_devices(tf, np):
    """cpu() and gpu() of tensors."""
    return alone(tf, _TWO + """
with tf.device("/CPU:1"):
    x = tf.constant([1.0])
say(lambda: x.device)
say(lambda: x.cpu().device)
say(lambda: x.gpu().device)
say(lambda: tf.identity(x).device)
""", words=4)

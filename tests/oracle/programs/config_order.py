"""tf.config: what may be set before the first op, and what may not be changed after it. A process for each program."""

from __future__ import annotations

from tests.oracle.programs._process_helpers import alone


def prog_visible_devices_before_the_first_op(tf, np):
    """Visible devices may change until something is computed."""
    return alone(tf, """
(cpu,) = config.list_physical_devices("CPU")
say(lambda: config.set_visible_devices([], "CPU"))
say(config.get_visible_devices)
say(lambda: config.set_visible_devices(cpu))
say(lambda: config.set_visible_devices([cpu], "CPU"))
say(config.get_visible_devices)
say(lambda: config.get_visible_devices("CPU"))
say(lambda: config.get_visible_devices("GPU"))
say(lambda: config.get_visible_devices("NOPE"))
""")


def prog_visible_devices_after_the_first_op(tf, np):
    """... and afterwards only to what they are."""
    return alone(tf, """
(cpu,) = config.list_physical_devices("CPU")
tf.constant(1.0)
say(lambda: config.set_visible_devices([], "CPU"))
say(lambda: config.set_visible_devices([cpu], "CPU"))
say(lambda: config.set_visible_devices(cpu))
say(lambda: config.set_visible_devices([], "GPU"))
say(lambda: config.set_visible_devices([], "NOPE"))
say(config.get_visible_devices)
""")


def prog_unknown_visible_devices(tf, np):
    """What is no device of the machine."""
    return alone(tf, """
gpu = config.PhysicalDevice("/physical_device:GPU:0", "GPU")
(cpu,) = config.list_physical_devices("CPU")
say(lambda: config.set_visible_devices(gpu))
say(lambda: config.set_visible_devices([gpu], "GPU"))
say(lambda: config.set_visible_devices([cpu], "GPU"))
say(lambda: config.set_visible_devices("CPU"))
say(lambda: config.set_visible_devices([3]))
say(lambda: config.list_physical_devices("NOPE"))
say(lambda: config.list_physical_devices(3))
say(lambda: config.list_logical_devices("NOPE"))
""")


def prog_listing_fixes_the_logical_devices(tf, np):
    """Listing logical devices is a first use."""
    return alone(tf, """
(cpu,) = config.list_physical_devices("CPU")
one = config.LogicalDeviceConfiguration
say(lambda: config.set_logical_device_configuration(cpu, [one(), one()]))
say(config.list_logical_devices)
say(lambda: config.set_logical_device_configuration(cpu, [one(), one()]))
say(lambda: config.set_logical_device_configuration(cpu, [one()]))
say(lambda: config.set_logical_device_configuration(cpu, []))
say(lambda: len(config.get_logical_device_configuration(cpu)))
""")


def prog_a_variable_fixes_the_devices(tf, np):
    """A variable is a first use, too."""
    return alone(tf, """
(cpu,) = config.list_physical_devices("CPU")
tf.Variable(1.0)
say(lambda: config.set_logical_device_configuration(cpu, [config.LogicalDeviceConfiguration()] * 2))
say(lambda: config.set_visible_devices([], "CPU"))
""")


def prog_an_op_fixes_the_devices(tf, np):
    """So is an op."""
    return alone(tf, """
(cpu,) = config.list_physical_devices("CPU")
tf.range(3) + 1
say(lambda: config.set_logical_device_configuration(cpu, [config.LogicalDeviceConfiguration()] * 2))
""")


def prog_a_function_that_is_not_called_fixes_nothing(tf, np):
    """Specs, layers of names, and functions that nobody calls are no use."""
    return alone(tf, """
(cpu,) = config.list_physical_devices("CPU")
tf.TensorSpec([2])
f = tf.function(lambda x: x + 1)
say(lambda: config.set_logical_device_configuration(cpu, [config.LogicalDeviceConfiguration()] * 2))
say(lambda: len(config.list_logical_devices()))
""")


def prog_threads_before_the_first_op(tf, np):
    """Numbers of threads may change until something is computed."""
    return alone(tf, """
threads = config.threading
for count in (1, 4, 0, 2):
    say(lambda: threads.set_intra_op_parallelism_threads(count))
    say(lambda: threads.set_inter_op_parallelism_threads(count + 1))
    say(threads.get_intra_op_parallelism_threads)
    say(threads.get_inter_op_parallelism_threads)
""")


def prog_threads_after_the_first_op(tf, np):
    """... and afterwards only to what they are."""
    return alone(tf, """
threads = config.threading
threads.set_intra_op_parallelism_threads(2)
threads.set_inter_op_parallelism_threads(3)
tf.constant(1.0)
for count in (2, 3, 1, 0):
    say(lambda: threads.set_intra_op_parallelism_threads(count))
    say(lambda: threads.set_inter_op_parallelism_threads(count))
say(threads.get_intra_op_parallelism_threads)
say(threads.get_inter_op_parallelism_threads)
""")


def prog_soft_placement_may_always_change(tf, np):
    """Soft placement before and after the first op."""
    return alone(tf, """
say(config.get_soft_device_placement)
say(lambda: config.set_soft_device_placement(False))
tf.constant(1.0)
say(config.get_soft_device_placement)
say(lambda: config.set_soft_device_placement(True))
say(config.get_soft_device_placement)
""")


def prog_log_device_placement_may_always_change(tf, np):
    """The log of placements, before the first op and without one."""
    return alone(tf, """
say(tf.debugging.get_log_device_placement)
say(lambda: tf.debugging.set_log_device_placement(True))
say(tf.debugging.get_log_device_placement)
say(lambda: tf.debugging.set_log_device_placement(False))
tf.constant(1.0)
say(tf.debugging.get_log_device_placement)
""")


def prog_memory_growth_without_a_gpu(tf, np):
    """Memory growth is a matter of GPUs."""
    return alone(tf, """
(cpu,) = config.list_physical_devices("CPU")
gpu = config.PhysicalDevice("/physical_device:GPU:0", "GPU")
for device in (cpu, gpu, "GPU:0", None):
    say(lambda: experimental.set_memory_growth(device, True))
    say(lambda: experimental.get_memory_growth(device))
""")


def prog_device_policy(tf, np):
    """Policies and their names."""
    return alone(tf, """
say(experimental.get_device_policy)
for policy in ("explicit", "warn", "silent_for_int32", "silent", None, "nope", 3):
    say(lambda: experimental.set_device_policy(policy))
    say(experimental.get_device_policy)
""")


def prog_synchronous_execution(tf, np):
    """Synchronous execution, before and after the first op."""
    return alone(tf, """
say(experimental.get_synchronous_execution)
say(lambda: experimental.set_synchronous_execution(False))
say(experimental.get_synchronous_execution)
tf.constant(1.0)
say(lambda: experimental.set_synchronous_execution(True))
say(experimental.get_synchronous_execution)
""")


def prog_mlir_bridge(tf, np):
    """Switches without a visible effect."""
    return alone(tf, """
say(experimental.enable_mlir_bridge)
say(experimental.disable_mlir_bridge)
tf.constant(1.0)
say(experimental.enable_mlir_bridge)
""")


def prog_tensor_float_32(tf, np):
    """TensorFloat-32 is on by default."""
    return alone(tf, """
say(experimental.tensor_float_32_execution_enabled)
say(lambda: experimental.enable_tensor_float_32_execution(False))
say(experimental.tensor_float_32_execution_enabled)
""")


def prog_op_determinism(tf, np):
    """Determinism asks for a seed before random ops."""
    return alone(tf, """
say(experimental.enable_op_determinism)
say(lambda: tf.random.uniform([2]).shape)
tf.random.set_seed(1)
say(lambda: tf.random.uniform([2]).shape)
""", words=6)

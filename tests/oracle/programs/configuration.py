"""tf.config, tf.device, tf.version, names and small pieces of the public surface."""

# ruff: noqa: SIM300 (programs write what users write)
from __future__ import annotations

from tests.oracle.support import attempt


def prog_list_physical_devices(tf, np):
    """A machine without accelerators."""
    return [[(d.name, d.device_type) for d in tf.config.list_physical_devices("CPU")], tf.config.list_physical_devices("GPU"), tf.config.experimental.list_physical_devices("TPU")]


def prog_logical_devices(tf, np):
    """Logical devices and their names."""
    return [[(d.name, d.device_type) for d in tf.config.list_logical_devices("CPU")], [d.name for d in tf.config.get_visible_devices("CPU")], repr(tf.config.list_physical_devices("CPU")[0])]


def prog_unknown_device(tf, np):
    """Using a device that is not there."""

    def use(name):
        with tf.device(name):
            return tf.constant(1) + 1

    return [use("CPU:0"), use("/device:CPU:0"), use("/job:localhost/replica:0/task:0/device:CPU:0"), attempt(lambda: use("not a device"), words=0), use(None)]


def prog_gpu_checks(tf, np):
    """is_built_with_cuda style questions."""
    return [tf.config.list_physical_devices("GPU") == [], tf.test.is_built_with_cuda(), tf.config.get_soft_device_placement() in (True, False)]


def prog_threads_and_flags(tf, np):
    """Getters return numbers and bools."""
    return [tf.config.threading.get_intra_op_parallelism_threads(), tf.config.threading.get_inter_op_parallelism_threads(), tf.config.functions_run_eagerly(), type(tf.config.optimizer.get_jit()).__name__, tf.config.optimizer.get_experimental_options()]


def prog_executing_eagerly(tf, np):
    """Where eager is on."""
    out = [tf.executing_eagerly()]
    with tf.Graph().as_default():
        out.append(tf.executing_eagerly())
    return out


def prog_missing_names(tf, np):
    """Names of TensorFlow 1 are not at the top level."""
    names = "placeholder Session ConfigProto string_join enable_eager_execution global_variables_initializer get_variable layers contrib app flags log to_float"
    return [attempt(lambda n=n: getattr(tf, n), words=7) for n in names.split()]


def prog_namespaces_exist(tf, np):
    """The namespaces this corpus uses are modules with documented names."""
    names = "math nn linalg random strings debugging config errors nest dtypes bitwise autodiff raw_ops experimental types compat io image summary train data saved_model autograph lookup sparse ragged signal sets queue quantization profiler mlir tpu test version sysconfig graph_util feature_column distribute audio".split()
    return [n for n in names if attempt(lambda n=n: getattr(tf, n)) is not None and hasattr(tf, n)][:14]


def prog_version(tf, np):
    """Version strings have three parts."""
    return [len(tf.__version__.split(".")) >= 3, isinstance(tf.version.VERSION, str), tf.version.VERSION == tf.__version__]


def prog_dtype_names_at_root(tf, np):
    """dtypes at the root and in tf.dtypes are the same."""
    names = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 half double bfloat16 complex64 complex128 string resource variant qint8 quint8 qint32".split()
    return [getattr(tf, n) is getattr(tf.dtypes, n) for n in names]


def prog_newaxis_and_constants(tf, np):
    """tf.newaxis is None; tf.math.pi is not there, np.pi is used."""
    return [tf.newaxis is None, hasattr(tf.math, "pi"), tf.constant(np.pi), tf.constant(np.e, tf.float64)]


def prog_is_tensor_and_types(tf, np):
    """isinstance tests users write."""
    x, v = tf.constant(1), tf.Variable(1)
    with tf.Graph().as_default():
        s = tf.constant(1)
    return [isinstance(x, tf.Tensor), isinstance(v, tf.Tensor), isinstance(s, tf.Tensor), isinstance(v, tf.Variable), tf.is_tensor(s), tf.is_tensor(tf.IndexedSlices(x, x)), tf.is_symbolic_tensor(s), tf.is_symbolic_tensor(x), tf.is_symbolic_tensor(5), type(x).__name__, isinstance(tf.float32, tf.DType), isinstance(x.shape, tf.TensorShape), isinstance(tf.TensorSpec([]), tf.TypeSpec), isinstance(tf.function(lambda: 1), object)]


def prog_logger(tf, np):
    """get_logger returns a logging.Logger."""
    import logging

    return [isinstance(tf.get_logger(), logging.Logger)]


def prog_op_determinism(tf, np):
    """Determinism needs a seed."""
    return [tf.config.experimental.enable_op_determinism() if False else None, tf.constant(1)]


def prog_name_scope_errors(tf, np):
    """Scopes need strings."""
    return [attempt(lambda: tf.name_scope(5), words=4), attempt(lambda: tf.name_scope([]), words=4), tf.name_scope("ok").name]


def prog_dispatch_by_keyword_only(tf, np):
    """Keyword names of common functions."""
    return [tf.concat(values=[[1], [2]], axis=0), tf.reduce_sum(input_tensor=[1, 2]), tf.reshape(tensor=[1, 2], shape=[2, 1]), tf.transpose(a=[[1, 2]]), tf.matmul(a=[[1.0]], b=[[2.0]]), tf.where(condition=[True], x=[1], y=[2]), tf.gather(params=[1, 2], indices=[1]), tf.one_hot(indices=[1], depth=2), tf.cast(x=1, dtype=tf.float32), tf.split(value=[1, 2], num_or_size_splits=2), tf.stack(values=[1, 2], axis=0), tf.tile(input=[1], multiples=[2]), tf.expand_dims(input=[1], axis=0), tf.fill(dims=[1], value=2), tf.argmax(input=[1, 2], axis=0), tf.pad(tensor=[1], paddings=[[1, 0]]), tf.nn.relu(features=[-1.0]), tf.nn.softmax(logits=[1.0])]


def prog_positional_errors(tf, np):
    """Missing and unknown arguments of public functions."""
    return [attempt(lambda: tf.reshape([1]), words=0), attempt(lambda: tf.concat([[1]]), words=0), attempt(lambda: tf.reduce_sum(), words=0), attempt(lambda: tf.matmul([[1.0]], [[1.0]], nope=1), words=0), attempt(lambda: tf.constant(), words=0)]


def prog_tf_test_and_compat_bits(tf, np):
    """tf.compat.as_bytes and friends."""
    c = tf.compat
    return [c.as_bytes("é"), c.as_text(b"\xc3\xa9"), c.as_str("x"), c.as_str_any(5), attempt(lambda: c.as_bytes(5), words=3), attempt(lambda: c.as_text(5), words=3)]

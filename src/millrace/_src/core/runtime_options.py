"""`tf.config` options that tune the runtime: remembered and returned, without effect on results.

Programs set such options at their start, and an error would break the program. Each option has a well-defined meaning
here: ops run one after the other, a large op is shared among threads, and kernels are deterministic when asked.

Tests: tests/engines/test_tier_settings.py, tests/oracle/programs/configuration.py
"""

from __future__ import annotations

from millrace._src.core.context import eager_use_has_begun
from millrace._src.core.devices import list_physical_devices
from millrace._src.util.autotuning import fix_choices
from millrace._src.util.export import export
from millrace._src.util.thread_pool import set_thread_count

_CPU_TARGETS = frozenset("x86 x86_64 aarch64 arm arm32 arm64 armv7 ppc ppc64 ppc64le powerpc s390x".split())
"""The kinds of processors that TensorFlow knows."""


class _Options:
    intra_op_threads = 0
    inter_op_threads = 0
    determinism = False
    tensor_float_32 = True
    tensorflow_2_behavior = True


def _threads(num_threads: int | None, present: int, kind: str) -> int:
    """Returns a new number of threads.

    Raises:
      ValueError: for a negative number.
      RuntimeError: if the program has computed something, and the number is another one.
    """
    count = int(num_threads or 0)
    if count < 0:
        raise ValueError(f"num_threads must be non-negative; received {num_threads}.")
    if count != present and eager_use_has_begun():
        raise RuntimeError(f"{kind} op parallelism cannot be modified after initialization.")
    return count


@export("config.threading.set_intra_op_parallelism_threads")
def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Sets how many threads share the work of one large op; 0, the default, means one for each usable core.

    BLAS libraries and compiling engines have settings of their own.

    >>> tf.config.threading.set_intra_op_parallelism_threads(0)
    >>> tf.config.threading.get_intra_op_parallelism_threads()
    0

    Raises: RuntimeError: if the program has computed something, and the number is another one.
    """
    _Options.intra_op_threads = _threads(num_threads, _Options.intra_op_threads, "Intra")
    set_thread_count(_Options.intra_op_threads)


@export("config.threading.get_intra_op_parallelism_threads")
def get_intra_op_parallelism_threads() -> int:
    """Returns the number of threads that share the work of one large op; 0 lets the system choose.

    >>> tf.config.threading.get_intra_op_parallelism_threads()
    0
    """
    return _Options.intra_op_threads


@export("config.threading.set_inter_op_parallelism_threads")
def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Records how many ops may run at once; Millrace runs ops one after the other.

    >>> tf.config.threading.set_inter_op_parallelism_threads(0)

    Raises: RuntimeError: if the program has computed something, and the number is another one.
    """
    _Options.inter_op_threads = _threads(num_threads, _Options.inter_op_threads, "Inter")


@export("config.threading.get_inter_op_parallelism_threads")
def get_inter_op_parallelism_threads() -> int:
    """Returns the recorded number of ops that may run at once; 0 lets the system choose.

    >>> tf.config.threading.get_inter_op_parallelism_threads()
    0
    """
    return _Options.inter_op_threads


@export("config.experimental.enable_op_determinism")
def enable_op_determinism() -> None:
    """Asks for the same bits in each run: what else is chosen by measured time is chosen once and for all.

    Without it, a large convolution or product may be computed by another library from some call on, and round
    differently. Functions that are first called afterwards stay on the NumPy tier unless they are pinned to another.
    Random ops then need a seed: `tf.random.set_seed`.

    >>> tf.config.experimental.enable_op_determinism()
    """
    _Options.determinism = True
    fix_choices(True)


def disable_op_determinism() -> None:
    """Takes back `enable_op_determinism`."""
    _Options.determinism = False
    fix_choices(False)


def is_op_determinism_enabled() -> bool:
    """Returns whether the program asked for deterministic ops."""
    return _Options.determinism


@export("__internal__.tf2.enabled")
def tensorflow_2_behavior_enabled() -> bool:
    """Returns whether programs see TensorFlow 2's behavior: unless `tf.compat.v1.disable_v2_behavior` turned it off.

    >>> tf.__internal__.tf2.enabled()
    True
    """
    return _Options.tensorflow_2_behavior


def set_tensorflow_2_behavior(is_enabled: bool) -> None:
    """Notes whether programs see TensorFlow 2's behavior."""
    _Options.tensorflow_2_behavior = is_enabled


@export("config.experimental.enable_tensor_float_32_execution")
def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Records whether TensorFloat-32 may be used; CPUs have none.

    >>> tf.config.experimental.enable_tensor_float_32_execution(True)
    """
    _Options.tensor_float_32 = bool(enabled)


@export("config.experimental.tensor_float_32_execution_enabled")
def tensor_float_32_execution_enabled() -> bool:
    """Returns whether TensorFloat-32 may be used.

    >>> tf.config.experimental.tensor_float_32_execution_enabled()
    True
    """
    return _Options.tensor_float_32


@export("test.is_built_with_cuda")
def is_built_with_cuda() -> bool:
    """Returns whether this build has CUDA kernels of its own: False; compiling engines generate them.

    >>> tf.test.is_built_with_cuda()
    False
    """
    return False


@export("test.is_built_with_rocm")
def is_built_with_rocm() -> bool:
    """Returns whether this build has ROCm kernels of its own: False; compiling engines generate them.

    >>> tf.test.is_built_with_rocm()
    False
    """
    return False


@export("test.is_built_with_gpu_support")
def is_built_with_gpu_support() -> bool:
    """Returns whether this build has GPU kernels of its own: False; compiling engines generate them.

    >>> tf.test.is_built_with_gpu_support()
    False
    """
    return is_built_with_cuda() or is_built_with_rocm()


@export("test.is_gpu_available")
def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None) -> bool:
    """Returns whether there is a GPU; `tf.config.list_physical_devices("GPU")` says which.

    >>> tf.test.is_gpu_available()
    False

    Args:
      cuda_only: Whether only a CUDA GPU counts; the XLA engine knows no other kind.
      min_cuda_compute_capability: The least capability of a GPU that counts; a GPU of unknown capability counts.
    """
    return bool(list_physical_devices("GPU"))


@export("test.is_cpu_target_available")
def is_cpu_target_available(target: str) -> bool:
    """Returns whether code can be compiled for a kind of processor: this machine's, and the compiling engine's targets.

    >>> tf.test.is_cpu_target_available("x86")
    True

    Args: target: "x86", "aarch64", "arm", "ppc", "s390x" or another name of such a processor, as "ppc64le".
    Raises: AssertionError: if `target` is not a kind of processor.
    """
    if target not in _CPU_TARGETS:
        raise AssertionError(f"Unknown CPU target: {target}")
    return True


@export("test.is_built_with_xla")
def is_built_with_xla() -> bool:
    """Returns whether functions can be compiled with XLA (the `xla` extra must be installed): True.

    >>> tf.test.is_built_with_xla()
    True
    """
    return True


@export("test.gpu_device_name")
def gpu_device_name() -> str:
    """Returns the name of the first GPU, or an empty string.

    >>> tf.test.gpu_device_name()
    ''
    """
    return next(("/device:GPU:0" for d in list_physical_devices() if d.device_type == "GPU"), "")

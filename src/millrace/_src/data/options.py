"""`tf.data.Options`: how a pipeline is run.

Options change how fast elements come, never which elements, with one exception that TensorFlow has too: `deterministic`
set to False lets parallel stages give elements in the order in which they are ready. An option for something that
Millrace does differently, or in any case, says so.
"""

from __future__ import annotations

import enum
from typing import Any

from millrace._src.data.option_fields import Option, OptionsBase
from millrace._src.util.export import export, export_constant
from millrace._src.util.logger import get_logger

SHARD_HINT = -1
export_constant(__name__, "SHARD_HINT", "data.experimental.SHARD_HINT")


@export("data.experimental.AutotuneAlgorithm")
class AutotuneAlgorithm(enum.Enum):
    """TensorFlow's algorithms for choosing degrees of parallelism; Millrace measures the stages instead of a model."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


@export("data.experimental.AutoShardPolicy")
class AutoShardPolicy(enum.IntEnum):
    """How a dataset is divided among the workers of a distribution strategy."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


@export("data.experimental.ExternalStatePolicy")
class ExternalStatePolicy(enum.Enum):
    """What to do when a dataset is written to a graph that depends on state outside of the graph."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


@export("data.experimental.AutotuneOptions")
class AutotuneOptions(OptionsBase):
    """How much a pipeline may take for itself: `options.autotune`.

    >>> options = tf.data.Options()
    >>> options.autotune.ram_budget = 2 ** 30
    """

    enabled = Option(bool, "Whether stages choose their own parallelism and buffers. If None, defaults to True.")
    cpu_budget = Option(int, "The most threads to use. If None, the number of processors.")
    ram_budget = Option(int, "The most bytes for the buffer of a prefetch. If None, 64 MiB.")
    autotune_algorithm = Option(AutotuneAlgorithm, "Accepted for compatibility: stages are measured, not modelled.")
    initial_parallelism = Option(int, "Accepted for compatibility: stages begin in the caller's thread.")
    min_parallelism = Option(int, "Accepted for compatibility: stages begin in the caller's thread.")


@export("data.experimental.DistributeOptions")
class DistributeOptions(OptionsBase):
    """How a dataset is divided among workers: `options.experimental_distribute`.

    >>> options = tf.data.Options()
    >>> options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    """

    auto_shard_policy = Option(AutoShardPolicy, "How to divide the elements.", default=lambda: AutoShardPolicy.AUTO)
    num_devices = Option(int, "The number of devices of this pipeline.")


@export("data.experimental.OptimizationOptions")
class OptimizationOptions(OptionsBase):
    """Which rewrites of a pipeline are allowed: `options.experimental_optimization`.

    >>> options = tf.data.Options()
    >>> options.experimental_optimization.map_fusion = False
    """

    apply_default_optimizations = Option(bool, "Whether rewrites without a switch of their own are on; True if None.")
    filter_fusion = Option(bool, "Accepted for compatibility: filters pass blocks on to each other without copies.")
    filter_parallelization = Option(bool, "Accepted for compatibility: predicates run for whole blocks.")
    inject_prefetch = Option(
        bool, "Whether elements of a pipeline that ends without `prefetch` may be made ahead; True if None."
    )
    map_and_batch_fusion = Option(bool, "Accepted for compatibility: a mapped block becomes batches without a copy.")
    map_and_filter_fusion = Option(bool, "Accepted for compatibility: functions and predicates run for whole blocks.")
    map_fusion = Option(bool, "Whether two pure functions that follow one another become one. If None, True.")
    map_parallelization = Option(bool, "Accepted for compatibility: pure functions run for whole blocks.")
    noop_elimination = Option(
        bool, "Whether stages that change nothing, such as `take(-1)`, are left out; True if None."
    )
    parallel_batch = Option(bool, "Accepted for compatibility: a block becomes batches without a copy.")
    seq_interleave_prefetch = Option(bool, "Accepted for compatibility: sequential interleaves stay sequential.")
    shuffle_and_repeat_fusion = Option(bool, "Accepted for compatibility: the order is the same with and without.")


@export("data.experimental.ServiceOptions")
class ServiceOptions(OptionsBase):
    """Options of TensorFlow's data service, which Millrace does not have: `options.experimental_service`."""

    pinned = Option(bool, "Accepted for compatibility.")


@export("data.ThreadingOptions", "data.experimental.ThreadingOptions")
class ThreadingOptions(OptionsBase):
    """The threads of a pipeline: `options.threading`.

    >>> options = tf.data.Options()
    >>> options.threading.private_threadpool_size = 4
    """

    max_intra_op_parallelism = Option(int, "Accepted for compatibility: kernels of a pipeline run in one thread each.")
    private_threadpool_size = Option(int, "The number of threads of the pipeline's own pool. If None, a shared pool.")


@export("data.Options")
class Options(OptionsBase):
    """How a pipeline is run; given to `Dataset.with_options`.

    >>> options = tf.data.Options()
    >>> options.deterministic = False
    >>> dataset = tf.data.Dataset.range(3).with_options(options)
    >>> dataset.options().deterministic
    False

    Options of the inputs of a dataset are its own too; where two disagree, the later one counts.
    """

    autotune = Option(AutotuneOptions, "See `AutotuneOptions`.", "autotune_options", AutotuneOptions)
    dataset_name = Option(str, "A name for the dataset.")
    deterministic = Option(
        bool, "Whether the outputs need to be produced in deterministic order. If None, defaults to True."
    )
    experimental_distribute = Option(
        DistributeOptions, "See `DistributeOptions`.", "distribute_options", DistributeOptions
    )
    experimental_external_state_policy = Option(
        ExternalStatePolicy, "See `ExternalStatePolicy`. If None, WARN.", "external_state_policy"
    )
    experimental_optimization = Option(
        OptimizationOptions, "See `OptimizationOptions`.", "optimization_options", OptimizationOptions
    )
    experimental_service = Option(ServiceOptions, "See `ServiceOptions`.", "service_options", ServiceOptions)
    experimental_slack = Option(
        bool, "Accepted for compatibility: prefetch leaves the consumer its processor.", "slack"
    )
    experimental_symbolic_checkpoint = Option(
        bool, "Accepted for compatibility: states are positions where that is possible.", "symbolic_checkpoint"
    )
    experimental_warm_start = Option(bool, "Accepted for compatibility: threads start when they pay.", "warm_start")
    framework_type = Option(list, "The names of the frameworks that run the pipeline.")
    threading = Option(ThreadingOptions, "See `ThreadingOptions`.", "threading_options", ThreadingOptions)

    @property
    def experimental_deterministic(self) -> Any:
        """The older name of `deterministic`."""
        return self.deterministic

    @experimental_deterministic.setter
    def experimental_deterministic(self, value: bool) -> None:
        self.deterministic = value

    @property
    def experimental_threading(self) -> Any:
        """The older name of `threading`."""
        get_logger().warning("options.experimental_threading is deprecated. Use options.threading instead.")
        return self.threading

    @experimental_threading.setter
    def experimental_threading(self, value: ThreadingOptions) -> None:
        self.threading = value

    def merge(self, options: object) -> Any:
        """Returns options that are those of `options` where these are set, and of this object elsewhere.

        Raises: TypeError: if `options` are not `Options`.
        """
        if not isinstance(options, Options):
            raise TypeError(f"Could not merge incompatible options of type {type(options)} and {type(self)}.")
        return self._merge(options)

    def _to_proto(self) -> Any:
        """Returns the options as a protocol buffer."""
        from millrace._src.proto import dataset_options_pb2  # protobuf loads only when a dataset has options

        message = dataset_options_pb2.Options()
        self._write(message)
        return message

    def _from_proto(self, message: object) -> None:
        """Reads the options that a protocol buffer holds."""
        self._read(message)

    @classmethod
    def _from_bytes(cls, serialized: bytes) -> Options:
        """Returns the options that `_to_proto().SerializeToString()` gave."""
        from millrace._src.graph.message_bytes import read_message  # protobuf loads only when a dataset has options
        from millrace._src.proto import dataset_options_pb2  # likewise

        options = cls()
        options._from_proto(read_message(dataset_options_pb2.Options, serialized, "The options of a dataset"))
        return options

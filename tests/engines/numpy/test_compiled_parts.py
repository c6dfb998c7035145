"""Parts of a NumPy program that XLA may run: when they are compiled, which way they take, and what stays as it was."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.context import eager_engine
from millrace._src.core.engine import Program
from millrace._src.engines.compilations import compilation_count
from millrace._src.engines.numpy import compiled_parts
from millrace._src.engines.numpy.compiled_parts import COMPILED, HOST, CompiledPart
from millrace._src.engines.tier_settings import TierSettings, settings
from millrace._src.passes import clustering
from millrace._src.passes.clustering import ClusterStrategy, cluster_graph
from millrace._src.passes.optimized_graph import OptimizedGraph
from millrace._src.passes.pipeline import optimize
from millrace._src.util.trials import TrialRules
from tests.passes.random_graphs import RandomGraph

pytestmark = pytest.mark.xla

VECTOR = tf.TensorSpec([None], tf.float32)


class Clock:
    """A clock that ticks once for each time that somebody asks, by a step that a test may change."""

    def __init__(self) -> None:
        self.now, self.step = 0.0, 1.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of all parts, which are all worth a call."""
    clock = Clock()
    monkeypatch.setattr(clustering, "_MIN_SECONDS", 0.0)
    monkeypatch.setattr(clustering, "_MIN_NODES", 1)
    monkeypatch.setattr(settings, "clock", clock)
    monkeypatch.setattr(TierSettings, "trial_rules", lambda self: TrialRules(warm_up=0, counted=2, least=2, most=2))
    return clock


class Clustered:
    """A function whose graph runs with clusters.

    Attributes:
      program: the program with clusters.
      plain: the program without.
    """

    def __init__(self, function: Any, *specs: Any, strategy: ClusterStrategy = ClusterStrategy.WIDE) -> None:
        self.concrete = tf.function(function, autograph=False).get_concrete_function(*specs)
        graph = cluster_graph(optimize(self.concrete.graph), strategy)
        assert graph is not None
        self.program = eager_engine().compile(graph)
        self.plain = eager_engine().compile(optimize(self.concrete.graph))

    def arguments(self, *values: Any) -> list[Any]:
        return [*[np.asarray(v) for v in values], *[t._eager_array for t in self.concrete.captured_inputs]]

    def __call__(self, *values: Any) -> list[Any]:
        return [np.asarray(r) for r in self.program.run(*self.arguments(*values))]

    def compile(self) -> None:
        assert self.program.prepare is not None
        self.program.prepare(())()

    def is_committed(self) -> bool:
        assert self.program.is_committed is not None
        return self.program.is_committed()


def part_of(function: Any, *specs: Any, engine: Any = None) -> CompiledPart:
    """The graph of a function as one part."""
    graph = optimize(tf.function(function, autograph=False).get_concrete_function(*specs).graph)
    return CompiledPart(graph, eager_engine().compile(graph), engine or (lambda: FakeEngine()))


class FakeEngine:
    """An engine that answers with tens, so that a test sees which way a call went."""

    def __init__(self, reason: str | None = None) -> None:
        self.reason = reason

    def compile(self, graph: OptimizedGraph) -> Program:
        return Program(lambda *a: [np.full_like(a[0], 10.0)], "fake", left_because=self.reason)


def values(part: CompiledPart, count: int, size: int = 2) -> list[float]:
    return [float(np.asarray(part(np.zeros(size, np.float32))[0])[0]) for _ in range(count)]


# --- when a part is compiled, and which way it takes ------------------------------------------------------------------


def test_a_part_runs_on_the_host_until_it_is_compiled(clock: Clock) -> None:
    part = part_of(lambda x: tf.exp(x), VECTOR)
    assert values(part, 5) == [1.0] * 5
    assert not part.is_compiled


def test_a_part_that_takes_too_little_time_is_never_compiled(clock: Clock) -> None:
    part = part_of(lambda x: tf.exp(x), VECTOR)
    clock.step = 1e-6
    values(part, 3)
    clock.step = 1.0
    part.compile_where_asked()
    assert values(part, 3) == [1.0] * 3
    assert part.choices()[0][0] == HOST


@pytest.mark.parametrize(("host_seconds", "xla_seconds", "winner"), [(3.0, 1.0, COMPILED), (1.0, 3.0, HOST)])
def test_the_faster_way_stays(clock: Clock, host_seconds: float, xla_seconds: float, winner: str) -> None:
    part = part_of(lambda x: tf.exp(x), VECTOR)
    values(part, 1)
    part.compile_where_asked()
    assert not part.is_committed
    seen = []
    for seconds in itertools.chain.from_iterable(
        itertools.repeat([host_seconds, host_seconds, xla_seconds, xla_seconds], 3)
    ):
        clock.step = seconds
        seen += values(part, 1)
    assert part.is_committed
    assert {1.0, 10.0} == set(seen[:4])
    assert set(values(part, 4)) == {10.0 if winner == COMPILED else 1.0}
    assert part.choices()[0] == (winner, {HOST: host_seconds, COMPILED: xla_seconds})


def test_each_set_of_shapes_has_a_way_of_its_own(clock: Clock) -> None:
    part = part_of(lambda x: tf.exp(x), VECTOR)
    values(part, 1, size=2)
    part.compile_where_asked()
    while not part.is_committed:
        values(part, 1, size=2)
    assert values(part, 3, size=5) == [1.0] * 3
    assert [choice for choice, _ in part.choices()] in (["numpy", "undecided"], ["xla", "undecided"])


def test_a_part_that_meets_ever_new_shapes_stays_on_the_host(clock: Clock) -> None:
    part = part_of(lambda x: tf.exp(x), VECTOR)
    for size in range(1, 100):
        values(part, 1, size=size)
    assert len(part.choices()) == compiled_parts._MAX_SPECIALIZATIONS


def test_what_the_compiler_does_not_take_stays_on_the_host(clock: Clock) -> None:
    class Refusing(FakeEngine):
        def compile(self, graph: OptimizedGraph) -> Program:
            raise tf.errors.InvalidArgumentError(None, None, "no")

    def missing() -> Any:
        raise ImportError("no compiler")

    for engine in (Refusing, missing, lambda: FakeEngine("sizes")):
        part = part_of(lambda x: tf.exp(x), VECTOR, engine=engine)
        values(part, 1)
        part.compile_where_asked()
        assert values(part, 3) == [1.0] * 3
        assert part.is_committed
        assert not part.is_compiled


def test_large_arguments_are_not_kept_until_a_part_is_compiled(clock: Clock) -> None:
    part = part_of(lambda x: tf.exp(x), VECTOR)
    large = np.zeros(100_000, np.float32)
    part(large)
    (asked,) = [case.asked for case in part._specializations.values()]
    assert asked is not None
    assert asked[0].shape == large.shape
    assert not np.shares_memory(asked[0], large)


# --- programs with parts ----------------------------------------------------------------------------------------------


def test_a_program_tells_whether_its_parts_are_settled(clock: Clock) -> None:
    f = Clustered(lambda x: tf.numpy_function(lambda a: a, [tf.exp(x) * 2.0], tf.float32), VECTOR)
    x = np.float32([0.0, 1.0])
    before = compilation_count()
    wanted = f(x)[0].tolist()
    assert (f.is_committed(), f.program.has_compiled_parts, compilation_count()) == (True, False, before)
    f.compile()
    assert compilation_count() == before + 1
    assert (f.is_committed(), f.program.has_compiled_parts) == (False, True)
    while not f.is_committed():
        assert f(x)[0].tolist() == pytest.approx(wanted)


def test_a_program_without_clusters_has_nothing_to_prepare() -> None:
    program = eager_engine().compile(optimize(tf.function(lambda x: x + 1.0).get_concrete_function(VECTOR).graph))
    assert (program.prepare, program.is_committed) == (None, None)


def test_an_error_in_a_part_names_the_users_operation(clock: Clock) -> None:
    f = Clustered(lambda x, y: tf.add(tf.exp(x), y, name="mine"), VECTOR, VECTOR)
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)Detected at node mine.*Incompatible shapes"):
            f(np.float32([1.0, 2.0]), np.float32([1.0, 2.0, 3.0]))
        f.compile()


def test_a_check_refuses_what_xla_would_not(clock: Clock) -> None:
    f = Clustered(lambda x, i: tf.exp(tf.gather(x, i, name="mine")) * 2.0, VECTOR, tf.TensorSpec([None], tf.int32))
    x = np.float32([1.0, 2.0, 3.0])
    f(x, np.int32([0, 2]))
    f.compile()
    for _ in range(6):
        f(x, np.int32([0, 2]))
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)node mine.*indices\[1\] = 3 is not in \[0, 3\)"):
            f(x, np.int32([0, 3]))


def test_a_check_does_not_move_a_variable_to_the_host(clock: Clock) -> None:
    v = tf.Variable(np.float32([1.0, 2.0, 3.0]))

    def step(i: Any) -> Any:
        y = tf.exp(tf.gather(v, i))
        v.assign_add(tf.exp(v) * 0.1)
        return y

    f = Clustered(step, tf.TensorSpec([None], tf.int32))
    for turn in range(8):
        f(np.int32([0, 2]))
        if turn == 0:
            f.compile()
    storage = f.concrete.captured_inputs[0]._eager_array[()]
    on_xla = storage.device is not None
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(np.int32([3]))
    assert (storage.device is not None) == on_xla


def test_a_variable_without_a_value_is_what_it_was_on_the_host(clock: Clock) -> None:
    v = tf.Variable(np.float32([1.0, 2.0]))

    def step(x: Any) -> Any:
        return tf.exp(x) * v

    f = Clustered(step, VECTOR)
    x = np.float32([1.0, 2.0])
    f(x)
    f.compile()
    tf.raw_ops.DestroyResourceOp(resource=v.handle)
    for _ in range(4):
        with pytest.raises(tf.errors.FailedPreconditionError, match="Detected at node"):
            f(x)


# --- on random graphs -------------------------------------------------------------------------------------------------


@pytest.fixture
def always_xla(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    """Lets XLA win every trial at once."""

    def settle_and_run(case: Any, *arguments: Any) -> Any:
        case.commit(COMPILED)
        return case.run(*arguments)

    monkeypatch.setattr(compiled_parts._PartSpecialization, "_run_trial", settle_and_run)


def shown(random: RandomGraph, program: Program) -> dict[str, Any]:
    """What two runs show to the world; between the two the parts are compiled."""
    found: dict[str, Any] = {}
    for turn in range(2):
        arguments = random.reset()
        try:
            with np.errstate(all="ignore"):
                found[f"results {turn}"] = [np.asarray(r) for r in program.run(*arguments)]
        except tf.errors.OpError as error:
            found[f"error {turn}"] = type(error), str(error)
        found[f"variables {turn}"] = [v.numpy() for v in random.variables]
        found[f"log {turn}"] = list(random.log)
        if turn == 0 and program.prepare is not None:
            program.prepare(arguments)()
    return found


@pytest.mark.parametrize("strategy", ClusterStrategy)
def test_parts_on_xla_change_neither_values_nor_errors_nor_effects(strategy: ClusterStrategy, always_xla: None) -> None:
    for seed in range(25):
        random = RandomGraph(seed)
        wanted = shown(random, eager_engine().compile(optimize(random.graph)))
        graph = cluster_graph(optimize(random.graph), strategy)
        if graph is not None:
            found = shown(random, eager_engine().compile(graph))
            assert found.keys() == wanted.keys(), seed
            for key, value in wanted.items():
                assert_alike(found[key], value, f"seed {seed}: {key}")


def assert_alike(found: Any, wanted: Any, where: str) -> None:
    if isinstance(wanted, Sequence) and wanted and isinstance(wanted[0], np.ndarray):
        for one, other in zip(found, wanted, strict=True):
            assert (one.dtype, one.shape) == (other.dtype, other.shape), where
            np.testing.assert_allclose(one, other, rtol=2e-4, atol=1e-5, err_msg=where)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), where  # the numbers in it are rounded in another way
    else:
        assert found == wanted, where

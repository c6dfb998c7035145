"""The number of cores that the program uses."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from millrace._src.data.parallel_functions import ParallelFunction
from millrace._src.util import blas_threads, cores
from millrace._src.util.cores import machine_cores, read_cores, set_usable_cores, usable_cores
from millrace._src.util.thread_pool import thread_count


@pytest.fixture(autouse=True)
def cores_are_left_as_they_were() -> Iterator[None]:
    before = set_usable_cores(0)
    yield
    set_usable_cores(before)
    blas_threads._threads.cache_clear()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a thread choose its cores")
def test_the_cores_of_the_thread_count() -> None:
    allowed = os.sched_getaffinity(0)
    assert usable_cores() == machine_cores() == len(allowed)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert usable_cores() == thread_count() == 1
    finally:
        os.sched_setaffinity(0, allowed)


def test_where_cores_cannot_be_chosen_all_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert usable_cores() == os.cpu_count()


def test_everything_uses_the_number_that_is_set() -> None:
    import numpy as np

    np.ones((2, 2)) @ np.ones((2, 2))  # loads the library whose threads are counted
    library = blas_threads._threads()._get_count()
    for count in (1, 2, 4, 8):
        set_usable_cores(count)
        blas_threads._threads.cache_clear()
        assert usable_cores() == thread_count() == count
        assert blas_threads._threads().choice.most == min(library, count)
        calls = ParallelFunction(None, None, -1, True, False)._calls  # type: ignore[arg-type]  # runs nothing
        assert calls == count


def test_one_core_keeps_a_product_on_one_thread_of_a_library_that_has_several() -> None:
    counts: list[int] = []
    library = [4]
    threads = blas_threads.ProductThreads(1, lambda: library[0], lambda count: library.__setitem__(0, count))
    assert not threads.has_no_choice
    for _ in range(3):
        threads.run(lambda: counts.append(library[0]), 1 << 22, "shapes")
    assert counts == [1, 1, 1] and library == [4]


def test_a_number_that_is_not_positive_is_refused() -> None:
    assert read_cores({}) == read_cores({"MILLRACE_CORES": ""}) == 0
    assert read_cores({"MILLRACE_CORES": "6"}) == 6
    for text in ("0", "-1", "two", "1.5"):
        with pytest.raises(ValueError, match=f"MILLRACE_CORES is a number of cores, 1 or more; received '{text}'"):
            read_cores({"MILLRACE_CORES": text})


def test_the_environment_sets_the_number() -> None:
    program = "from millrace._src.util.thread_pool import thread_count; print(thread_count())"
    environment = {**os.environ, "MILLRACE_CORES": "7", "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True
    )
    assert result.stdout == "7\n"


def test_no_other_module_counts_cores() -> None:
    sources = Path(cores.__file__).parents[1]
    counting = re.compile(r"sched_getaffinity|cpu_count\(")
    found = [
        path.relative_to(sources).as_posix() for path in sources.rglob("*.py") if counting.search(path.read_text())
    ]
    assert sorted(found) == ["explain/doctor.py", "util/cores.py"]  # the doctor names the machine's cores too


def test_background_work_leaves_one_core_at_least_and_a_fork_has_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores._CoresSetting, "reserved", 0)
    before = cores.set_usable_cores(4)
    try:
        with cores.reserved_core():
            assert [cores.at_most_free_cores(count) for count in (1, 2, 3, 4, 8)] == [1, 2, 3, 3, 3]
            with cores.reserved_core(), cores.reserved_core(), cores.reserved_core(), cores.reserved_core():
                assert cores.at_most_free_cores(4) == 1
            cores.forget_reserved_cores()
            assert cores.at_most_free_cores(4) == 4
        assert [cores.at_most_free_cores(count) for count in (4, 8)] == [4, 8]
    finally:
        cores.set_usable_cores(before)

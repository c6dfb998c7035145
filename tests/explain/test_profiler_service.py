"""Profiles that another program asks for; both ends are in this process."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.explain import profiler_service
from millrace._src.proto import profiler_service_pb2, xplane_pb2

pytest.importorskip("grpc")
client, server = tf.profiler.experimental.client, tf.profiler.experimental.server


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("localhost", 0))
        return int(one.getsockname()[1])


@pytest.fixture
def port() -> Iterator[int]:
    number = free_port()
    server.start(number)
    yield number
    profiler_service._servers.pop().stop(0)


@pytest.fixture
def busy() -> Iterator[None]:
    """Runs ops in another thread."""
    is_over = threading.Event()
    x = tf.ones([8, 8])
    tf.matmul(x, x)  # imports what the first op imports

    def work() -> None:
        while not is_over.is_set():
            tf.matmul(x, x)

    thread = threading.Thread(target=work)
    thread.start()
    yield
    is_over.set()
    thread.join()


def test_a_program_writes_the_profile_that_is_asked_for(port: int, busy: None, tmp_path: Path) -> None:
    client.trace(f"grpc://localhost:{port}", str(tmp_path), 30, num_tracing_attempts=1)
    (file,) = tmp_path.glob("plugins/profile/*/*.xplane.pb")
    assert file.name == f"localhost_{port}.xplane.pb"
    space = xplane_pb2.XSpace.FromString(file.read_bytes())
    assert "MatMul:MatMul" in {m.name for plane in space.planes for m in plane.event_metadata.values()}


def test_a_program_in_which_nothing_runs_has_nothing_to_tell(port: int, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="UNAVAILABLE: No trace event was collected"):
        client.trace(f"localhost:{port}", str(tmp_path), 5, num_tracing_attempts=2)


def test_no_server_answers_on_a_port_without_a_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError, match="UNAVAILABLE: No trace event was collected"):
        client.trace(f"localhost:{free_port()}", str(tmp_path), 5, num_tracing_attempts=1)
    assert capsys.readouterr().out == "Starting to trace for 5 ms. Remaining attempt(s): 0\n"


def test_arguments_are_checked(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="duration_ms must be greater than zero"):
        client.trace("localhost:1", str(tmp_path), 0)
    for address in ("", "localhost", "localhost:x"):
        with pytest.raises(RuntimeError, match="as a host-port pair"):
            client.trace(address, str(tmp_path), 5)
        with pytest.raises(RuntimeError, match="as a host-port pair"):
            client.monitor(address, 5)
    with pytest.raises(tf.errors.UnimplementedError, match="TPUs alone"):
        client.monitor("localhost:1", 5)


def test_a_port_in_use_is_an_error(port: int) -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        with pytest.raises(tf.errors.UnavailableError, match="cannot listen on port"):
            server.start(one.getsockname()[1])


def test_the_session_ends_where_the_wait_is_interrupted(tmp_path: Path) -> None:
    def interrupted(seconds: float) -> Any:
        raise KeyboardInterrupt

    request = profiler_service_pb2.ProfileRequest(duration_ms=5, repository_root=str(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        profiler_service._answer(request, None, interrupted)
    assert list(tmp_path.iterdir()) == []

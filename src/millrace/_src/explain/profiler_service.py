"""`tf.profiler.experimental.server` and `client`: profiles of a program that another program asks for.

The two talk as TensorFlow's do, so the button "Capture profile" of TensorBoard works too: one call of gRPC says for how
long, and where the program that is profiled writes its file. gRPC comes with the extra `tensorboard`.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent import futures
from typing import Any

from millrace._src.core import errors
from millrace._src.explain.profiler import ProfilerOptions, ProfilerSession
from millrace._src.explain.xplane import xspace_of
from millrace._src.ops.io import gfile
from millrace._src.ops.io.whole_writes import atomic_write
from millrace._src.proto import profiler_service_pb2
from millrace._src.util.export import export
from millrace._src.util.lazy_import import import_optional

_SERVICE = "tensorflow.ProfilerService"
_PROFILE = f"/{_SERVICE}/Profile"
_NOTHING = (
    "UNAVAILABLE: No trace event was collected because there were no responses from clients or the responses did not "
    "have trace data."
)
_SECONDS_TO_ANSWER = 60.0
"""How long after the end of a profile the answer may come."""

_servers: list[Any] = []
"""The servers that run: for as long as the process does, as in TensorFlow."""


def _grpc(caller: str) -> Any:
    return import_optional("grpc", caller, "tensorboard")


# --- the program that is profiled --------------------------------------------------------------------------------


@export("profiler.experimental.server.start", v1=[])
def start_server(port: int) -> None:
    """Lets other programs ask for profiles of this one, until the process ends.

    Any program that can reach the port can have files written; the server listens on this machine alone.

    Args: port: the port.
    Raises:
      tf.errors.UnavailableError: if nothing can listen on the port.
      ModuleNotFoundError: if gRPC is not installed.
    """
    grpc = _grpc("tf.profiler.experimental.server.start")
    server = grpc.server(futures.ThreadPoolExecutor(1))
    handler = grpc.unary_unary_rpc_method_handler(
        _answer,
        request_deserializer=profiler_service_pb2.ProfileRequest.FromString,
        response_serializer=profiler_service_pb2.ProfileResponse.SerializeToString,
    )
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(_SERVICE, {"Profile": handler}),))
    try:
        bound = server.add_insecure_port(f"127.0.0.1:{port}")
    except RuntimeError as error:  # the class that gRPC raises for a port in use
        raise errors.UnavailableError(None, None, f"The profiler cannot listen on port {port}: {error}") from None
    if not bound:
        raise errors.UnavailableError(None, None, f"The profiler cannot listen on port {port}.")
    server.start()
    _servers.append(server)


def _answer(request: Any, context: object, wait: Callable[[float], None] = time.sleep) -> Any:
    """Profiles the program for as long as a request asks, and writes the file."""
    given = request.opts
    session = ProfilerSession(ProfilerOptions(given.host_tracer_level or 2, given.python_tracer_level))
    session.start()
    try:
        wait(request.duration_ms / 1000)
    finally:
        profile = session.stop()
    if not profile.events:
        return profiler_service_pb2.ProfileResponse(empty_trace=True)
    folder = os.path.join(request.repository_root, request.session_id)
    gfile.makedirs(folder)
    name = f"{request.host_name.replace(':', '_')}.xplane.pb"
    with atomic_write(os.path.join(folder, name)) as file:
        file.write(xspace_of(profile).SerializeToString())
    return profiler_service_pb2.ProfileResponse()


# --- the program that asks ---------------------------------------------------------------------------------------


@export("profiler.experimental.client.trace", v1=[])
def trace(
    service_addr: str,
    logdir: str,
    duration_ms: int,
    worker_list: str = "",
    num_tracing_attempts: int = 3,
    options: ProfilerOptions | None = None,
) -> None:
    """Asks other programs for profiles, which they write below a folder.

    Args:
      service_addr: the addresses of the programs, as "grpc://localhost:6009,grpc://localhost:6010".
      logdir: the folder, which the programs must be able to write to.
      duration_ms: for how long.
      worker_list: further addresses.
      num_tracing_attempts: how often to ask before giving up.
      options: a `tf.profiler.experimental.ProfilerOptions`.

    Raises:
      tf.errors.InvalidArgumentError: if the duration is not positive.
      RuntimeError: if an address cannot be read, or no program answers with events.
      ModuleNotFoundError: if gRPC is not installed.
    """
    if duration_ms <= 0:
        raise errors.InvalidArgumentError(None, None, "duration_ms must be greater than zero.")
    addresses = [_address(text) for text in f"{service_addr},{worker_list}".rstrip(",").split(",")]
    for remaining in reversed(range(max(num_tracing_attempts, 1))):
        sys.stdout.write(f"Starting to trace for {duration_ms} ms. Remaining attempt(s): {remaining}\n")
        if _ask(addresses, logdir, duration_ms, options or ProfilerOptions()):
            return
    raise RuntimeError(_NOTHING)


def _address(text: str) -> str:
    address = text.removeprefix("grpc://")
    if not address.rpartition(":")[0] or not address.rpartition(":")[2].isdigit():
        raise RuntimeError(f'INVALID_ARGUMENT: Could not interpret "{text}" as a host-port pair.')
    return address


def _ask(addresses: list[str], logdir: str, duration_ms: int, options: ProfilerOptions) -> bool:
    """Asks all programs at once; returns whether one has collected events."""
    grpc = _grpc("tf.profiler.experimental.client.trace")
    session_id = time.strftime("%Y_%m_%d_%H_%M_%S")
    calls = []
    for address in addresses:
        request = profiler_service_pb2.ProfileRequest(
            duration_ms=duration_ms,
            repository_root=os.path.join(logdir, "plugins", "profile"),
            session_id=session_id,
            host_name=address,
        )
        request.opts.host_tracer_level = options.host_tracer_level
        request.opts.python_tracer_level = options.python_tracer_level
        request.opts.device_tracer_level = options.device_tracer_level
        channel = grpc.insecure_channel(address)
        method = channel.unary_unary(
            _PROFILE,
            request_serializer=profiler_service_pb2.ProfileRequest.SerializeToString,
            response_deserializer=profiler_service_pb2.ProfileResponse.FromString,
        )
        calls.append((channel, method.future(request, timeout=duration_ms / 1000 + _SECONDS_TO_ANSWER)))
    has_events = False
    for channel, call in calls:
        error = call.exception()
        has_events |= error is None and not call.result().empty_trace
        channel.close()
    return has_events


@export("profiler.experimental.client.monitor", v1=[])
def monitor(service_addr: str, duration_ms: int, level: int = 1) -> str:
    """Refuses to ask a program for a summary: programs outside of TPUs have none to give, those of TensorFlow neither.

    Args:
      service_addr: the address of the program.
      duration_ms: for how long.
      level: how much is told.

    Raises:
      RuntimeError: if the address cannot be read.
      tf.errors.UnimplementedError: else.
    """
    _address(service_addr)
    message = "tf.profiler.experimental.client.monitor is answered by TPUs alone; `trace` asks for a profile."
    raise errors.UnimplementedError(None, None, message)

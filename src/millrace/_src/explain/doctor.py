"""What a machine and an installation offer to Millrace, and what is missing and why.

Each part of the report is a function that finds out one thing and never fails: what goes wrong is what the report is
about. The XLA engine says itself what JAX is and sees.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from millrace._src.core.runtime_options import get_inter_op_parallelism_threads, get_intra_op_parallelism_threads
from millrace._src.engines.accelerators import find_drivers
from millrace._src.engines.engine_table import compiling_engine, has_compiler
from millrace._src.util.cores import usable_cores
from millrace._src.util.onednn import library as onednn
from millrace._src.util.thread_pool import thread_count
from millrace._src.util.version import __version__


class Package(NamedTuple):
    """A package that Millrace uses.

    Attributes:
      name: the name under which it is installed.
      purpose: what it is for.
      extra: the extra that brings it; None for what is always installed.
    """

    name: str
    purpose: str
    extra: str | None = None


PACKAGES = (
    Package("numpy", "arrays, and the first engine"),
    Package("scipy", "special functions"),
    Package("ml-dtypes", "bfloat16, float8, int4"),
    Package("protobuf", "graphs, SavedModels, event files"),
    Package("google-crc32c", "checksums of records and checkpoints"),
    Package("threadpoolctl", "threads of the BLAS library"),
    Package("jax", "compiling with XLA, and GPUs", "xla"),
    Package("jaxlib", "XLA itself", "xla"),
    Package("keras", "tf.keras", "keras"),
    Package("tensorboard", "looking at event files and profiles", "tensorboard"),
    Package("pillow", "GIF, BMP, WebP and other images", "image"),
    Package("simplejpeg", "JPEG images with TensorFlow's pixels", "image"),
    Package("pillow-jxl-plugin", "JPEG XL images", "image"),
    Package("onnx", "models of ONNX", "onnx"),
    Package("fsspec", "files that are far away (s3://, gs://)", "remote"),
    Package("onednn-cpu-gomp", "fast convolutions and products", "onednn"),
    Package("absl-py", "tf.compat.v1.app.flags", "v1"),
)

VARIABLES = {
    "MILLRACE_TIER": 'which engine runs functions: "numpy", "xla" or "auto"',
    "MILLRACE_TIER_WAIT": '"1": calls wait for the compiler',
    "MILLRACE_TIER_THRESHOLD": "seconds of calls after which a function is compiled",
    "MILLRACE_TIER_CHOICE": "how thoroughly engines are compared",
    "MILLRACE_CORES": "how many cores threads, datasets and products count on",
    "MILLRACE_COMPILE_CACHE": "the folder of compiled functions; 0: none",
    "MILLRACE_ONEDNN": "the file of the oneDNN library; empty: none",
    "CUDA_VISIBLE_DEVICES": "which NVIDIA GPUs the process sees; empty or -1: none",
    "JAX_PLATFORMS": "which devices JAX looks for, in this order",
    "XLA_FLAGS": "settings of XLA",
    "XLA_PYTHON_CLIENT_PREALLOCATE": '"true": JAX takes most of the GPU\'s memory at its start',
    "XLA_PYTHON_CLIENT_MEM_FRACTION": "how much of the GPU's memory JAX may take",
    "OMP_NUM_THREADS": "threads of BLAS and oneDNN",
    "OPENBLAS_NUM_THREADS": "threads of OpenBLAS",
    "MKL_NUM_THREADS": "threads of MKL",
    "TF_CPP_MIN_LOG_LEVEL": "what XLA writes to the screen",
    "XDG_CACHE_HOME": "the folder in which caches are",
}
"""The environment variables that change what Millrace does, with their meanings."""


def diagnosis() -> dict[str, Any]:
    """Returns the whole report: dicts, lists, texts, numbers and None."""
    return {
        "versions": versions(),
        "devices": devices(),
        "processor": processor(),
        "libraries": libraries(),
        "packages": packages(),
        "variables": variables(os.environ),
    }


def versions() -> dict[str, Any]:
    """Returns the versions of Millrace, Python and the system."""
    return {
        "millrace": __version__,
        "python": platform.python_version(),
        "executable": sys.executable,
        "system": platform.platform(),
        "folder": str(Path(__file__).parents[2]),
    }


def packages(version_of: Callable[[str], str] = importlib.metadata.version) -> list[dict[str, Any]]:
    """Returns the packages that Millrace uses: name, version (None: not installed), purpose, and how to get it."""
    rows = []
    for package in PACKAGES:
        try:
            version: str | None = version_of(package.name)
        except importlib.metadata.PackageNotFoundError:
            version = None
        advice = "" if version or package.extra is None else f"pip install 'millrace[{package.extra}]'"
        rows.append({"name": package.name, "version": version, "purpose": package.purpose, "advice": advice})
    return rows


def processor() -> dict[str, Any]:
    """Returns the processor, its cores, and the threads that share the work of large ops."""
    return {
        "name": _processor_name(),
        "cores": os.cpu_count(),
        "usable cores": usable_cores(),
        "threads of a large op": thread_count(),
        "intra_op_parallelism_threads": get_intra_op_parallelism_threads(),
        "inter_op_parallelism_threads": get_inter_op_parallelism_threads(),
    }


def _processor_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith(("model name", "Model"))]
    return names[0] if names else platform.machine()


def libraries() -> list[dict[str, Any]]:
    """Returns the libraries of kernels: those that threadpoolctl knows, and oneDNN."""
    import numpy as np  # loads the BLAS library, which threadpoolctl then finds
    import threadpoolctl  # only the doctor and large products ask for threads

    np.ones(1) @ np.ones(1)
    rows = [
        {
            "name": info.get("internal_api"),
            "version": info.get("version"),
            "threads": info.get("num_threads"),
            "file": info.get("filepath"),
        }
        for info in threadpoolctl.threadpool_info()
    ]
    return [*rows, _onednn()]


def _onednn() -> dict[str, Any]:
    library = onednn.load()
    if library is None:
        looked_at = ", ".join(onednn.candidates()) or "nowhere: MILLRACE_ONEDNN is empty, or the system has none"
        return {"name": "onednn", "version": None, "threads": None, "file": f"not found (looked at {looked_at})"}
    return {"name": "onednn", "version": ".".join(map(str, library.version)), "threads": None, "file": library.path}


def devices() -> list[dict[str, Any]]:
    """Returns the devices that were found, and for each kind of accelerator that was not, why."""
    found = [{"name": "/physical_device:CPU:0", "kind": "CPU", "details": "NumPy and XLA run here"}]
    if not has_compiler():
        return [*found, _missing("JAX, which drives GPUs and TPUs, is not installed: pip install 'millrace[xla]'")]
    try:
        facts = compiling_engine().facts()
    except Exception as error:  # whatever keeps JAX from starting is what the user wants to know
        return [*found, _missing(f"JAX cannot be used: {type(error).__name__}: {error}")]
    accelerators = facts["accelerators"]
    numbers: dict[str, int] = {}
    for accelerator in accelerators:
        number = numbers.setdefault(accelerator["kind"], 0)
        numbers[accelerator["kind"]] += 1
        name = f"/physical_device:{accelerator['kind']}:{number}"
        found.append({"name": name, "kind": accelerator["kind"], "details": accelerator["details"]})
    if not accelerators:
        found.append(_missing(_why_none(facts, os.environ)))
    found.append({"name": "XLA", "kind": "compiler", "details": facts["compiler"]})
    return found


def _missing(reason: str) -> dict[str, Any]:
    return {"name": "no accelerator", "kind": "GPU", "details": reason}


def _why_none(facts: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """Returns why JAX sees no accelerator, as far as that can be told."""
    cards = nvidia_cards()
    there = f"the system has {cards} NVIDIA GPU{'s' * (cards != 1)}, but " if cards else ""
    if environment.get("CUDA_VISIBLE_DEVICES", "0") in ("", "-1"):
        return f"{there}CUDA_VISIBLE_DEVICES={environment['CUDA_VISIBLE_DEVICES']!r} hides all GPUs"
    if environment.get("JAX_PLATFORMS") == "cpu":
        return f"{there}JAX_PLATFORMS=cpu makes JAX look for no other device"
    drivers = find_drivers()
    if not drivers:
        return f"{there}no package with a driver for JAX is installed: pip install 'jax[cuda12]' for NVIDIA GPUs"
    if facts["error"]:
        return f"{there}the driver of {', '.join(drivers)} failed: {facts['error']}"
    return f"{there or 'no card was found; '}the driver package {', '.join(drivers)} offers no device"


def nvidia_cards(folder: str = "/proc/driver/nvidia/gpus") -> int:
    """Returns how many NVIDIA GPUs the kernel's driver knows."""
    try:
        return len(os.listdir(folder))
    except OSError:
        return 0


def variables(environment: Mapping[str, str]) -> list[dict[str, Any]]:
    """Returns the environment variables that are set and change what Millrace does."""
    return [
        {"name": name, "value": environment[name], "meaning": meaning}
        for name, meaning in VARIABLES.items()
        if name in environment
    ]

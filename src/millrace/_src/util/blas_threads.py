"""How many threads NumPy's BLAS library uses for a product of matrices.

A product that is too small to share runs on one thread. A larger product runs once on one thread, to be timed; later
products of the same shapes run on as many threads as pay (`util.thread_choice`). The setting counts for the one product
only: calls of NumPy by the program keep the threads that the program chose, and a product has no more than these.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from millrace._src.util.cores import usable_cores
from millrace._src.util.lazy_import import new_variables_removed
from millrace._src.util.thread_choice import ThreadChoice
from millrace._src.util.thread_pool import is_inside, run_in_parallel

SINGLE = 1 << 18
"""The multiplications up to which a BLAS library computes a product on one thread by itself."""
_WORTH_SHARING = 1 << 21
"""The multiplications from which more threads may pay."""
_WORTH_CHOOSING = 1 << 20
"""The multiplications from which the choice of a library may pay: some tens of microseconds."""
_MAX_SHAPES = 512


class ProductThreads:
    """Chooses the number of threads of each product, and learns from the time that the product takes.

    Args:
      most: the most threads for a product.
      get_count: returns the number of threads that the library uses.
      set_count: sets this number.
      clock: returns the time in seconds.
    """

    def __init__(
        self,
        most: int,
        get_count: Callable[[], int],
        set_count: Callable[[int], Any],
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.choice = ThreadChoice(most, clock)
        self._get_count, self._set_count = get_count, set_count
        self.has_no_choice = most == get_count() == 1
        """Whether the library has one thread."""
        self._clock = clock
        self._lock = threading.Lock()
        self._running = 0
        """How many products run; there are several where threads call."""
        self._chosen = self._current = most
        """The numbers that the program chose and that the library uses, while products run."""
        self._alone: dict[Any, float] = {}
        """The least time on one thread of the products of some shapes."""

    def run(self, product: Callable[[], Any], work: int, shapes: Any) -> Any:
        """Computes a product.

        Args:
          product: computes the product.
          work: the number of its multiplications.
          shapes: tells products of equal cost, by the shapes and dtypes of the matrices.

        Returns: What `product` returns.
        """
        is_shared = work >= _WORTH_SHARING and shapes in self._alone
        start = self._clock()
        count = self._enter(self.choice.count_at(start) if is_shared else 1)
        try:
            return product()
        finally:
            seconds = self._clock() - start
            self._leave()
            if count > 1:
                self.choice.judge(seconds, self._alone.get(shapes, seconds), start)
            elif work >= _WORTH_SHARING:
                self._note_alone(shapes, seconds)

    @contextmanager
    def on_one_thread(self) -> Iterator[None]:
        """Lets the library compute each product on the thread that asks for it."""
        self._enter(1)
        try:
            yield
        finally:
            self._leave()

    def _enter(self, count: int) -> int:
        """Sets the number of threads for a product, at most the number that the program chose; returns the number."""
        with self._lock:
            if not self._running:
                self._chosen = self._current = self._get_count()
            self._running += 1
            count = min(count, self._chosen)
            self._use(count)
        return count

    def _leave(self) -> None:
        """Gives the library the number of threads that the program chose, once no product runs."""
        with self._lock:
            self._running -= 1
            if not self._running:
                self._use(self._chosen)

    def _use(self, count: int) -> None:
        if count != self._current:
            self._current = count
            self._set_count(count)

    def _note_alone(self, shapes: object, seconds: float) -> None:
        if len(self._alone) >= _MAX_SHAPES:
            self._alone.clear()
        self._alone[shapes] = min(seconds, self._alone.get(shapes, seconds))


@functools.cache
def _threads() -> ProductThreads:
    """Returns the threads of NumPy's BLAS library, which has to be loaded; one thread if there is no such library."""
    with new_variables_removed():
        from threadpoolctl import ThreadpoolController  # only large products need it

    controllers = ThreadpoolController().select(user_api="blas").lib_controllers
    if not controllers:
        return ProductThreads(1, lambda: 1, lambda count: None)

    def set_count(count: int) -> None:
        for controller in controllers:
            controller.set_num_threads(count)

    get_count = controllers[0].get_num_threads
    return ProductThreads(min(get_count(), usable_cores()), get_count, set_count)


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_threads.cache_clear)  # a product may run in a thread that the child has not


def large_product(product: Callable[..., Any], a: Any, b: Any, out: object = None) -> Any:
    """Returns `product(a, b)`, computed by the library and on the number of threads that suit the product.

    Worth the call where `a.size * b.shape[-1] > SINGLE`; smaller products need no choice.

    Args:
      product: `numpy.dot` for matrices, or `numpy.matmul`.
      a: a matrix, or a stack of matrices.
      b: a matrix, or a stack of matrices, that can be multiplied with `a`.
      out: the array for the result, if there is one.
    """
    return _choose_product()(product, a, b, out) if has_choice(a, b) else blas_product(product, a, b, out)


def has_choice(a: Any, b: Any) -> bool:
    """Returns whether several libraries may compute a product."""
    return a.size * b.shape[-1] >= _WORTH_CHOOSING and a.dtype.char == b.dtype.char == "f"


@functools.cache
def _choose_product() -> Callable[..., Any]:
    from millrace._src.util.product_kernels import choose_product  # only large products need it

    return choose_product


def blas_product(product: Callable[..., Any], a: Any, b: Any, out: object = None) -> Any:
    """Returns `product(a, b)`, computed by NumPy's BLAS library; the arguments are those of `large_product`."""
    threads = _threads()
    work = a.size * (b.shape[-1] if b.ndim > 1 else 1)
    if threads.has_no_choice or work <= SINGLE or is_inside():
        return product(a, b) if out is None else product(a, b, out=out)
    options = {} if out is None else {"out": out}
    return threads.run(lambda: product(a, b, **options), work, (a.shape, b.shape, a.dtype.char))


def product_on_one_thread(product: Callable[..., Any], a: Any, b: Any, out: object = None) -> Any:
    """Returns what `blas_product` returns, computed on the thread that calls."""
    options = {} if out is None else {"out": out}
    if is_inside() or _threads().has_no_choice:
        return product(a, b, **options)
    with _threads().on_one_thread():
        return product(a, b, **options)


def products_in_parallel(count: int, work: Callable[[int], Any]) -> None:
    """Does what `run_in_parallel` does, for parts that multiply matrices: each product stays on the thread of its part.

    Args:
      count: the number of parts.
      work: runs the part of a number.
    """
    if count > 1:
        with _threads().on_one_thread():
            run_in_parallel(count, work)
    elif count:
        work(0)

"""Lets calculations of oneDNN run on a stated number of threads, however short they are."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from millrace._src.util.autotuning import are_choices_fixed, fix_choices
from millrace._src.util.onednn import threads
from millrace._src.util.thread_choice import ThreadChoice
from millrace._src.util.thread_pool import set_thread_count


@contextlib.contextmanager
def on_threads(count: int) -> Iterator[None]:
    """Runs calculations on so many threads, from the first call on."""
    before = are_choices_fixed()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "_choice", lambda: ThreadChoice(count))
        set_thread_count(count)
        fix_choices(True)
        try:
            yield
        finally:
            fix_choices(before)
            set_thread_count(0)

"""The output of `saved_model_cli` in one form: what TensorFlow writes in another order each time is put in order."""

from __future__ import annotations

import itertools
import re

_SET = re.compile(r"(denylisted ops|following ops): \{(.*)\}")
_NAMED = re.compile(r"(?:        Named Argument #\d+\n          .*\n)+")


def canonical(text: str) -> str:
    """Puts sets of ops, runs of named arguments, and the keys of dictionaries in order."""
    text = _SET.sub(lambda match: f"{match[1]}: {{{', '.join(sorted(match[2].split(', ')))}}}", text)
    text = _NAMED.sub(_sorted_arguments, text)
    return "".join(_dictionary_in_order(line) for line in text.splitlines(keepends=True))


def _sorted_arguments(match: re.Match[str]) -> str:
    """A function without positional arguments has no heading: the numbers tell where its next trace begins."""
    names, runs = match[0].splitlines()[1::2], match[0].splitlines()[::2]
    starts = [index for index, line in enumerate(runs) if line.endswith(" #1")] + [len(runs)]
    ordered = [sorted(names[start:stop]) for start, stop in itertools.pairwise(starts)]
    return "".join(
        f"        Named Argument #{number}\n{name}\n" for run in ordered for number, name in enumerate(run, start=1)
    )


def _dictionary_in_order(line: str) -> str:
    """A line with a dictionary becomes its characters in order: all keys and values, but not their order."""
    return "".join(sorted(line.strip())) + "\n" if line.startswith("          Value: {") else line

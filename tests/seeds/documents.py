"""Code cells of the seed documents: Markdown fences and notebook dumps, with the output printed after each.

A cell is judged by what it needs. Those that need only eager tensors, `tf.function`, variables and modules can run; the
rest, and cells that use names defined by the rest, name their reason.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parents[2].parent / "shared" / "seeds"

_SLIPS = {
    "pritn(": "print(",
    "tf.random.normal((3, 3)\n": "tf.random.normal((3, 3))\n",
    "tf.saved_model(": "tf.saved_model.save(",
}
_NEEDS = (
    ("keras", re.compile(r"keras|SequentialModel|model\.(fit|compile|summary)")),
    ("downloads", re.compile(r"tfds")),
    ("TensorFlow 1", re.compile(r"tf\.(Session|placeholder|ConfigProto|enable_eager_execution)")),
    ("summaries", re.compile(r"tf\.summary|logdir|%\w+|sabed_model")),
    ("fragments", re.compile(r"\.\.\.\s*[,):]|MyModel\(")),
)


class Cell(NamedTuple):
    """A block of code and the text the document shows below it ('' if none)."""

    code: str
    output: str


def document(number: str) -> str:
    """The text of a seed document by the first digits of its file name."""
    (path,) = FOLDER.glob(f"{number}_*.txt")
    return path.read_text(encoding="utf-8")


def cells(text: str) -> list[Cell]:
    """The Python cells of a document in order."""
    found = _notebook_cells(text) if re.search(r"^In \[", text, re.MULTILINE) else _fenced_cells(text)
    return [Cell(_without_slips(cell.code), cell.output) for cell in found]


def missing_need(code: str) -> str | None:
    """What the code needs that a plain run does not offer, or None."""
    for need, pattern in _NEEDS:
        if pattern.search(code):
            return need
    return "fragments" if _parsed(code) is None else None


def runnable(found: list[Cell]) -> Iterator[tuple[Cell, str | None]]:
    """Pairs every cell with the reason why it cannot run, None if it can."""
    unavailable: set[str] = set()
    for cell in found:
        reason = missing_need(cell.code)
        defined, used = _names(cell.code)
        if reason is None and used & unavailable:
            reason = f"uses {', '.join(sorted(used & unavailable))}"
        if reason is None:
            unavailable -= defined
        else:
            unavailable |= defined
        yield cell, reason


def _without_slips(code: str) -> str:
    for wrong, right in _SLIPS.items():
        code = code.replace(wrong, right)
    return code


def _fenced_cells(text: str) -> Iterator[Cell]:
    blocks = re.findall(r"^```(\w*)[ \t]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    for (kind, code), (next_kind, output) in itertools.zip_longest(blocks, blocks[1:], fillvalue=("python", "")):
        if kind == "python":
            yield Cell(code, "" if next_kind else output)


def _notebook_cells(text: str) -> Iterator[Cell]:
    for body in re.split(r"^In \[[^\]]*\]:\n", text, flags=re.MULTILINE)[1:]:
        paragraphs = re.split(r"\n\s*\n", body)
        code = ""
        while paragraphs and _continues(code, paragraphs[0]):
            code += paragraphs.pop(0) + "\n\n"
        output: list[str] = []
        while paragraphs and not re.match(r"\s*(<br>|<font|#|`|[^\x00-\x7f]|In \[|Observe|$)", paragraphs[0]):
            output.append(paragraphs.pop(0))
        yield Cell(code, "\n".join(output))


def _continues(code: str, paragraph: str) -> bool:
    """Whether `paragraph` is still code of the cell: it parses, and is neither a heading nor a printed value."""
    if re.match(r"\s*(##|<|array\(|tf\.Tensor\(|[^\x00-\x7f])", paragraph):
        return False
    return _parsed(code + paragraph + "\n") is not None


def _parsed(code: str) -> ast.Module | None:
    try:
        return ast.parse(code)
    except SyntaxError:
        return None


def _names(code: str) -> tuple[set[str], set[str]]:
    """The names a cell binds at its top level, and those it reads."""
    tree = _parsed(code)
    if tree is None:
        return set(), set()
    defined: set[str] = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            defined.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
            defined |= {name.id for name in names if isinstance(name.ctx, ast.Store)}
    loads = {part.id for part in ast.walk(tree) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    return defined, loads - defined

"""What a page of documentation names: files, what they define, other pages.

Pages write a path below `src/millrace/_src` (`core/execute.py`), below `src/millrace`, `docs`, or the root of the
repository (`tests/formats/`). A path may leave out folders that the page has named before, in a table those that its
row has named: `background_compiler.py` after `engines/tiers.py`.
`core/op_def.py: Traits` also says that the file defines the name, at its top level or, as `Class.method`, in a
class.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "millrace"
SOURCES = PACKAGE / "_src"
DOCS = ROOT / "docs"

TOP = "|".join(sorted(path.name for base in (SOURCES, ROOT) for path in base.glob("[a-z]*") if path.is_dir()))
FILE = r"(?:[\w*.-]+/)*[\w*]+\.(?:py|md|txt|json|proto)"
FOLDER = rf"(?:[a-z_0-9]+/)+(?![\w*<.])|(?:{TOP})(?:/[a-z_0-9]+)+"
PATH = re.compile(rf"(?<![\w/.<>*-])({FILE}|{FOLDER})(?![\w/<*-]|\.\w)(?:: ([A-Za-z_][\w.]*))?")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`]+)`")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


class Reference(NamedTuple):
    """A path on a page, and the name that the file is said to define, if any."""

    path: str
    name: str | None

    def __str__(self) -> str:
        return f"{self.path}: {self.name}" if self.name else self.path


def pages() -> list[Path]:
    """Returns every page whose links and paths must be right."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]


def without_programs(text: str) -> str:
    """Returns the page without blocks in a language: the files in them are the reader's own."""
    return FENCE.sub(lambda block: "" if block[1] else block[0], text)


def parts(text: str) -> list[str]:
    """Returns the prose of a page, then each row of its tables."""
    lines = FENCE.sub(lambda block: "" if block[1] else block[0], text).splitlines()
    rows = [line for line in lines if line.startswith("|")]
    return ["\n".join(line for line in lines if not line.startswith("|")), *rows]


def code(text: str) -> Iterator[str]:
    """Yields what a text shows as code, in order.

    Blocks in a language, and commands, are left out: their files are the reader's.
    """
    for found in re.finditer(f"{FENCE.pattern}|{SPAN.pattern}", text, FENCE.flags):
        language, block, span = found.groups()
        if not language and not (span or "").startswith("python -m"):
            yield block or span or ""


def references(text: str) -> Iterator[Reference]:
    """Yields the paths in the code of a text."""
    for piece in code(text):
        for found in PATH.finditer(piece):
            yield Reference(found[1], found[2])


def files_of(path: str, folders: list[Path]) -> list[Path]:
    """Returns the files or folders that a path may mean, `*` included; `folders` are those that the page has named."""
    for folder in [SOURCES, PACKAGE, DOCS, ROOT, *reversed(folders)]:
        found = sorted(folder.glob(path.rstrip("/")))
        if found:
            return found
    return []


def unresolved(text: str, folder: Path) -> list[str]:
    """Returns the references of a page to files that do not exist, or to names that their file does not define."""
    wrong = []
    for part in parts(text):
        named = [folder]
        for reference in references(part):
            if not exists(reference, named):
                wrong.append(str(reference))
            named += [above for path in files_of(reference.path, named) for above in enclosing(path)]
    return wrong


def exists(reference: Reference, folders: list[Path]) -> bool:
    """Returns whether there is the file or folder, and the file defines the name."""
    found = files_of(reference.path, folders)
    return any(not reference.name or defines(path, reference.name) for path in found)


def enclosing(path: Path) -> list[Path]:
    """Returns the folders from the repository's root, without the root, to the one of a file."""
    return [above for above in [*reversed(path.parents), path] if ROOT in above.parents and above.is_dir()]


def defines(path: Path, name: str) -> bool:
    """Returns whether a Python file defines the name: a function, class or variable, or `Class.member`."""
    return path.suffix == ".py" and name.removesuffix(".") in defined_names(path)


@cache  # finite: the files that pages name
def defined_names(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(members(tree.body))


def members(body: list[ast.stmt], prefix: str = "") -> Iterator[str]:
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield prefix + name
            case ast.ClassDef(name=name):
                yield prefix + name
                yield from members(statement.body, f"{prefix}{name}.")
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                yield prefix + name
            case _:
                pass


def anchors(text: str) -> set[str]:
    """Returns the anchors that the headings of a page make."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)}


def broken_links(page: Path) -> list[str]:
    """Returns the links of a page to files that do not exist, or to headings that their page does not have."""
    wrong = []
    for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if re.match(r"[a-z]+:", link):
            continue
        if not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            wrong.append(link)
    return wrong


def package_docstring(folder: Path) -> str:
    """Returns the docstring of the package in a folder, without importing it."""
    return ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""

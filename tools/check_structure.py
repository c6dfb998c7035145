"""Fails when the tree loses a property of its structure that a reader relies on.

Problem: a name means one thing, imports have a direction, a module's test is found at its path. Such a property goes
unnoticed, a line at a time.

Idea: each property is a function from the parsed sources to complaints, one line each; `checks` lists them. An
exception stands in a table with the reason, and an exception that is no longer needed is a complaint too.

Run: `python tools/check_structure.py`; `--figures` prints what was counted.
"""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = "src/millrace/_src"
PACKAGE = "millrace._src"

MAX_CYCLE = 8
"""The most modules that may import each other in a circle, imports inside functions included."""

MAX_ANY_PERCENT = 12
"""The most parameters, of a hundred with an annotation, that may be `Any`."""

MAX_DUPLICATES, DUPLICATE_LINES = 24, 12
"""The most stretches of so many equal lines, comments and blank lines left out."""

MAX_TERMS = 60
"""The most private terms in the glossary."""

ROOT_FILES = frozenset(
    {
        ".ci", ".gitattributes", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md",
        "benchmarks", "docs", "examples", "pyproject.toml", "src", "tests", "tools",
    }
)  # fmt: skip

# Class name -> why two classes have it.
SHARED_CLASS_NAMES: dict[str, str] = {
    **dict.fromkeys(
        ("Constant", "Initializer", "Ones", "RandomNormal", "RandomUniform", "Zeros", "name_scope"),
        "public in version 1 and in version 2, which differ",
    ),
    "TFRecordWriter": "tf.io and tf.data.experimental have one each",
    "Tensor": "tf.Tensor and its interface tf.__internal__.types.Tensor",
}

# Names of classes that begin with an underscore in TensorFlow, whose users see them in messages and files.
PRIVATE_IN_TENSORFLOW = frozenset({"_DictWrapper", "_SignatureMap", "_TupleWrapper", "_UserObject"})

# "path: function" -> why the function is named by a participle. Functions are verbs: the list may only get shorter.
PARTICIPLES: dict[str, str] = {
    "autograph/operators/builtin_iterators.py: reversed_": "Python's own name",
    "autograph/operators/builtin_reductions.py: sorted_": "Python's own name",
    "autograph/operators/matching.py: chosen": "a name in code that AutoGraph generates",
    "autograph/operators/unpacking.py: unpacked": "a name in code that AutoGraph generates",
    "core/array_namespace.py: searchsorted": "NumPy's own name",
    "core/op_functions.py: added_to": "the decorator of a rule, which has the name of the rule",
    "data/pool.py: done": "the field's word: a task that is done",
    "testing/plain_case.py: assertTotallyOrdered": "a public name of TensorFlow",
    "trackable/list_wrapper.py: __reversed__": "Python's own name",
}

# Participles that do not end in -ed, and words that do and are none.
IRREGULAR = frozenset(
    {
        "bound", "broken", "built", "chosen", "done", "drawn", "found", "frozen", "given", "held", "hidden", "kept",
        "known", "left", "lent", "made", "met", "rebuilt", "rewritten", "seen", "sent", "shown", "spent", "stuck",
        "taken", "told", "understood", "written",
    }
)  # fmt: skip
NOT_PARTICIPLES = frozenset({"embed", "exceed", "feed", "need", "proceed", "ragged", "seed", "succeed"})
PREPOSITIONS = frozenset(
    {"as", "at", "by", "for", "from", "if", "in", "of", "on", "once", "to", "twice", "with", "without"}
)


@dataclass(frozen=True)
class Module:
    """A source file: its path below `_src`, its dotted name, its text, and the parsed text."""

    path: str
    name: str
    text: str
    tree: ast.Module


def tracked_files(root: Path, *folders: str) -> list[str]:
    """Returns the files that git knows or would add, as paths below the root."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *folders]
    listing = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return sorted(name for name in listing.split("\0") if name and (root / name).exists())


def modules(root: Path) -> list[Module]:
    """Returns the hand-written modules of the library."""
    found = []
    for name in tracked_files(root, SOURCES):
        if not name.endswith(".py") or "/proto/" in name:
            continue
        text = (root / name).read_text(encoding="utf-8")
        if text.startswith('"""GENERATED'):
            continue
        path = name.removeprefix(f"{SOURCES}/")
        dotted = f"{PACKAGE}." + path.removesuffix(".py").replace("/", ".")
        found.append(Module(path, dotted.removesuffix(".__init__"), text, ast.parse(text)))
    return found


# --- one name, one thing ------------------------------------------------------------------------------------------


def repeated_classes(sources: Iterable[Module], shared: Mapping[str, str]) -> list[str]:
    """Returns a complaint for each top-level class name that occurs in two modules."""
    homes = defaultdict(list)
    for module in sources:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(module.path)
    repeated = {name: paths for name, paths in homes.items() if len(paths) > 1}
    lines = [f"class {name} occurs in {', '.join(paths)}" for name, paths in repeated.items() if name not in shared]
    return lines + [f"class {name}: listed as shared but occurs once" for name in shared if name not in repeated]


# --- functions are verbs ------------------------------------------------------------------------------------------


def _functions(body: Iterable[ast.stmt]) -> Iterator[ast.FunctionDef]:
    """Iterates over top-level functions and methods."""
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body)


def _is_participle(name: str) -> bool:
    """Returns whether a name is a participle, alone or before a preposition: `moved`, `sorted_by`, not `known_size`."""
    word, *rest = name.strip("_").split("_")
    if rest and rest[0] not in PREPOSITIONS:
        return False
    return word in IRREGULAR or (len(word) > 4 and word.endswith("ed") and word not in NOT_PARTICIPLES)


def _states_a_fact(function: ast.FunctionDef) -> bool:
    """Returns whether a function is a property, a public name of TensorFlow or the kernel of an op."""
    decorators = [ast.unparse(decorator) for decorator in function.decorator_list]
    return any("property" in text or ".setter" in text or text.startswith(("export(", "op(")) for text in decorators)


def participles(sources: Iterable[Module], allowed: Mapping[str, str]) -> list[str]:
    """Returns a complaint for each function that is named by a participle instead of a verb."""
    found = {
        f"{module.path}: {function.name}"
        for module in sources
        for function in _functions(module.tree.body)
        if _is_participle(function.name) and not _states_a_fact(function)
    }
    lines = [f"{name}: a function is named by a verb, not by a participle" for name in sorted(found - set(allowed))]
    return lines + [f"{name}: listed as a participle, but is gone" for name in allowed if name not in found]


# --- imports ------------------------------------------------------------------------------------------------------


def _run_time_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Iterates over the nodes below a node, without what only type checkers see."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from _run_time_nodes(child)


def import_graph(sources: Iterable[Module]) -> dict[str, set[str]]:
    """Returns for each module the modules that it imports, inside functions as well."""
    names = {module.name for module in sources}
    graph: dict[str, set[str]] = {name: set() for name in names}
    for module in sources:
        for node in _run_time_nodes(module.tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                targets = [f"{node.module}.{alias.name}" for alias in node.names]
                graph[module.name].update(target if target in names else node.module for target in targets)
            elif isinstance(node, ast.Import):
                graph[module.name].update(alias.name for alias in node.names)
        graph[module.name] &= names - {module.name}
    return graph


def cycles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Returns the strongly connected components of more than one module (Tarjan 1972), the largest first."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in index:
                visit(other)
            if other in stack:
                low[name] = min(low[name], low[other])
        if low[name] == index[name]:
            at = stack.index(name)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for name in sorted(graph):
        if name not in index:
            visit(name)
    return sorted(found, key=len, reverse=True)


def large_cycles(sources: Iterable[Module]) -> list[str]:
    """Returns a complaint for each import cycle of too many modules."""
    large = [cycle for cycle in cycles(import_graph(sources)) if len(cycle) > MAX_CYCLE]
    return [f"{len(cycle)} modules import each other: {', '.join(cycle)}" for cycle in large]


def private_imports(sources: Iterable[Module]) -> list[str]:
    """Returns a complaint for each import of another module's private name."""
    lines = []
    for module in sources:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
                lines += [
                    f"{module.path}:{node.lineno}: imports the private {alias.name} of {node.module}"
                    for alias in node.names
                    if alias.name.startswith("_") and not alias.name.startswith("__")
                    if alias.name not in PRIVATE_IN_TENSORFLOW
                ]
    return lines


# --- types --------------------------------------------------------------------------------------------------------


def annotated_parameters(sources: Iterable[Module]) -> Counter[str]:
    """Counts annotations of parameters by their text."""
    counts: Counter[str] = Counter()
    for module in sources:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                of = node.args
                parameters = [*of.posonlyargs, *of.args, *of.kwonlyargs, of.vararg, of.kwarg]
                counts.update(ast.unparse(p.annotation) for p in parameters if p is not None and p.annotation)
    return counts


def vague_parameters(sources: Iterable[Module]) -> list[str]:
    """Returns a complaint where too many parameters are `Any`."""
    counts = annotated_parameters(sources)
    share = 100 * counts["Any"] / max(counts.total(), 1)
    if share <= MAX_ANY_PERCENT:
        return []
    return [f"{share:.1f} % of {counts.total()} parameters are Any, over {MAX_ANY_PERCENT}; see core/argument_types.py"]


# --- copies -------------------------------------------------------------------------------------------------------


def duplicates(sources: Iterable[Module]) -> list[tuple[str, int, str, int]]:
    """Returns the stretches of equal lines: the two paths and the numbers of the first lines."""
    lines = {}
    for module in sources:
        numbered = enumerate((line.strip() for line in module.text.splitlines()), 1)
        lines[module.path] = [(number, line) for number, line in numbered if line and not line.startswith("#")]
    first: dict[tuple[str, ...], tuple[str, int]] = {}
    pairs = set()
    for path, found in lines.items():
        for at in range(len(found) - DUPLICATE_LINES + 1):
            window = tuple(line for _, line in found[at : at + DUPLICATE_LINES])
            other, begin = first.setdefault(window, (path, at))
            if (other, begin) != (path, at):
                pairs.add((path, at, other, begin))
    starts = [p for p in sorted(pairs) if (p[0], p[1] - 1, p[2], p[3] - 1) not in pairs]
    return [(path, lines[path][at][0], other, lines[other][begin][0]) for path, at, other, begin in starts]


def many_duplicates(sources: Iterable[Module]) -> list[str]:
    """Returns a complaint where the tree repeats itself too often."""
    found = duplicates(sources)
    if len(found) <= MAX_DUPLICATES:
        return []
    rows = "; ".join(f"{path}:{line} = {other}:{begin}" for path, line, other, begin in found)
    return [f"{len(found)} stretches of {DUPLICATE_LINES} lines occur twice, over {MAX_DUPLICATES}: {rows}"]


# --- addresses ----------------------------------------------------------------------------------------------------

_ADDRESSES = re.compile(r"^Tests: (tests/[\w/]+\.py(?:, tests/[\w/]+\.py)*)$", re.MULTILINE)


def modules_without_test(sources: Iterable[Module], tests: Iterable[str]) -> list[str]:
    """Returns a complaint for each module without a test of its name or a line `Tests: tests/...` that names one."""
    known = set(tests)
    lines = []
    for module in sources:
        folder, _, name = module.path.rpartition("/")
        if name == "__init__.py":
            continue
        mirrored = "/".join(filter(None, ("tests", folder, f"test_{name}")))
        line = _ADDRESSES.search(ast.get_docstring(module.tree) or "")
        said = line[1].split(", ") if line else []
        if mirrored not in known and not said:
            lines.append(f"{module.path}: no {mirrored}, and no line `Tests: tests/...` in its docstring")
        if mirrored in known and said:
            lines.append(f"{module.path}: {mirrored} is its test; the line `Tests:` is not needed")
        lines += [f"{module.path}: there is no {path}" for path in said if path not in known]
    return lines


def stray_files(names: Iterable[str]) -> list[str]:
    """Returns a complaint for each file or folder at the root that does not belong there."""
    return [f"{name} does not belong at the root" for name in sorted(set(names) - ROOT_FILES)]


def many_terms(glossary: str) -> list[str]:
    """Returns a complaint where the glossary holds too many private terms, or a term twice."""
    terms = re.findall(r"^- \*\*(.+?)\*\*", glossary, re.MULTILINE)
    lines = [f"the glossary has {len(terms)} terms, over {MAX_TERMS}"] if len(terms) > MAX_TERMS else []
    return lines + [f"the glossary has {term!r} {n} times" for term, n in Counter(terms).items() if n > 1]


# --- all of them --------------------------------------------------------------------------------------------------


def checks(root: Path) -> dict[str, Callable[[], list[str]]]:
    """Returns the checks of a checkout, by name."""
    sources = modules(root)
    return {
        "class names": functools.partial(repeated_classes, sources, SHARED_CLASS_NAMES),
        "verbs": functools.partial(participles, sources, PARTICIPLES),
        "import cycles": functools.partial(large_cycles, sources),
        "private imports": functools.partial(private_imports, sources),
        "types": functools.partial(vague_parameters, sources),
        "copies": functools.partial(many_duplicates, sources),
        "tests": lambda: modules_without_test(sources, tracked_files(root, "tests")),
        "root": lambda: stray_files(name.partition("/")[0] for name in tracked_files(root, ".")),
        "glossary": lambda: many_terms((root / "docs" / "glossary.md").read_text(encoding="utf-8")),
    }


def figures(root: Path) -> str:
    """Returns what the checks count, a line each."""
    sources = modules(root)
    counts = annotated_parameters(sources)
    found = [len(cycle) for cycle in cycles(import_graph(sources))]
    return "\n".join(
        [
            f"modules {len(sources)}, lines {sum(module.text.count(chr(10)) for module in sources)}",
            f"import cycles {found}",
            f"parameters {counts.total()}, Any {counts['Any']} ({100 * counts['Any'] / counts.total():.1f} %)",
            f"stretches of {DUPLICATE_LINES} equal lines {len(duplicates(sources))}",
        ]
    )


def main() -> int:
    if "--figures" in sys.argv:
        print(figures(ROOT))
        return 0
    found = [f"{name}: {line}" for name, check in checks(ROOT).items() for line in check()]
    for line in found:
        print(f"check_structure: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

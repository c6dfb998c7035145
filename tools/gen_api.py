"""Writes the generated tables: public names (`_api/table.py`), TensorFlow's names that are not among them
(`_api/unbuilt.py`), and the homes of ops (`core/op_homes.py`). Of the signatures that `tools/gen_known_ops.py` recorded
(`graph/known_ops.txt`) it keeps those of ops that no source declares.

Problem: they are facts that stand at the definitions (`@export(...)`, `@op("Name", ...)`), yet must be known without
importing those definitions.

Idea: read the sources with `ast`, collect the calls at module level, refuse a name that has two homes, write the
result. The output has one name per line, so that its diff shows what a change did to the interface.

Run `python tools/gen_api.py` after adding or removing an export or an op; `--check` only says whether that is needed.
When a source is wrong, the tables are written from the rest and the exit code is 1.
"""

from __future__ import annotations

import argparse
import ast
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "millrace._src"
TABLE = Path("src/millrace/_api/table.py")
UNBUILT = Path("src/millrace/_api/unbuilt.py")
TENSORFLOW_NAMES = Path("tools/tensorflow_names.txt")
OP_HOMES = Path("src/millrace/_src/core/op_homes.py")
KNOWN_OPS = Path("src/millrace/_src/graph/known_ops.txt")
V1 = "compat.v1."
HIDDEN = "-"


class ApiError(Exception):
    """A source states its names wrongly; the message says where."""


@dataclass
class Api:
    """Everything the sources state."""

    names: dict[str, str] = field(default_factory=dict)  # public name -> home
    ops: dict[str, str] = field(default_factory=dict)  # OpDef name -> module
    late_bound: dict[str, str] = field(default_factory=dict)  # name of a late-bound function -> module
    op_variables: dict[tuple[str, str], str] = field(default_factory=dict)  # module and variable -> OpDef name
    rules: list[tuple[tuple[str, str], str, str, str]] = field(default_factory=list)  # variable, rule, module, location
    overloads: dict[str, dict[str, str]] = field(default_factory=dict)  # class -> public name -> module
    elementwise_overloads: dict[str, dict[str, str]] = field(default_factory=dict)  # class -> kind -> module
    wire_forms: dict[str, str] = field(default_factory=dict)  # kind of spec in files -> module
    not_in_v1: set[str] = field(default_factory=set)
    locations: dict[str, str] = field(default_factory=dict)  # name -> file:line, for messages
    errors: list[str] = field(default_factory=list)

    def add(self, table: dict[str, str], name: str, home: str, location: str) -> None:
        if name in table and table[name] != home:
            self.errors.append(f"{location}: {name!r} is already declared at {self.locations[name]}")
            return
        table[name] = home
        self.locations[name] = location

    def add_public(self, names: list[str], v1: list[str] | None, home: str, location: str) -> None:
        """Notes one object's names; `v1` as in `export`."""
        for name in names:
            self.add(self.names, name, home, location)
        if v1 is None:
            return
        for name in v1:
            if name not in names:
                self.add(self.names, V1 + name, home, location)
        self.not_in_v1.update(set(names) - set(v1))


def module_files(source: Path) -> Iterator[tuple[str, Path]]:
    """The modules below `source` as (name relative to the package, file); generated protocol buffers state nothing."""
    for path in sorted(source.rglob("*.py")):
        if path.name.endswith("_pb2.py"):
            continue
        parts = path.relative_to(source).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def called_name(call: ast.Call) -> str:
    """`export` for both `export(...)` and `registry.export(...)`."""
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def literals(node: ast.AST, location: str) -> list[str]:
    """The strings of a literal list or tuple."""
    try:
        value = ast.literal_eval(node)  # type: ignore[arg-type]  # literal_eval takes any node
    except ValueError:
        raise ApiError(
            f"{location}: names must be literal strings, for gen_api.py reads them from the source"
        ) from None
    if isinstance(value, str) or not all(isinstance(item, str) for item in value):
        raise ApiError(f"{location}: a list or tuple of strings is due here")
    return list(value)


def class_name(node: ast.AST, location: str) -> str:
    """The name of the class that an overload is for."""
    if not isinstance(node, ast.Name):
        raise ApiError(f"{location}: the last argument is due to be the name of a class")
    return node.id


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    value = next((k.value for k in call.keywords if k.arg == name), None)
    return None if isinstance(value, ast.Constant) and value.value is None else value


def v1_names(call: ast.Call, location: str) -> list[str] | None:
    value = keyword(call, "v1")
    return None if value is None else literals(value, location)


def read_marks(api: Api, module: str, variable: str, marks: Iterator[ast.AST], file: str) -> None:
    """Reads the `export`, `op` and `overload` calls that stand on one module-level variable."""
    for call in marks:
        if not isinstance(call, ast.Call):
            continue
        location = f"{file}:{call.lineno}"
        match called_name(call):
            case "export":
                names = literals(ast.Tuple(call.args), location)
                api.add_public(names, v1_names(call, location), f"{module}:{variable}", location)
            case "op" if call.args:
                (name,) = literals(ast.Tuple(call.args[:1]), location)
                api.add(api.ops, name, f"{PACKAGE}.{module}", location)
                api.op_variables[module, variable] = name
            case "overload":
                for name in literals(ast.Tuple(call.args[:-1]), location):
                    homes = api.overloads.setdefault(class_name(call.args[-1], location), {})
                    api.add(homes, name, f"{PACKAGE}.{module}", location)
            case "overload_elementwise":
                (kind,) = literals(ast.Tuple(call.args[:1]), location)
                homes = api.elementwise_overloads.setdefault(class_name(call.args[-1], location), {})
                api.add(homes, kind, f"{PACKAGE}.{module}", location)
            case "wire_form":
                (kind,) = literals(ast.Tuple(call.args), location)
                api.add(api.wire_forms, kind, f"{PACKAGE}.{module}", location)
            case "late_bound":
                (name,) = literals(ast.Tuple(call.args), location)
                api.add(api.late_bound, name, f"{PACKAGE}.{module}", location)


def read_statement_call(api: Api, module: str, call: ast.Call, location: str) -> None:
    """Reads `export_constant(__name__, ...)` and `export_all(__name__, ...)`."""
    match called_name(call):
        case "export_constant":
            variable, *names = literals(ast.Tuple(call.args[1:]), location)
            api.add_public(names, v1_names(call, location), f"{module}:{variable}", location)
        case "export_all":
            stated = call.args[1]
            prefixes = literals(stated if isinstance(stated, ast.Tuple) else ast.Tuple([stated]), location)
            v1 = keyword(call, "v1")
            v1_prefix = None if v1 is None else literals(ast.Tuple([v1]), location)[0]
            for variable in literals(call.args[2], location):
                names = [f"{prefix}.{variable}" if prefix else variable for prefix in prefixes]
                old = None if v1_prefix is None else [f"{v1_prefix}.{variable}" if v1_prefix else variable]
                api.add_public(names, old, f"{module}:{variable}", location)


def read_rules(api: Api, module: str, tree: ast.Module, file: str) -> None:
    """Notes the rules that a module attaches to ops of other modules: `@while_.gradient` on a function."""
    imported: dict[str, tuple[str, str]] = {}
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith(f"{PACKAGE}."):
            source = str(statement.module).removeprefix(f"{PACKAGE}.")
            imported.update({alias.asname or alias.name: (source, alias.name) for alias in statement.names})
        for mark in statement.decorator_list if isinstance(statement, ast.FunctionDef) else ():
            match mark.func if isinstance(mark, ast.Call) else mark:
                case ast.Attribute(value=ast.Name(id=name), attr=rule) if name in imported:
                    api.rules.append((imported[name], rule, module, f"{file}:{mark.lineno}"))


def read_module(api: Api, module: str, tree: ast.Module, file: str) -> None:
    """Collects what one module states. Only module-level statements count, inside `if`, `try` and `with` too."""
    pending: list[ast.stmt] = list(tree.body)
    for statement in pending:
        match statement:
            case ast.FunctionDef() | ast.ClassDef() | ast.AsyncFunctionDef():
                read_marks(api, module, statement.name, iter(statement.decorator_list), file)
            case ast.Assign(targets=[ast.Name(id=variable)], value=value):
                read_marks(api, module, variable, ast.walk(value), file)
            case ast.AnnAssign(target=ast.Name(id=variable), value=ast.expr() as value):
                read_marks(api, module, variable, ast.walk(value), file)
            case ast.Expr(value=ast.Call() as call):
                read_statement_call(api, module, call, f"{file}:{call.lineno}")
            case ast.If() | ast.Try() | ast.With():
                pending.extend(s for s in ast.iter_child_nodes(statement) if isinstance(s, ast.stmt))


def read_sources(root: Path) -> Api:
    """Everything that the sources below `root` state."""
    source = root / "src/millrace/_src"
    api = Api()
    for module, path in module_files(source):
        file = path.relative_to(root).as_posix()
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"), file)
            read_module(api, module, tree, file)
            read_rules(api, module, tree, file)
        except SyntaxError as error:
            api.errors.append(f"{file}:{error.lineno}: {error.msg}")
        except ApiError as error:
            api.errors.append(str(error))
    check_namespaces(api)
    return api


def check_namespaces(api: Api) -> None:
    """A name cannot be an object and a namespace at once."""
    for name in api.names:
        parent = name.rpartition(".")[0]
        if parent in api.names:
            api.errors.append(
                f"{api.locations[name]}: {parent!r}, above {name!r}, is declared at {api.locations[parent]}"
            )


def table_text(api: Api) -> str:
    """The text of `_api/table.py`: a section per namespace, a line per name."""
    lines = dict(api.names)
    for name in api.not_in_v1:
        lines.setdefault(V1 + name, HIDDEN)
    sections: dict[str, list[str]] = {}
    for name in sorted(lines):
        sections.setdefault(name.rpartition(".")[0], []).append(f"{name} {lines[name]}")
    text = [
        '"""GENERATED by tools/gen_api.py from the `export` calls in `millrace._src`; do not edit.',
        "",
        "Namespace -> one `name home` per line. A home is `module:variable` below `millrace._src`; `-` is a name",
        'that `tf.compat.v1` does not take from `tf`."""',
        "",
        "NAMES = {",
    ]
    for path in sorted(sections):
        text += [f'    "{path}": """', *sections[path], '""",']
    return "\n".join([*text, "}", ""])


def tensorflow_names(path: Path) -> set[str]:
    """Returns the public names of TensorFlow, as `tools/record_public_names.py` recorded them."""
    names = set()
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        namespace, _, listed = line.partition(": ")
        names.update(listed.split() if namespace == "tf" else [f"{namespace}.{name}" for name in listed.split()])
    return names


def unbuilt_text(api: Api, wanted: set[str]) -> str:
    """Returns the text of `_api/unbuilt.py`: a line per name that TensorFlow has and no source declares."""
    text = [
        '"""GENERATED by tools/gen_api.py from `tools/tensorflow_names.txt` and `_api/table.py`; do not edit.',
        "",
        'The public names of TensorFlow 2 that Millrace does not have yet, for the error about a missing name."""',
        "",
        'UNBUILT = frozenset("""',
        *sorted(wanted - api.names.keys()),
        '""".split())',
        "",
    ]
    return "\n".join(text)


def rule_homes(api: Api) -> dict[str, dict[str, str]]:
    """OpDef name -> rule -> the module, another one than declares the op, that attaches the rule."""
    found: dict[str, dict[str, str]] = {}
    for variable, rule, module, location in api.rules:
        if variable not in api.op_variables:
            continue
        if rule == "kernel_for":
            api.errors.append(f"{location}: a kernel stands in the module of its op, where every engine finds it")
        homes = found.setdefault(api.op_variables[variable], {})
        api.add(homes, rule, f"{PACKAGE}.{module}", location)
    return found


def op_homes_text(api: Api) -> str:
    """The text of `core/op_homes.py`."""
    text = [
        '"""GENERATED by tools/gen_api.py from the declarations in `millrace._src`; do not edit.',
        "",
        "OpDef name -> the module that declares it, so that an op is found by name without importing all of them;",
        "OpDef name -> the rules that higher layers attach, with these; name of a late-bound function -> the",
        "module of it; class -> public name, or kind of element-wise functions -> the module of the overload; kind of",
        'spec in files -> the module of its class."""',
        "",
        "from __future__ import annotations",
        "",
        *_table("OP_HOMES", "dict[str, str]", {name: f'"{home}"' for name, home in api.ops.items()}),
        *_table("RULE_HOMES", "dict[str, dict[str, str]]", _literals(rule_homes(api))),
        *_table("LATE_BOUND_HOMES", "dict[str, str]", {name: f'"{home}"' for name, home in api.late_bound.items()}),
        *_table("OVERLOAD_HOMES", "dict[str, dict[str, str]]", _literals(api.overloads)),
        *_table("ELEMENTWISE_OVERLOAD_HOMES", "dict[str, dict[str, str]]", _literals(api.elementwise_overloads)),
        *_table("WIRE_FORM_HOMES", "dict[str, str]", {kind: f'"{home}"' for kind, home in api.wire_forms.items()}),
    ]
    return "\n".join(text)


def known_ops_text(api: Api, recorded: str) -> str:
    """Returns those lines of recorded signatures whose op no source declares."""
    return "".join(line for line in recorded.splitlines(keepends=True) if line.partition("\t")[0] not in api.ops)


def _table(name: str, annotation: str, rows: dict[str, str]) -> list[str]:
    return [f"{name}: {annotation} = {{", *(f'    "{key}": {rows[key]},' for key in sorted(rows)), "}", ""]


def _literals(rows: dict[str, dict[str, str]]) -> dict[str, str]:
    return {key: _literal(row) for key, row in rows.items()}


def _literal(row: dict[str, str]) -> str:
    lines = "".join(f'        "{key}": "{row[key]}",\n' for key in sorted(row))
    return f"{{\n{lines}    }}"


def generate(root: Path) -> tuple[dict[Path, str], list[str]]:
    """The generated files below `root`, as path -> text, and what is wrong with the sources."""
    api = read_sources(root)
    unbuilt = unbuilt_text(api, tensorflow_names(root / TENSORFLOW_NAMES))
    files = {TABLE: table_text(api), UNBUILT: unbuilt, OP_HOMES: op_homes_text(api)}
    if (root / KNOWN_OPS).exists():
        files[KNOWN_OPS] = known_ops_text(api, (root / KNOWN_OPS).read_text(encoding="utf-8"))
    return files, api.errors


def write(path: Path, text: str) -> None:
    """Replaces the file in one step, so that a concurrent reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a table is stale")
    parser.add_argument("--root", type=Path, default=ROOT, help="repository to work on")
    options = parser.parse_args(arguments)
    files, errors = generate(options.root)
    stale = []
    for name, text in files.items():
        path = options.root / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if not options.check:
                write(path, text)
    for name in stale:
        print(f"gen_api: {name} " + ("is stale; run: python tools/gen_api.py" if options.check else "written"))
    for error in errors:
        print(f"gen_api: {error}", file=sys.stderr)
    return 1 if errors or (stale and options.check) else 0


if __name__ == "__main__":
    sys.exit(main())

"""Templates are filled in as text would be, and what they make replaces the user's code."""

from __future__ import annotations

import ast

import pytest

from millrace._src.autograph.transform.syntax_templates import (
    copy_tree,
    expression,
    header,
    locate,
    template,
    with_context,
)


def _text(statements: list[ast.stmt]) -> str:
    return "\n".join(ast.unparse(ast.fix_missing_locations(statement)) for statement in statements)


def test_names_become_names_expressions_and_statements() -> None:
    statements = template(
        """
        def name(value):
            body
            return value
        target = old
        """,
        name="f",
        value="x",
        body=ast.parse("x += 1\ny = x").body,
        target="z",
        old=ast.parse("a.b[0]", mode="eval").body,
    )
    assert _text(statements) == "def f(x):\n    x += 1\n    y = x\n    return x\nz = a.b[0]"


def test_an_expression_that_is_assigned_is_written_and_one_that_is_read_is_read() -> None:
    node_ = ast.parse("(a, *b, c[0].d)", mode="eval").body
    (statement,) = template("node = node", node=node_)
    assert isinstance(statement, ast.Assign)
    stored = [type(n.ctx) for n in ast.walk(statement.targets[0]) if isinstance(n, (ast.Starred, ast.Tuple))]
    assert set(stored) == {ast.Store}
    assert isinstance(statement.value, ast.Tuple) and isinstance(statement.value.ctx, ast.Load)
    compile(ast.fix_missing_locations(ast.Module([statement], [])), "<test>", "exec")


def test_deleting_and_walrus_targets_are_names_too() -> None:
    assert _text(template("del x\n(x := value)", x="y", value=ast.Constant(1))) == "del y\n(y := 1)"


def test_attributes_and_keywords_are_not_names() -> None:
    assert ast.unparse(expression("op.op(op=op)", op="f")) == "f.op(op=f)"


def test_a_template_used_twice_gives_new_nodes() -> None:
    first, second = (template("x = value", x="a", value=ast.Constant(n)) for n in (1, 2))
    assert _text(first) == "a = 1" and _text(second) == "a = 2"


def test_a_part_that_stands_twice_is_copied() -> None:
    part = ast.parse("f(x)", mode="eval").body
    call = expression("part + part", part=part)
    assert isinstance(call, ast.BinOp) and call.left is not call.right and call.left is not part


def test_nodes_of_templates_get_the_location_of_what_they_stand_for_and_the_user_s_keep_theirs() -> None:
    (user,) = ast.parse("\n\n    \nvalue = total(1)").body
    assert isinstance(user, ast.Assign)
    (new,) = locate(template("held = wrapper(value)", value=user.value), user)
    assert isinstance(new, ast.Assign) and isinstance(new.value, ast.Call)
    assert (new.lineno, new.col_offset, new.end_col_offset) == (4, 0, 16)
    assert (new.value.lineno, new.value.col_offset) == (4, 0)
    (argument,) = new.value.args
    assert (argument.lineno, argument.col_offset, argument.end_col_offset) == (4, 8, 16)


def test_what_has_no_location_yet_gives_none() -> None:
    added = expression("f(x)")
    (outer,) = locate([expression("g(x)", x=locate([added], expression("x"))[0])], ast.parse("a", mode="eval").body)
    assert [n.col_offset for n in ast.walk(outer) if isinstance(n, ast.expr)] == [0, 0, 0, 0, 0]


def test_what_is_made_inside_a_users_expression_gets_the_location_of_that() -> None:
    user = ast.parse("a and bb", mode="eval").body
    assert isinstance(user, ast.BoolOp)
    user.values[1] = expression("wrapped(x)", x=user.values[1])
    (whole,) = locate([expression("f(x)", x=user)], ast.parse("\n\nelsewhere").body[0])
    calls = [node for node in ast.walk(whole) if isinstance(node, ast.Call)]
    assert [(call.lineno, call.col_offset, call.end_col_offset) for call in calls] == [(3, 0, 9), (1, 0, 8)]


@pytest.mark.parametrize(
    ("source", "line", "columns"),
    [
        ("if x > 0:\n    pass", 1, (3, 8)),
        ("while x:\n    pass", 1, (6, 7)),
        ("for a in b:\n    pass", 1, (9, 10)),
        ("with f() as g:\n    pass", 1, (5, 8)),
        ("if f(\n  1\n):\n    pass", 1, (3, 4)),
        ("match f(x):\n    case _:\n        pass", 1, (6, 10)),
        ("x = f(\n  1\n)", 1, (0, 1)),
        ("return_ = 1", 1, (0, 11)),
    ],
)
def test_an_error_in_a_statement_points_to_its_head(source: str, line: int, columns: tuple[int, int]) -> None:
    (statement,) = ast.parse(source).body
    (part,) = locate([expression("added")], header(statement))
    assert (part.lineno, part.end_lineno, part.col_offset, part.end_col_offset) == (line, line, *columns)


def test_a_copy_shares_no_node_and_keeps_positions_and_marks() -> None:
    tree = ast.parse("def f(x, *, y=[1]):\n    return {x: y}")
    for number, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.Name):
            node.mark = number  # type: ignore[attr-defined]
    copied = copy_tree(tree)
    assert ast.dump(copied, include_attributes=True) == ast.dump(tree, include_attributes=True)
    own = {id(node) for node in ast.walk(tree) if node._fields}
    assert not own & {id(node) for node in ast.walk(copied) if node._fields}
    marks = [[getattr(n, "mark", None) for n in ast.walk(t) if isinstance(n, ast.Name)] for t in (tree, copied)]
    assert marks[0] == marks[1] and None not in marks[0]


def test_a_changed_context_reaches_the_parts_of_a_tuple_and_leaves_the_original() -> None:
    read = ast.parse("a, (b, *c)", mode="eval").body
    written = with_context(read, ast.Store())
    assert {type(n.ctx) for n in ast.walk(written) if isinstance(n, ast.Name)} == {ast.Store}
    assert {type(n.ctx) for n in ast.walk(read) if isinstance(n, ast.Name)} == {ast.Load}

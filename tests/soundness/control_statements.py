"""Kinds of statements with blocks of their own: branches, loops, functions, gradients."""

from __future__ import annotations

from tests.soundness.programs import Value, Writer, indented, statement
from tests.soundness.statements import binary, guarded, layout, product, reduction, smooth, statistics

_DEEPEST = 2
_COMPILED = (smooth, smooth, guarded, binary, binary, reduction, statistics, product, layout)
"""What stands in a function with `jit_compile=True`: what XLA takes, and what refuses nothing."""


@statement(5)
def branch(w: Writer) -> bool:
    test = w.pick(dtypes=("bool",), ranks=(0,))
    if w.depth >= _DEEPEST:
        return False
    condition = (
        test.name if test is not None and w.chance(60) else w.rng.choice(["k > 1", "k % 2 == 0", "tf.constant(True)"])
    )
    names = []
    for _ in range(2):
        block, name = w.inner(), w.name()
        number = block.number()
        if not w.define(f"def {name}():", block.lines, number):
            return False
        names.append(name)
    return w.add(f"tf.cond({condition}, {names[0]}, {names[1]})", kept=True)


@statement(2)
def switch(w: Writer) -> bool:
    if w.depth >= _DEEPEST:
        return False
    names = []
    for _ in range(3):
        block, name = w.inner(), w.name()
        number = block.number()
        if not w.define(f"def {name}():", block.lines, number):
            return False
        names.append(name)
    return w.add(f"tf.switch_case(k, [{', '.join(names)}])", kept=True)


@statement(5)
def loop(w: Writer) -> bool:
    x = w.pick(dtypes=("float32",), ranks=(0, 1, 2))
    if x is None or w.depth >= _DEEPEST:
        return False
    name, i, s = w.name(), w.name(), w.name()
    zero = w.environment["k"]
    block = w.inner([Value(i, zero, True), Value(s, x.tensor, False)])
    number = block.number()
    if not w.define(f"def {name}({i}, {s}):", block.lines, f"[{i} + 1, {s} * 0.5 + {number}]"):
        return False
    bound = w.rng.choice(["3", "k", "k + 1", "0", "tf.size(x)"])
    start = f"[tf.constant(0), tf.identity({x.name})]"
    return w.add(f"tf.while_loop(lambda i, s: i < {bound}, {name}, {start})[1]", kept=True)


@statement(4)
def loop_with_list(w: Writer) -> bool:
    x = w.pick(dtypes=("float32",), ranks=(1, 2))
    if x is None or w.depth >= _DEEPEST or not x.shape[0]:
        return False
    name, i, s = w.name(), w.name(), w.name()
    first = w.environment[x.name][0]
    block = w.inner([Value(i, w.environment["k"], True), Value(s, first, False)])
    number = block.number()
    read = w.rng.choice([f"{x.name}[{i}]", f"tf.gather({x.name}, {i})", f"rows.read({i})"])
    result = f"[{i} + 1, {s} * 0.5 + {read} * 0.25 + {number}, array.write({i}, {s})]"
    lines = [f"rows = tf.TensorArray(tf.float32, {x.shape[0]}).unstack({x.name})", *block.lines]
    if not w.define(f"def {name}({i}, {s}, array):", lines, result):
        return False
    size = w.rng.choice([str(x.shape[0]), f"tf.shape({x.name})[0]"])
    start = f"[tf.constant(0), {x.name}[0], tf.TensorArray(tf.float32, {size})]"
    return w.add(f"tf.while_loop(lambda i, *_: i < {size}, {name}, {start})[2].stack()", kept=True)


@statement(3)
def rows(w: Writer) -> bool:
    x = w.pick(dtypes=("float32",), ranks=(1, 2))
    if x is None or w.depth >= _DEEPEST or not x.shape[0]:
        return False
    name, a, b = w.name(), w.name(), w.name()
    first = w.environment[x.name][0]
    block = w.inner([Value(a, first, False), Value(b, first, x.is_exact)])
    number = block.number()
    if not w.define(f"def {name}({a}, {b}):", block.lines, f"{a} * 0.5 + {b} * 0.25 + {number}"):
        return False
    form = w.rng.choice(["tf.scan({f}, {x})", "tf.foldl({f}, {x})", "tf.map_fn(lambda r: {f}(r, r), {x})"])
    return w.add(form.format(f=name, x=x.name), kept=True)


@statement(5)
def call(w: Writer) -> bool:
    x, y = w.pick(dtypes=("float32",)), w.pick()
    if x is None or y is None or w.depth >= _DEEPEST:
        return False
    jit = w.rng.choice(["None", "None", "False", "True"])
    name, a, b = w.name(), w.name(), w.name()
    parameters = [Value(a, x.tensor, x.is_exact), Value(b, y.tensor, y.is_exact)]
    block = w.inner(parameters, _COMPILED if jit == "True" else (), reach=jit != "True")
    w.program.compiles = w.program.compiles or jit == "True"
    head = f"@tf.function(jit_compile={jit}, autograph=False)\ndef {name}({a}, {b}):"
    result = f"[{block.values[-1].name}, {block.number()}]"
    lines, count = w.lines, len(w.lines)
    if not w.define(head, block.lines, result):
        return False
    lines[count:] = [line for text in lines[count:] for line in text.split("\n")]
    return w.add(f"{name}(tf.identity({x.name}), tf.identity({y.name}))", kept=True)


@statement(6)
def gradient(w: Writer) -> bool:
    x = w.pick(dtypes=("float32", "float64"))
    if x is None or w.depth >= _DEEPEST:
        return False
    tape, target = w.name(), w.name()
    block = w.inner([x], (*_COMPILED, loop, branch, loop_with_list, call))
    lines = [
        f"{tape}.watch({x.name})",
        *block.lines,
        f"{target} = {block.number()} + tf.cast(tf.reduce_mean({x.name}), tf.float32)",
    ]
    text = [f"with tf.GradientTape() as {tape}:", *indented(lines)]
    environment = dict(w.environment)
    try:
        exec("\n".join(text), environment)  # text of our own
    except Exception:
        return False
    w.environment.update(environment)
    count = len(w.lines)
    w.lines += text
    sources = w.rng.choice([f"[{x.name}]", f"[{x.name}, w]", f"[{x.name}, u]"])
    gradients = f"{tape}.gradient({target}, {sources}, unconnected_gradients='zero')"
    if w.add(f"[tf.convert_to_tensor(g) for g in {gradients}]", kept=True):
        w.results.append(target)  # or mistakes in the block were pruned
        return True
    del w.lines[count:]
    return False


@statement(1)
def waiting(w: Writer) -> bool:
    """Something that runs only because something waits for it."""
    x = w.pick(dtypes=("float32",))
    if x is None:
        return False
    name, call_number = w.name(), w.rng.choice([1, 2])
    text = [
        f"with tf.control_dependencies([tf.gather([1.0, 2.0], tf.cast(k == {call_number}, tf.int32) * 2)]):",
        f"    {name} = tf.identity({x.name})",
    ]
    exec("\n".join(text), w.environment)
    w.lines += text
    w.values.append(Value(name, w.environment[name], x.is_exact))
    w.results.append(name)
    return True

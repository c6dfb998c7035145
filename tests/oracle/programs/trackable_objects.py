"""Objects a checkpoint can walk: children of attributes, and the wrappers of lists, dicts and tuples."""

from __future__ import annotations

import copy
import pickle
from collections import Counter, OrderedDict, defaultdict, namedtuple

from tests.oracle.support import attempt, normalise

Pair = namedtuple("Pair", "a b")


def _children(thing, save_type="checkpoint"):
    try:
        return {name: type(child).__name__ for name, child in thing._trackable_children(save_type).items()}
    except ValueError as error:  # TensorFlow does not keep the earlier value that its message means to show
        return str(error).split("its value when")[0].replace("<tf.", "<").split(" (")[-1]


def _object(tf):
    class Model(tf.__internal__.tracking.AutoTrackable):
        pass

    return Model()


def _after(tf, start, change):
    """What a change of an attribute leads to: its result, the attribute then, its children."""
    model = _object(tf)
    model.x = start()
    result = attempt(lambda: change(model.x))
    return [result, type(model.x).__name__, normalise(repr(model.x)), _children(model.x)]


def prog_which_attributes_are_wrapped(tf, np):
    """Plain containers are; subclasses are not, but for tuples; tuples only with something trackable in them."""
    model = _object(tf)
    values = {
        "list": [1, [2, {"k": 3}], (4, 5)],
        "dict": {"x": 1, "y": [2]},
        "tuple": (1, [2]),
        "plain_tuple": (1, 2),
        "empty": (),
        "named": Pair(1, [2]),
        "ordered": OrderedDict(),  # an empty one is shown alike by all Pythons
        "default": defaultdict(list),
        "counter": Counter("a"),
        "set": {1},
        "range": range(2),
        "numbers": {1: 2},
        "array": np.ones(2),
        "tensor": tf.constant(1.0),
        "text": "a",
    }
    shown = []
    for name, value in values.items():
        setattr(model, name, value)
        kept = getattr(model, name)
        shown.append([name, type(kept).__name__, kept.__class__.__name__, normalise(repr(kept)), str(kept), kept is value])
    return [shown, _children(model)]


def prog_children_of_attributes(tf, np):
    """Children keep their place when they are replaced, also by something plain; deleted ones go."""
    model = _object(tf)
    model.v = tf.Variable(1.0)
    model.m = tf.Module()
    model.f = tf.function(lambda: 1)
    model.g = lambda: 1
    first = _children(model)
    model.v = 3
    second = _children(model)
    model.v = [tf.Variable(2.0)]
    del model.m
    return [first, second, _children(model), model._lookup_dependency("f") is model.f, model._lookup_dependency("q")]


def prog_the_same_child_under_two_names(tf, np):
    model = _object(tf)
    model.a = model.b = tf.Variable(1.0)
    return [_children(model), model.a is model.b]


def prog_tracking_by_hand(tf, np):
    model = _object(tf)
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    return [
        model._track_trackable(v, "a") is v,
        attempt(lambda: model._track_trackable(w, "a")),
        attempt(lambda: model._track_trackable(3, "b")),
        model._track_trackable(w, "a", overwrite=True) is w,
        _children(model),
        [next(iter(reference)) for reference in model._checkpoint_dependencies],
        model._object_identifier,
        model._gather_saveables_for_checkpoint(),
        attempt(model._serialize_to_tensors, words=0),
    ]


def prog_no_dependency(tf, np):
    """What is stored untracked stays as it is."""
    model = _object(tf)
    model.held = model._no_dependency([1])
    model.list = [model._no_dependency([1]), [2]]
    return [type(model.held).__name__, type(model.list[0]).__name__, _children(model), _children(model.list)]


def prog_methods_without_tracking(tf, np):
    class Model(tf.__internal__.tracking.AutoTrackable):
        @tf.__internal__.tracking.no_automatic_dependency_tracking
        def __init__(self, items):
            """Keeps items."""
            self.items = items
            self.v = tf.Variable(1.0)

    model = Model([1])
    kept = type(model.items).__name__
    model.items = model.items
    again = type(model.items).__name__
    model.items = [2]
    return [kept, again, type(model.items).__name__, _children(model), Model.__init__.__name__, Model.__init__.__doc__]


def prog_tracking_switched_off(tf, np):
    model = _object(tf)
    model._self_setattr_tracking = False
    model.l = [tf.Variable(1.0)]
    model._self_setattr_tracking = True
    model.d = {}
    return [type(model.l).__name__, type(model.d).__name__, _children(model)]


def prog_functions_of_saved_models(tf, np):
    """A SavedModel also holds the functions on the class; a checkpoint does not."""

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(1.0)
            self.attribute = tf.function(lambda x: x)

        @tf.function
        def __call__(self, x):
            return x

        @tf.function(input_signature=[])
        def method(self):
            return 1

        @property
        def expensive(self):
            raise RuntimeError("evaluated")

    model = Model()
    model(tf.constant(1.0))
    shown = [_children(model), _children(model, "savedmodel")]
    return [*shown, _children(model.__call__, "savedmodel"), _children(model.__call__), _children(model.method, "savedmodel")]


_LIST_CHANGES = {
    "append_int": lambda tf, w: w.append(1),
    "append_variable": lambda tf, w: w.append(tf.Variable(3.0)),
    "append_list": lambda tf, w: w.append([1]),
    "extend": lambda tf, w: w.extend([tf.Variable(3.0), 2]),
    "add_in_place": lambda tf, w: w.__iadd__([tf.Variable(3.0)]),
    "insert_int": lambda tf, w: w.insert(0, 3),
    "insert_variable": lambda tf, w: w.insert(0, tf.Variable(3.0)),
    "pop": lambda tf, w: w.pop(),
    "pop_first": lambda tf, w: w.pop(0),
    "remove": lambda tf, w: w.remove(2),
    "clear": lambda tf, w: w.clear(),
    "reverse": lambda tf, w: w.reverse(),
    "set_int": lambda tf, w: w.__setitem__(0, 5),
    "set_same": lambda tf, w: w.__setitem__(0, w[0]),
    "set_variable": lambda tf, w: w.__setitem__(0, tf.Variable(3.0)),
    "set_slice": lambda tf, w: w.__setitem__(slice(0, 1), [7, 8]),
    "delete": lambda tf, w: w.__delitem__(0),
    "delete_slice": lambda tf, w: w.__delitem__(slice(0, 1)),
    "repeat": lambda tf, w: w.__imul__(2),
    "repeat_never": lambda tf, w: w.__imul__(0),
}
_LIST_READS = {
    "add": lambda w: type(w + [1]).__name__,
    "added": lambda w: [1] + w,
    "both": lambda w: w + w,
    "multiply": lambda w: w * 2,
    "multiplied": lambda w: type(2 * w).__name__,
    "slice": lambda w: type(w[:1]).__name__,
    "copy": lambda w: type(w.copy()).__name__,
    "shallow": lambda w: type(copy.copy(w)).__name__,
    "deep": lambda w: type(copy.deepcopy(w)).__name__,
    "pickled": lambda w: type(pickle.loads(pickle.dumps(w))).__name__,
    "index": lambda w: w.index(2),
    "count": lambda w: w.count(2),
    "equal": lambda w: [w == list(w), list(w) == w, w != list(w), w == (1, 2)],
    "order": lambda w: [w < [2], w <= [1, 2], w > [0], w >= [3], w > [9]],
    "last": lambda w: w[-1],
    "reversed": lambda w: list(reversed(w)),
    "contains": lambda w: 2 in w,
    "tuple": lambda w: tuple(w),
    "hash": lambda w: attempt(lambda: hash(w)),
    "bad_index": lambda w: attempt(lambda: w["a"]),
    "out_of_range": lambda w: attempt(lambda: w[9]),
    "unpacked": lambda w: [*w],
    "is_list": lambda w: isinstance(w, list),
}


def prog_changes_of_lists_of_numbers(tf, np):
    """Without trackable elements everything can be saved."""
    return {name: _after(tf, lambda: [1, 2], lambda w, f=f: f(tf, w)) for name, f in _LIST_CHANGES.items()}


def prog_changes_of_lists_with_variables(tf, np):
    """Elements that move or go make the list one that cannot be saved."""
    start = lambda: [tf.Variable(1.0), 2]
    return {name: _after(tf, start, lambda w, f=f: f(tf, w)) for name, f in _LIST_CHANGES.items()}


def prog_reading_lists(tf, np):
    model = _object(tf)
    model.x = [1, 2]
    return {name: f(model.x) for name, f in _LIST_READS.items()}


def prog_lists_changed_under_another_name(tf, np):
    """The attribute and the user's name stay one list; what the wrapper has not seen cannot be saved."""
    shown = []
    for start in ([1], [tf.Variable(1.0)]):
        model = _object(tf)
        model.x = start
        start.append(2)
        shown += [len(model.x), list(model.x) == start, _children(model.x)]
        model.x.append(3)
        shown += [len(start), _children(model.x)]
    return shown


def prog_elements_of_the_users_containers_are_wrapped_too(tf, np):
    model, inner = _object(tf), [[1]]
    model.x = inner
    model.y = pairs = {"a": [1]}
    return [type(inner[0]).__name__, model.x[0] is inner[0], type(pairs["a"]).__name__, model.y["a"] is pairs["a"]]


_DICT_CHANGES = {
    "set_int": lambda tf, w: w.__setitem__("z", 1),
    "set_variable": lambda tf, w: w.__setitem__("z", tf.Variable(3.0)),
    "set_list": lambda tf, w: w.__setitem__("z", [1]),
    "replace_int": lambda tf, w: w.__setitem__("a", 5),
    "replace_int_by_variable": lambda tf, w: w.__setitem__("a", tf.Variable(3.0)),
    "replace_variable_by_int": lambda tf, w: w.__setitem__("v", 3),
    "replace_variable": lambda tf, w: w.__setitem__("v", tf.Variable(3.0)),
    "number_key": lambda tf, w: w.__setitem__(3, 1),
    "number_key_of_variable": lambda tf, w: w.__setitem__(3, tf.Variable(3.0)),
    "delete_int": lambda tf, w: w.__delitem__("a"),
    "delete_variable": lambda tf, w: w.__delitem__("v"),
    "pop": lambda tf, w: w.pop("a"),
    "pop_default": lambda tf, w: w.pop("q", 7),
    "popitem": lambda tf, w: w.popitem(),
    "clear": lambda tf, w: w.clear(),
    "update": lambda tf, w: w.update({"z": tf.Variable(3.0)}),
    "update_keywords": lambda tf, w: w.update(z=[2]),
    "setdefault": lambda tf, w: w.setdefault("z", 1),
    "setdefault_present": lambda tf, w: w.setdefault("a", 5),
    "or_in_place": lambda tf, w: w.__ior__({"z": 1}),
}
_DICT_READS = {
    "keys": lambda w: list(w.keys()),
    "values": lambda w: list(w.values()),
    "items": lambda w: list(w.items()),
    "get": lambda w: [w.get("a"), w.get("q"), w.get("q", 9)],
    "in": lambda w: ["a" in w, "q" in w],
    "iterate": lambda w: list(w),
    "reversed": lambda w: list(reversed(w)),
    "length": lambda w: [len(w), bool(w)],
    "equal": lambda w: [w == dict(w), dict(w) == w, w != dict(w), w == {"a": 2}],
    "or": lambda w: [type(w | {"q": 1}).__name__, w | {"q": 1}],
    "ored": lambda w: [type({"q": 1} | w).__name__, {"q": 1} | w],
    "copy": lambda w: type(w.copy()).__name__,
    "shallow": lambda w: type(copy.copy(w)).__name__,
    "deep": lambda w: type(copy.deepcopy(w)).__name__,
    "missing": lambda w: attempt(lambda: w["q"]),
    "keywords": lambda w: (lambda **given: given)(**w),
    "plain": lambda w: [type(dict(w)).__name__, dict(w)],
    "starred": lambda w: {**w},
    "is_dict": lambda w: isinstance(w, dict),
}


def prog_changes_of_dicts(tf, np):
    """Elements are found by their keys, so that replacing is no harm; other changes go past the wrapper."""
    start = lambda: {"a": 1, "v": tf.Variable(1.0)}
    return {name: _after(tf, start, lambda w, f=f: f(tf, w)) for name, f in _DICT_CHANGES.items()}


def prog_dicts_with_keys_that_are_no_strings(tf, np):
    """They can be saved as long as there is nothing trackable under such a key."""
    shown = []
    for value in (1, tf.Variable(1.0), [2]):
        model = _object(tf)
        model.x = {1: value, "a": 2}
        shown.append([normalise(repr(model.x)), _children(model.x)])
    return shown


def prog_reading_dicts(tf, np):
    model = _object(tf)
    model.x = {"b": 1, "a": [2]}
    return {name: f(model.x) for name, f in _DICT_READS.items()}


def prog_ordered_dicts(tf, np):
    model = _object(tf)
    model.x = OrderedDict(b=1, a=tf.Variable(1.0))
    model.x.move_to_end("b")
    return [isinstance(model.x, OrderedDict), list(model.x), type(model.x).__name__, model.x.__class__.__name__]


_TUPLE_READS = {
    "add": lambda w: type(w + (1,)).__name__,
    "added": lambda w: type((1,) + w).__name__,
    "slice": lambda w: type(w[:1]).__name__,
    "multiply": lambda w: type(w * 2).__name__,
    "equal": lambda w: [w == tuple(w), tuple(w) == w, w == (1,)],
    "contains": lambda w: 1 in w,
    "starred": lambda w: (lambda *given: len(given))(*w),
    "count": lambda w: w.count(1),
    "index": lambda w: w.index(1),
    "shallow": lambda w: type(copy.copy(w)).__name__,
    "deep": lambda w: type(copy.deepcopy(w)).__name__,
    "is_tuple": lambda w: isinstance(w, tuple),
}


def prog_reading_tuples(tf, np):
    model = _object(tf)
    model.x = (1, [2])
    return {name: f(model.x) for name, f in _TUPLE_READS.items()}


def prog_tuples_changed_in_place_are_wrapped_anew(tf, np):
    model = _object(tf)
    model.x = (1, [2])
    model.x += (3,)
    first = [type(model.x).__name__, _children(model.x)]
    model.x *= 2
    return [first, type(model.x).__name__, _children(model.x)]


def prog_namedtuples(tf, np):
    """Their elements are children by name and by index."""
    model = _object(tf)
    model.x = Pair(tf.Variable(1.0), [2])
    x = model.x
    return [
        [isinstance(x, Pair), x.__class__.__name__, type(x).__name__, x._fields, _children(x)],
        [type(x.a).__name__, type(x.b).__name__, type(x._replace(b=3)).__name__, type(x._make([1, 2])).__name__],
        [list(x._asdict()), type(copy.copy(x)).__name__, type(copy.deepcopy(x)).__name__],
    ]


def prog_variables_of_containers(tf, np):
    model = _object(tf)
    model.d = {"b": tf.Variable(1.0), "a": tf.Variable(2.0, trainable=False), "n": [tf.Variable(3.0)]}
    d = model.d
    values = lambda variables: [float(v) for v in variables]
    shown = [values(d.variables), values(d.trainable_variables), values(d.non_trainable_variables), d.layers, d.trainable]
    d.trainable = False
    return [*shown, values(d.trainable_weights), values(d.non_trainable_weights), values(d.weights)]


def prog_wrap(tf, np):
    wrap = tf.__internal__.tracking.wrap
    return [type(wrap(value)).__name__ for value in ([1], {}, OrderedDict(), (1,), ([],), 3, None, "a", defaultdict(int))]


def prog_structures_of_wrappers(tf, np):
    """Wrappers are structure to tf.nest; one alone gives its own kind back, but for namedtuples."""
    model = _object(tf)
    model.l, model.d, model.t, model.n = [1, (2, [3])], {"b": 1, "a": [2]}, (1, [2]), Pair(1, [2])
    plain = {"l": [1, (2, [3])], "d": {"b": 1, "a": [2]}, "t": (1, [2]), "n": Pair(1, [2])}
    shown = []
    for name, same in plain.items():
        wrapped = getattr(model, name)
        tf.nest.assert_same_structure(wrapped, same)
        tf.nest.assert_same_structure(same, wrapped)
        alone = tf.nest.map_structure(lambda x: x + 1, wrapped)
        beside = tf.nest.map_structure(lambda x, y: x + y, same, wrapped)
        before = tf.nest.map_structure(lambda x, y: x + y, wrapped, same)
        packed = tf.nest.pack_sequence_as(wrapped, [7, 8, 9][: len(tf.nest.flatten(wrapped))])
        kinds = [type(x).__name__ for x in (alone, beside, before, packed)]
        shown.append([name, tf.nest.flatten(wrapped), tf.nest.is_nested(wrapped), kinds, normalise(repr(alone))])
    return shown


def prog_functions_share_traces_with_plain_containers(tf, np):
    """The body sees plain containers."""
    model, seen = _object(tf), []
    v = tf.Variable(1.0)
    model.l, model.d, model.t, model.n = [1, (v, 2)], {"b": tf.constant(1.0), "a": [3]}, (tf.constant(1.0), v), Pair(v, 1)
    plain = [[1, (v, 2)], {"b": tf.constant(1.0), "a": [3]}, (tf.constant(1.0), v), Pair(v, 1)]

    @tf.function
    def f(x):
        seen.append(type(x).__name__)
        return 0

    for name, same in zip("ldtn", plain, strict=True):
        f(getattr(model, name))
        f(same)
        f(getattr(model, name))
    return [seen, f.experimental_get_tracing_count()]


def prog_results_of_functions_are_plain(tf, np):
    model = _object(tf)
    model.l, model.d, model.t, model.n = [1, [2]], {"a": [1]}, (1, [2]), Pair(1, [2])

    @tf.function
    def f():
        return model.l, model.d, model.t, model.n

    return [[type(x).__name__ for x in f()], type(f()[1]["a"]).__name__]


def prog_loops_over_wrapped_lists(tf, np):
    model = tf.Module()
    model.scales, model.seen = [1.0, 2.0], []

    @tf.function
    def f(x):
        total = 0.0
        for scale in model.scales:
            total += scale * x
        model.seen.append(1)
        return total

    return [f(tf.constant(2.0)), f(tf.constant(3.0)), model.seen]


def prog_lists_become_tensors(tf, np):
    wrap = tf.__internal__.tracking.wrap
    two = wrap([tf.constant(1.0), tf.constant(2.0)])
    return [tf.convert_to_tensor(wrap([1, 2])), tf.stack(two), tf.add_n(two), tf.zeros(wrap([2, 1])), tf.constant([1, 2]) + wrap([1, 2])]


def prog_modules_see_through_wrappers(tf, np):
    module = tf.Module()
    module.l = [tf.Module(), {"q": tf.Variable(1.0, name="q")}]
    module.t = (tf.Variable(2.0, name="t"), Pair(tf.Variable(3.0, name="u"), 1))
    module.l[0].v = tf.Variable(4.0, name="v")
    paths = [path for path, _ in module._flatten(predicate=lambda x: isinstance(x, tf.Variable), with_path=True)]
    copied = copy.deepcopy(module)
    return [
        [v.name for v in module.variables],
        len(module.submodules),
        paths,
        [v.name for v in copied.variables],
        copied._trackable_children()["l"] is copied.l,
        _children(copied),
        copied.l[0] is module.l[0],
        _children(pickle.loads(pickle.dumps(module)).l),
    ]


def prog_a_module_with_an_attribute_deleted(tf, np):
    module = tf.Module()
    module.l, module.v = [tf.Variable(1.0)], tf.Variable(2.0)
    del module.l
    return [len(module.variables), _children(module)]


def prog_properties_and_attributes(tf, np):
    class Model(tf.__internal__.tracking.AutoTrackable):
        @property
        def kernel(self):
            return self._kernel

        @kernel.setter
        def kernel(self, value):
            self._kernel = value

        @property
        def fixed(self):
            return 1

    model = Model()
    model.kernel = tf.Variable(1.0)
    failed = attempt(lambda: setattr(model, "fixed", 2))
    return [_children(model), failed]


def prog_values_of_variables(tf, np):
    v = tf.Variable([1.0, 2.0], name="v")
    v._restore_from_tensors({"VARIABLE_VALUE": tf.constant([3.0, 4.0])})
    wrong = attempt(lambda: v._restore_from_tensors({"VARIABLE_VALUE": tf.constant([5.0])}))
    saved = list(v._gather_saveables_for_checkpoint())
    return [v, wrong, saved, list(v._serialize_to_tensors()), _children(v), v._object_identifier]


def prog_generators_have_their_state_as_child(tf, np):
    generator = tf.random.Generator.from_seed(1)
    generator.extra = [1]
    return [_children(generator), type(generator.extra).__name__]


def prog_variables_made_by_a_getter(tf, np):
    model, asked = _object(tf), []

    def getter(**given):
        asked.append(sorted(given))
        return tf.Variable(1.0)

    make = lambda **more: model._add_variable_with_custom_getter("w", shape=[], getter=getter, **more)
    first = make(extra=1)
    return [_children(model), attempt(lambda: make()), make(overwrite=True) is model._lookup_dependency("w"), asked, first]


def prog_paths_to_the_leaves_of_modules(tf, np):
    """A walk gives each leaf once, a walk with paths each way to it."""
    v = tf.Variable(1.0, name="v")
    module, below = tf.Module(), tf.Module()
    module.a, module.b, module.c = v, v, [v, (v, {"k": v})]
    below.v, below.up, module.s, module.s2 = v, module, below, [below]
    kinds = (tf.Variable, tf.Module)
    shown = []
    for options in ({}, {"recursive": False}, {"attribute_traversal_key": lambda name: [-ord(c) for c in name]}):
        for kind in kinds:
            is_kind = lambda leaf, kind=kind: isinstance(leaf, kind)
            paths = [path for path, _ in module._flatten(predicate=is_kind, with_path=True, **options)]
            shown.append([paths, len(list(module._flatten(predicate=is_kind, **options)))])
    return shown

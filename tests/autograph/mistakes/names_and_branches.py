"""Names that are not set, `None`, missing returns, and what differs between branches or iterations."""

# ruff: noqa: F821, F841, RET502, RET503, RET504  (these functions are wrong on purpose)

from tests.autograph.framework import tf
from tests.autograph.mistakes import ONE, VECTOR, mistake

# -- names ------------------------------------------------------------------------------------------------------------


@mistake(ONE)
def name_set_in_main_branch_only(x):
    if x > 0:  # <-- here
        y = x * 2
    return y


@mistake(ONE)
def name_set_in_else_branch_only(x):
    if x > 0:  # <-- here
        pass
    else:
        y = x * 2
    return y


@mistake(ONE)
def name_set_in_one_arm_of_elif(x):
    if x > 2:
        y = x
    elif x > 1:  # <-- here
        y = x + 1
    else:
        z = x + 2
    return y


@mistake(ONE)
def attribute_set_in_one_branch_only(x):
    class Box:
        pass

    box = Box()
    if x > 0:  # <-- here
        box.value = x
    return box.value


@mistake(ONE)
def key_set_in_one_branch_only(x):
    table = {}
    if x > 0:  # <-- here
        table["a"] = x
    return table["a"]


@mistake(ONE)
def name_never_defined(x):
    if x > 0:
        y = x + undefined_offset  # <-- here
    else:
        y = x
    return y


@mistake(ONE)
def local_name_read_before_assignment(x):
    y = total + x  # <-- here
    total = y
    return total


@mistake(
    ONE,
    ours=(
        "UnboundLocalError",
        "cannot access local variable 'y' where it is not associated with a value",
        "Python itself raises it, in its own words",
    ),
)
def name_deleted_then_read(x):
    y = x + 1
    del y
    return y  # <-- here


@mistake(ONE)
def loop_state_not_initialised_before_while(x):
    while x < 5:  # <-- here
        total = total + x  # <-- here
        x = x + 1
    return total


@mistake(ONE)
def loop_state_not_initialised_before_for(x):
    for i in tf.range(x):  # <-- here
        total += i  # <-- here
    return total


@mistake(
    ONE,
    ours=(
        "UnboundLocalError",
        "cannot access local variable 'y' where it is not associated with a value",
        "Python itself raises it, in its own words",
    ),
)
def name_bound_only_inside_python_loop_that_never_runs(x):
    for _ in []:
        y = x
    return y  # <-- here


@mistake(ONE)
def free_variable_bound_too_late(x):
    def add(value):
        return value + offset  # <-- here

    y = add(x)
    offset = 3
    return y


# -- None, returns ----------------------------------------------------------------------------------------------------


@mistake(ONE)
def none_in_else_branch(x):
    if x > 0:  # <-- here
        y = x
    else:
        y = None
    return y


@mistake(ONE)
def none_in_main_branch(x):
    y = None
    if x > 0:  # <-- here
        pass
    else:
        y = x
    return y


@mistake(ONE)
def value_becomes_none_in_loop(x):
    y = x
    while x < 3:  # <-- here
        y = None
        x += 1
    return y


@mistake(ONE)
def return_missing_in_else_branch(x):
    if x > 0:  # <-- here
        return x


@mistake(ONE)
def return_missing_in_main_branch(x):
    if x > 0:  # <-- here
        y = x + 1
    else:
        return x


@mistake(
    ONE,
    ours=(
        "ValueError",
        'the return value is None at the end of the else branch.',
        "TensorFlow tells of retval_, a name of its own",
    ),
)
def return_without_value_in_one_branch(x):
    if x > 0:  # <-- here
        return x
    else:
        return


@mistake(ONE, lifted="return in a tensor loop")
def return_missing_after_loop(x):
    while x < 10:  # <-- here
        if x > 5:
            return x
        x += 1


@mistake(
    ONE,
    ours=(
        "TypeError",
        'the return value has dtype int32 in the main branch, but dtype float32 in the else branch',
        "TensorFlow tells of retval_, a name of its own",
    ),
)
def returns_of_different_dtype(x):
    if x > 0:  # <-- here
        return x
    return tf.constant(0.5)


@mistake(
    ONE,
    ours=(
        "TypeError",
        'the return value must have the same nested structure in the main and else branches:',
        "TensorFlow tells of retval_, a name of its own",
    ),
)
def returns_of_different_structure(x):
    if x > 0:  # <-- here
        return x, x
    return x


# -- dtype and shape --------------------------------------------------------------------------------------------------


@mistake(ONE)
def dtype_differs_between_branches(x):
    if x > 0:  # <-- here
        y = tf.constant(1)
    else:
        y = tf.constant(1.0)
    return y


@mistake(ONE)
def python_numbers_of_different_type_in_branches(x):
    if x > 0:  # <-- here
        y = 1
    else:
        y = 1.5
    return y


@mistake(ONE)
def dtype_changes_in_while(x):
    total = 0
    while x < 5:
        total = total + tf.constant(0.5)  # <-- here
        x += 1
    return total


@mistake(VECTOR)
def dtype_changes_in_for(x):
    total = 0
    for v in x:
        total = total + v  # <-- here
    return total


@mistake(ONE)
def division_turns_the_counter_into_a_float(x):
    while x < 5:  # <-- here
        x = x / 2 + 4
    return x


@mistake(VECTOR)
def shape_grows_in_for(x):
    y = tf.zeros([1])
    for v in x:  # <-- here
        y = tf.concat([y, [v]], 0)
    return y


@mistake(ONE)
def shape_grows_in_while(x):
    y = tf.constant([1])
    while x < 5:  # <-- here
        y = tf.concat([y, y], 0)
        x += 1
    return y


@mistake(ONE)
def rank_changes_in_while(x):
    y = tf.constant(1)
    while x < 5:  # <-- here
        y = tf.stack([y, y])
        x += 1
    return y


@mistake(VECTOR)
def operands_of_different_dtype_inside_loop(x):
    total = 0
    for v in x:
        total = tf.constant(1) + v  # <-- here
    return total


@mistake(VECTOR)
def shapes_do_not_match_inside_branch(x):
    if x[0] > 0:
        y = x + tf.zeros([2])  # <-- here
    else:
        y = x
    return y


# -- structures -------------------------------------------------------------------------------------------------------


@mistake(ONE)
def tuple_lengths_differ_between_branches(x):
    if x > 0:  # <-- here
        y = (x, x)
    else:
        y = (x, x, x)
    return y


@mistake(ONE)
def dict_keys_differ_between_branches(x):
    if x > 0:  # <-- here
        y = {"a": x}
    else:
        y = {"b": x}
    return y


@mistake(ONE)
def list_in_one_branch_number_in_the_other(x):
    if x > 0:  # <-- here
        y = [x]
    else:
        y = x
    return y


@mistake(ONE)
def list_grows_in_while(x):
    values = [x]
    while x < 5:  # <-- here
        values = values + [x]
        x += 1
    return values


@mistake(ONE, lifted="list.append in a tensor loop")
def list_appended_in_loop_then_read(x):
    values = []
    for i in tf.range(x + 2):
        values.append(i)
    return tf.stack(values)  # <-- here


@mistake(
    ONE,
    ours=(
        "TypeError",
        "'mode' is a Mode object at the end of the main branch, and another one at the end of the else branch.",
        "TensorFlow tells of its own function, not of the variable",
    ),
)
def object_that_is_no_tensor_changes_in_branch(x):
    class Mode:
        pass

    if x > 0:  # <-- here
        mode = Mode()
    else:
        mode = Mode()
    return mode


@mistake(ONE)
def python_counter_of_tensor_loop_indexes_a_list(x):
    items = [10, 20, 30]
    k = 0
    while x < 3:
        x += items[k]  # <-- here
        k += 1
    return x

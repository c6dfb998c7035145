"""Writers: files and their names, queues, defaults, steps, closing, conditions, errors."""

from __future__ import annotations

import os
import threading

from tests.oracle.programs._summary_helpers import events, folder, names, records, sizes, written


def prog_file_is_there_at_once(tf, np):
    with folder() as f:
        writer = tf.summary.create_file_writer(f("deep/er"))
        found = [names(f("deep/er")), type(writer).__name__, isinstance(writer, tf.summary.SummaryWriter)]
        writer.close()
        return [*found, events(f("deep/er"))]


def prog_first_event_has_whole_seconds(tf, np):
    with folder() as f:
        tf.summary.create_file_writer(f("w")).close()
        path = f("w/" + os.listdir(f("w"))[0])
        event = next(iter(tf.compat.v1.train.summary_iterator(path)))
        return [event.wall_time == int(event.wall_time), str(int(event.wall_time)) in path, event.file_version]


def prog_suffixes(tf, np):
    with folder() as f:
        for suffix in (".xyz", "", None, "é"):
            tf.summary.create_file_writer(f("w"), filename_suffix=suffix).close()
        return sorted(names(f("w")))


def _sizes_while_writing(tf, count, **options):
    with folder() as f:
        writer = tf.summary.create_file_writer(f("w"), **options)
        found = sizes(f("w"))
        with writer.as_default():
            for step in range(count):
                tf.summary.write("a", 1.0, step=step)
                found += sizes(f("w"))
        found += sizes(f("w"))
        writer.close()
        return found + sizes(f("w"))


def prog_queue_of_ten(tf, np):
    return _sizes_while_writing(tf, 25)


def prog_queue_of_three(tf, np):
    return _sizes_while_writing(tf, 10, max_queue=3)


def prog_queue_of_none(tf, np):
    return _sizes_while_writing(tf, 4, max_queue=0)


def prog_queue_negative(tf, np):
    return _sizes_while_writing(tf, 30, max_queue=-5)


def prog_flush_at_once(tf, np):
    return _sizes_while_writing(tf, 4, flush_millis=-1)


def prog_flush_by_hand(tf, np):
    with folder() as f:
        writer = tf.summary.create_file_writer(f("w"))
        found = []
        with writer.as_default(step=1):
            tf.summary.write("a", 1.0)
            found += sizes(f("w"))
            found.append(writer.flush())
            found += sizes(f("w"))
            tf.summary.write("a", 1.0)
            found.append(tf.summary.flush())
            found += sizes(f("w"))
            found.append(tf.summary.flush(writer))
        return found


def prog_flush_refused(tf, np):
    with folder() as f:
        return [f.attempt(lambda: tf.summary.flush("x")), tf.summary.flush(), tf.summary.flush(tf.summary.create_noop_writer())]


def prog_close(tf, np):
    with folder() as f:
        writer = tf.summary.create_file_writer(f("w"))
        with writer.as_default():
            tf.summary.write("a", 1.0, step=1)
            writer.close()
        found = [writer.close(), writer.flush()]
        for call in (writer.as_default, writer.set_as_default, writer.init):
            found.append(f.attempt(call)[0])
        return [found, events(f("w"))]


def prog_write_after_close(tf, np):
    with folder() as f:
        writer = tf.summary.create_file_writer(f("w"))
        with writer.as_default():
            writer.close()
            return f.attempt(lambda: tf.summary.write("a", 1.0, step=1))[0]


def prog_init_in_eager_mode(tf, np):
    with folder() as f:
        return tf.summary.create_file_writer(f("w")).init()


def prog_unwritable_folders(tf, np):
    with folder() as f:
        path = f.write("file", b"x")
        calls = [lambda: tf.summary.create_file_writer(path + "/x"), lambda: tf.summary.create_file_writer("/proc/nope")]
        return [f.attempt(call) for call in calls]


def prog_folders_refused(tf, np):
    with folder() as f:
        return [f.attempt(lambda x=x: tf.summary.create_file_writer(x)) for x in (None, 3, [])]


def prog_folders_of_other_types(tf, np):
    with folder() as f:
        tf.summary.create_file_writer(tf.constant(f("a"))).close()
        tf.summary.create_file_writer(f("b").encode()).close()
        return [names(f("a")), names(f("b"))]


def prog_queue_refused(tf, np):
    with folder() as f:
        return [f.attempt(lambda: tf.summary.create_file_writer(f("w"), max_queue="x")), f.attempt(lambda: tf.summary.create_file_writer(f("w"), filename_suffix=3))]


def prog_two_writers_of_a_folder(tf, np):
    with folder() as f:
        first, second = (tf.summary.create_file_writer(f("w")) for _ in range(2))
        for number, writer in enumerate((first, second, first)):
            with writer.as_default(step=number):
                tf.summary.write("a", number)
        first.close()
        second.close()
        return events(f("w"))


def prog_steps_of_writers(tf, np):
    get, put = tf.summary.experimental.get_step, tf.summary.experimental.set_step
    with folder() as f, tf.summary.create_file_writer(f("outer")).as_default():  # puts the writer before it back
        writer = tf.summary.create_file_writer(f("w"))
        found = [get()]
        with writer.as_default(5) as entered:
            found += [entered is writer, get()]
            put(77)
            found.append(get())
        found.append(get())
        writer.set_as_default(3)
        found.append(get())
        with writer.as_default():
            found.append(get())
        tf.summary.write("a", 1.0)
        put(None)
        found.append(get())
        tf.summary.create_noop_writer().set_as_default(9)
        found.append(get())
        writer.close()
        return [found, events(f("w"))]


def prog_step_objects_stay(tf, np):
    found = []
    for step in (3, 2.5, "x", tf.constant(3)):
        tf.summary.experimental.set_step(step)
        found.append(tf.summary.experimental.get_step() is step)
    tf.summary.experimental.set_step(None)
    return found


def prog_steps_belong_to_threads(tf, np):
    found = []
    with folder() as f:
        writer = tf.summary.create_file_writer(f("w"))
        def look():
            found.extend([tf.summary.experimental.get_step(), bool(tf.summary.should_record_summaries())])
        with writer.as_default(4):
            thread = threading.Thread(target=look)
            thread.start()
            thread.join()
            look()
        return found


def prog_step_variable(tf, np):
    step = tf.Variable(0, dtype=tf.int64)
    def body(writer):
        tf.summary.experimental.set_step(step)
        for _ in range(3):
            tf.summary.scalar("a", 1.0)
            step.assign_add(2)
    return written(tf, body)


def prog_no_writer(tf, np):
    s = tf.summary
    return [s.scalar("a", 1.0), s.write("a", 1.0, step=1), s.histogram("a", [1.0]), s.image("i", np.zeros((1, 1, 1, 1))), s.text("t", "x"), s.audio("a", np.zeros((1, 1, 1), np.float32), 1), s.graph(tf.Graph()), s.experimental.write_raw_pb(b""), s.should_record_summaries()]


def prog_noop_writer(tf, np):
    noop = tf.summary.create_noop_writer()
    def body(writer):
        with noop.as_default():
            return [tf.summary.write("a", 1, step=1), noop.init(), noop.flush(), noop.close(), noop.set_as_default()]
    return written(tf, body)


def prog_nested_writers(tf, np):
    with folder() as f:
        outer, inner = tf.summary.create_file_writer(f("o")), tf.summary.create_file_writer(f("i"))
        with outer.as_default(1):
            with inner.as_default(2):
                tf.summary.write("a", 1)
            tf.summary.write("b", 1)
        outer.close()
        inner.close()
        return [events(f("o")), events(f("i"))]


def prog_base_class(tf, np):
    writer = tf.summary.SummaryWriter()
    with folder() as f:
        return [f.attempt(call) for call in (writer.init, writer.flush, writer.close)]


def prog_writers_are_no_context_managers(tf, np):
    with folder() as f:
        writer = tf.summary.create_file_writer(f("w"))
        return [hasattr(writer, "__enter__"), hasattr(writer, "__exit__")]


def _recorded(tf, *conditions):
    found = []
    def body(writer):
        for number, condition in enumerate(conditions):
            with tf.summary.record_if(condition):
                try:
                    found.append([tf.summary.should_record_summaries(), tf.summary.write("a", number, step=number)])
                except TypeError as error:
                    found.append(str(error))
    events_written = written(tf, body)
    return [found, events_written]


def prog_conditions(tf, np):
    return _recorded(tf, True, False, None, tf.constant(True), tf.constant(False), lambda: True, lambda: False, lambda: tf.constant(False))


def prog_conditions_refused(tf, np):
    return _recorded(tf, "x", 1, lambda: 1, lambda: "x")


def prog_nested_conditions(tf, np):
    def body(writer):
        with tf.summary.record_if(False):
            with tf.summary.record_if(True):
                first = tf.summary.write("a", 1, step=1)
            return [first, tf.summary.write("b", 1, step=1)]
    return written(tf, body)


def prog_what_is_refused_where_nothing_is_recorded(tf, np):
    def body(writer):
        with tf.summary.record_if(False):
            found = [tf.summary.write("w", 1), tf.summary.write("w", object()), tf.summary.graph(tf.Graph())]
            try:
                tf.summary.scalar("w", [1, 2])
            except ValueError as error:
                found.append(str(error))
            return found
    return written(tf, body)


def prog_functions_make_values_only_where_recorded(tf, np):
    made = []
    def value():
        made.append(1)
        return tf.constant(4)
    def body(writer):
        with tf.summary.record_if(False):
            tf.summary.write("a", value, step=1)
        tf.summary.write("a", value, step=1)
        return made
    return written(tf, body)


def prog_error_in_the_scope(tf, np):
    with folder() as f:
        writer = tf.summary.create_file_writer(f("w"))
        def fails():
            with writer.as_default(3):
                tf.summary.write("a", 1)
                raise KeyError("x")
        found = f.attempt(fails)
        return [found, tf.summary.experimental.get_step(), tf.summary.should_record_summaries()]


def prog_tags_in_functions_that_call_functions(tf, np):
    def note(tag, result=None):
        tf.summary.scalar(tag, 1.0, step=1)
        return result
    x = tf.constant([1.0, 2.0])
    def body(writer):
        tf.map_fn(lambda v: note("map", v), x)
        tf.scan(lambda a, v: note("scan", v), x)
        tf.foldl(lambda a, v: note("foldl", v), x)
        tf.foldr(lambda a, v: note("foldr", v), x)
        tf.while_loop(lambda i: i < 1, lambda i: [note("while", i + 1)], [tf.constant(0)])
        tf.case([(tf.constant(True), lambda: note("case", 1.0))], default=lambda: 2.0)
        tf.cond(tf.constant(True), lambda: note("cond", 1.0), lambda: 2.0)
        tf.switch_case(tf.constant(0), [lambda: note("switch", 1.0)])
        tf.custom_gradient(lambda x: (note("custom", x), lambda dy: dy))(x)
    return written(tf, body)


def prog_read_by_datasets_and_iterators(tf, np):
    with folder() as f:
        writer = tf.summary.create_file_writer(f("w"))
        with writer.as_default(3):
            tf.summary.scalar("a", 1.0)
            tf.summary.text("t", "x")
        path = f("w/" + os.listdir(f("w"))[0])
        tags = [[value.tag for value in event.summary.value] for event in tf.compat.v1.train.summary_iterator(path)]
        lengths = [len(record) for record in tf.data.TFRecordDataset(path).as_numpy_iterator()]
        return [tags, lengths, [len(record) for record in records(path)]]

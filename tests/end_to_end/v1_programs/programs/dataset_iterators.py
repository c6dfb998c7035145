"""The four iterators of tf.data in sessions: one-shot, initializable, reinitializable, feedable."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
one_shot = tf.data.Dataset.range(100).filter(lambda x: tf.equal(x % 25, 0)).make_one_shot_iterator().get_next()
max_value = tf.placeholder(tf.int64, shape=[])
initializable = tf.data.Dataset.range(max_value).map(lambda x: x * x).batch(3).make_initializable_iterator()
batch = initializable.get_next()
training = tf.data.Dataset.from_tensor_slices(np.arange(4.0)).repeat()
validation = tf.data.Dataset.from_tensor_slices(-np.arange(3.0))
switching = tf.data.Iterator.from_structure(training.output_types, training.output_shapes)
element = switching.get_next()
training_init, validation_init = switching.make_initializer(training), switching.make_initializer(validation)
handle = tf.placeholder(tf.string, shape=[])
feedable = tf.data.Iterator.from_string_handle(handle, training.output_types, training.output_shapes)
chosen = feedable.get_next()
training_iterator = training.make_one_shot_iterator()
validation_iterator = validation.make_initializable_iterator()

with tf.Session() as sess:
    values = []
    try:
        while True:
            values.append(int(sess.run(one_shot)))
    except tf.errors.OutOfRangeError:
        print("one-shot", values)
    for limit in (4, 7):
        sess.run(initializable.initializer, {max_value: limit})
        found = []
        while True:
            try:
                found.append(sess.run(batch).tolist())
            except tf.errors.OutOfRangeError:
                break
        print("initializable", found)
    for _ in range(2):
        sess.run(training_init)
        first = [float(sess.run(element)) for _ in range(5)]
        sess.run(validation_init)
        print("reinitializable", first, [float(sess.run(element)) for _ in range(3)])
    training_handle = sess.run(training_iterator.string_handle())
    validation_handle = sess.run(validation_iterator.string_handle())
    sess.run(validation_iterator.initializer)
    print("feedable", [float(sess.run(chosen, {handle: h})) for h in
                       (training_handle, training_handle, validation_handle, training_handle, validation_handle)])

"""Reading CSV files the old way: a queue of file names, TextLineReader, decode_csv, shuffle_batch."""
import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
folder = tempfile.mkdtemp()
for part in range(2):
    with open(os.path.join(folder, "part%d.csv" % part), "w") as f:
        f.write("a,b,label\n")
        for i in range(6):
            f.write("%d,%.1f,%s\n" % (part * 6 + i, i / 2, "yes" if i % 2 else "no"))
filenames = tf.train.match_filenames_once(os.path.join(folder, "*.csv"))
filename_queue = tf.train.string_input_producer(filenames, num_epochs=1, shuffle=False)
reader = tf.TextLineReader(skip_header_lines=1)
key, line = reader.read(filename_queue)
a, b, label = tf.decode_csv(line, record_defaults=[[0], [0.0], [""]])
features = tf.stack([tf.cast(a, tf.float32), b])
examples, labels = tf.train.shuffle_batch(
    [features, label], batch_size=4, capacity=20, min_after_dequeue=5, allow_smaller_final_batch=True)
rows, names = [], []
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    try:
        while not coord.should_stop():
            example, label_value = sess.run([examples, labels])
            rows.extend(example.tolist())
            names.extend(label_value.tolist())
    except tf.errors.OutOfRangeError:
        print("Done -- epoch limit reached")
    finally:
        coord.request_stop()
    coord.join(threads)
print(len(rows), np.sum(rows, axis=0).tolist(), sorted(names).count(b"yes"))
print(sorted(rows)[:3])

"""Writing tf.train.Examples to TFRecords and reading them back with TFRecordReader and parse_single_example."""
import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
path = os.path.join(tempfile.mkdtemp(), "data.tfrecords")
with tf.python_io.TFRecordWriter(path) as writer:
    for i in range(7):
        feature = {
            "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
            "image_raw": tf.train.Feature(bytes_list=tf.train.BytesList(value=[np.full(4, i, np.uint8).tobytes()])),
            "extra": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5] * i)),
        }
        writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
filename_queue = tf.train.string_input_producer([path], num_epochs=2, shuffle=False)
reader = tf.TFRecordReader()
_, serialized_example = reader.read(filename_queue)
features = tf.parse_single_example(serialized_example, features={
    "image_raw": tf.FixedLenFeature([], tf.string),
    "label": tf.FixedLenFeature([], tf.int64),
    "extra": tf.VarLenFeature(tf.float32),
})
image = tf.decode_raw(features["image_raw"], tf.uint8)
image.set_shape([4])
image = tf.cast(image, tf.float32) * (1.0 / 255) - 0.5
images, labels, extra = tf.train.batch([image, features["label"], features["extra"]], batch_size=5, capacity=50)
with tf.Session() as sess:
    sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    steps = 0
    try:
        while not coord.should_stop():
            im, la, ex = sess.run([images, labels, extra])
            print(la.tolist(), "%.4f" % im.mean(), ex.values.shape, ex.dense_shape.tolist())
            steps += 1
    except tf.errors.OutOfRangeError:
        print("steps", steps)
    coord.request_stop()
    coord.join(threads)
print(sum(1 for _ in tf.python_io.tf_record_iterator(path)))

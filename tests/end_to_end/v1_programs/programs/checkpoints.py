"""Saving with max_to_keep and global_step, restoring the latest, restoring a part under other names."""
import os
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
folder = tempfile.mkdtemp()
with tf.Graph().as_default():
    v1 = tf.get_variable("v1", shape=[3], initializer=tf.zeros_initializer)
    v2 = tf.get_variable("v2", shape=[5], initializer=tf.zeros_initializer)
    inc_v1, dec_v2 = v1.assign(v1 + 1), v2.assign(v2 - 1)
    step = tf.train.create_global_step()
    add_step = tf.assign_add(step, 10)
    saver = tf.train.Saver(max_to_keep=2)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(4):
            sess.run([inc_v1.op, dec_v2.op])
            sess.run(add_step)
            path = saver.save(sess, os.path.join(folder, "model.ckpt"), global_step=step)
    print(os.path.basename(path), [os.path.basename(p) for p in saver.last_checkpoints])
    print(sorted(name for name in os.listdir(folder) if name.endswith("index")))
latest = tf.train.latest_checkpoint(folder)
reader = tf.train.NewCheckpointReader(latest)
print(sorted(reader.get_variable_to_shape_map().items()), reader.get_tensor("v1"))
with tf.Graph().as_default():
    renamed = tf.get_variable("renamed", shape=[3])
    fresh = tf.get_variable("fresh", shape=[], initializer=tf.constant_initializer(7.0))
    saver = tf.train.Saver({"v1": renamed})
    with tf.Session() as sess:
        saver.restore(sess, latest)
        print(sess.run(tf.report_uninitialized_variables()))
        sess.run(fresh.initializer)
        print(sess.run([renamed, fresh]))

"""Training under a Supervisor: a managed session, its own summaries, a restart from the saved model."""
import os
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
folder = tempfile.mkdtemp()
for run in range(2):
    with tf.Graph().as_default():
        global_step = tf.train.create_global_step()
        w = tf.Variable(10.0, name="w")
        loss = tf.square(w)
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=global_step)
        summary_op = tf.summary.merge([tf.summary.scalar("loss", loss)])
        sv = tf.train.Supervisor(logdir=folder, summary_op=None, save_model_secs=0)
        with sv.managed_session() as sess:
            print("run", run, "starts at step", tf.train.global_step(sess, sv.global_step))
            while not sv.should_stop():
                _, step = sess.run([train_op, global_step])
                if tf.train.global_step(sess, global_step) % 5 == 0:
                    sv.summary_computed(sess, sess.run(summary_op))
                    sv.saver.save(sess, sv.save_path, global_step=sv.global_step)
                if tf.train.global_step(sess, global_step) % 10 == 0:
                    sv.request_stop()
            print("loss %.5f" % sess.run(loss))
print(os.path.basename(tf.train.latest_checkpoint(folder)))

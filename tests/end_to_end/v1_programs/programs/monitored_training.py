"""MonitoredTrainingSession with hooks of its own and of the library; a second one goes on from the checkpoint."""
import os
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)
folder = tempfile.mkdtemp()


class LossHook(tf.train.SessionRunHook):
    def __init__(self, loss):
        self.loss = loss

    def begin(self):
        self.values = []

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.loss)

    def after_run(self, run_context, run_values):
        self.values.append(round(float(run_values.results), 4))

    def end(self, session):
        print("losses", self.values[0], self.values[-1], len(self.values))


def train(last_step):
    with tf.Graph().as_default():
        global_step = tf.train.get_or_create_global_step()
        w = tf.get_variable("w", [], initializer=tf.constant_initializer(5.0))
        loss = tf.square(w - 1.0)
        tf.summary.scalar("loss", loss)
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=global_step)
        hooks = [tf.train.StopAtStepHook(last_step=last_step), tf.train.NanTensorHook(loss), LossHook(loss),
                 tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=5)]
        with tf.train.MonitoredTrainingSession(
                checkpoint_dir=folder, hooks=hooks, save_checkpoint_steps=4, save_summaries_steps=2) as mon_sess:
            print("starts at", mon_sess.run_step_fn(lambda step_context: step_context.session.run(global_step)))
            while not mon_sess.should_stop():
                mon_sess.run(train_op)


train(6)
train(10)
print(os.path.basename(tf.train.latest_checkpoint(folder)))
steps = set()
for name in sorted(os.listdir(folder)):
    if name.startswith("events"):
        for event in tf.train.summary_iterator(os.path.join(folder, name)):
            if any(value.tag == "loss" for value in event.summary.value):
                steps.add(event.step)
print(sorted(steps))

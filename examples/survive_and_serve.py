"""Trains, is killed in the middle, goes on where it was, and serves what it learned by a signature.

A child process learns to tell two spirals apart and saves a checkpoint every few steps: the weights, the momentum of
the optimizer, the position in the dataset, the number of the step. The parent kills the child with SIGKILL in the
middle of its work, starts a new child, and that child goes on from the newest checkpoint. The last child writes a
SavedModel, which a third process serves without the code of the model.

    $ python -m millrace run examples/survive_and_serve.py
    $ python -m millrace show FOLDER/model --all
"""

import argparse
import itertools
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

STEPS, SAVE_EVERY, KILL_AFTER = 600, 20, 200


def spirals(tf, count=512):
    """Returns points of two spirals and which of both each point is on."""
    turns = tf.linspace(0.4, 2.2, count // 2)
    angles = 2.5 * turns * 3.14159 / 2
    one = tf.stack([turns * tf.cos(angles), turns * tf.sin(angles)], axis=1)
    noise = tf.random.stateless_normal([count, 2], seed=[1, 2], stddev=0.05)
    labels = tf.repeat([0.0, 1.0], count // 2)
    return tf.concat([one, -one], axis=0) + noise, labels


def make_model(tf):
    """Returns a small network as a `tf.Module`."""

    class Network(tf.Module):
        def __init__(self, widths):
            super().__init__()
            self.layers = []
            for number, (rows, columns) in enumerate(itertools.pairwise(widths)):
                kernel = tf.random.stateless_normal([rows, columns], seed=[3, number], stddev=1.4 / rows**0.5)
                self.layers.append({"kernel": tf.Variable(kernel), "bias": tf.Variable(tf.zeros([columns]))})

        def logits(self, points):
            x = points
            for layer in self.layers[:-1]:
                x = tf.tanh(x @ layer["kernel"] + layer["bias"])
            return tf.squeeze(x @ self.layers[-1]["kernel"] + self.layers[-1]["bias"], axis=1)

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="points")])
        def classify(self, points):
            return {"probability": tf.sigmoid(self.logits(points))}

    return Network([2, 24, 24, 1])


class Momentum:
    """Steps of gradient descent that remember their direction."""

    def __init__(self, tf, variables):
        self.velocities = tf.Module()
        self.velocities.all = [tf.Variable(tf.zeros_like(variable)) for variable in variables]

    def apply(self, variables, gradients):
        for variable, velocity, gradient in zip(variables, self.velocities.all, gradients, strict=True):
            velocity.assign(0.9 * velocity - 0.05 * gradient)
            variable.assign_add(velocity)


def train(folder):
    """Trains to the last step, from the newest checkpoint on if there is one; then writes the SavedModel."""
    import tensorflow as tf

    points, labels = spirals(tf)
    model = make_model(tf)
    momentum = Momentum(tf, model.trainable_variables)
    data = tf.data.Dataset.from_tensor_slices((points, labels)).shuffle(512, seed=4).repeat().batch(64)
    iterator, step = iter(data), tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(model=model, momentum=momentum.velocities, iterator=iterator, step=step)
    manager = tf.train.CheckpointManager(checkpoint, f"{folder}/checkpoints", max_to_keep=3, step_counter=step)

    @tf.function
    def train_step(batch, targets):
        with tf.GradientTape() as tape:
            losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=model.logits(batch))
            loss = tf.reduce_mean(losses)
        variables = model.trainable_variables
        momentum.apply(variables, tape.gradient(loss, variables))
        return loss

    restored = manager.restore_or_initialize()
    print(f"starts at step {int(step)}" + (f", from {os.path.basename(restored)}" if restored else ""), flush=True)
    while int(step) < STEPS:
        loss = train_step(*next(iterator))
        step.assign_add(1)
        if int(step) % SAVE_EVERY == 0:
            manager.save()
            print(f"step {int(step)} loss {float(loss):.6f}", flush=True)
    tf.saved_model.save(model, f"{folder}/model", signatures={"serving_default": model.classify})


def serve(folder):
    """Loads the SavedModel, which needs none of the classes above, and asks its signature."""
    import tensorflow as tf

    model = tf.saved_model.load(f"{folder}/model")
    points, labels = spirals(tf)
    probability = model.signatures["serving_default"](points=points)["probability"]
    right = tf.reduce_mean(tf.cast((probability > 0.5) == (labels > 0.5), tf.float32))
    print(f"served: {100 * float(right):.1f} % of {len(labels)} points right")


def command(folder, *arguments):
    """Returns how to start this program again, as it was started."""
    started = sys.orig_argv[: sys.orig_argv.index(sys.argv[0]) + 1]
    return [sys.executable, *started[1:], "--folder", folder, *arguments]


def killed_and_continued(folder):
    """Runs a training that is killed, and a second one that goes on; returns what both printed."""
    first = subprocess.Popen(command(folder, "--train"), stdout=subprocess.PIPE, text=True)
    lines = []
    for line in first.stdout:
        lines.append(line.rstrip())
        if line.startswith(f"step {KILL_AFTER} "):
            time.sleep(0.02)
            first.send_signal(signal.SIGKILL)
    first.wait()
    lines.append("killed")
    second = subprocess.run(command(folder, "--train"), stdout=subprocess.PIPE, text=True, check=True)
    return lines + second.stdout.splitlines()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", default=None)
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--serve", action="store_true")
    arguments = parser.parse_args()
    folder = arguments.folder or tempfile.mkdtemp(prefix="spirals-")
    if arguments.train:
        train(folder)
    elif arguments.serve:
        serve(folder)
    else:
        lines = killed_and_continued(folder)
        shown = [n for n, line in enumerate(lines) if not line.startswith("step")]
        for number, line in enumerate(lines):
            if any(abs(number - other) <= 1 for other in shown) or number == len(lines) - 1:
                print(line)
        subprocess.run(command(folder, "--serve"), check=True)
        print(sorted(path.name for path in pathlib.Path(folder, "checkpoints").glob("*.index")))
        print(f"look into {folder}")


if __name__ == "__main__":
    main()

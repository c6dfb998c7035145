"""Streaming metrics with local variables: accuracy, precision, recall, AUC over batches, reset between epochs."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(0)
labels = tf.placeholder(tf.int64, [None])
scores = tf.placeholder(tf.float32, [None])
predictions = tf.cast(scores > 0.5, tf.int64)
with tf.variable_scope("metrics"):
    metrics = {
        "accuracy": tf.metrics.accuracy(labels, predictions),
        "precision": tf.metrics.precision(labels, predictions),
        "recall": tf.metrics.recall(labels, predictions),
        "auc": tf.metrics.auc(labels, scores, num_thresholds=20),
        "mean": tf.metrics.mean(scores),
        "rmse": tf.metrics.root_mean_squared_error(tf.to_float(labels), scores),
    }
values = {name: value for name, (value, _) in metrics.items()}
updates = [update for _, update in metrics.values()]
reset = tf.variables_initializer(tf.get_collection(tf.GraphKeys.LOCAL_VARIABLES, scope="metrics"))
confusion = tf.confusion_matrix(labels, predictions, num_classes=2)
with tf.Session() as sess:
    for epoch in range(2):
        sess.run(reset)
        total = np.zeros((2, 2), int)
        for _ in range(3):
            truth = rng.randint(0, 2, 20)
            feed = {labels: truth, scores: np.clip(truth * 0.4 + rng.rand(20) * 0.7, 0, 1)}
            sess.run(updates, feed)
            total += sess.run(confusion, feed)
        found = sess.run(values)
        print({name: "%.3f" % found[name] for name in sorted(found)}, total.tolist())

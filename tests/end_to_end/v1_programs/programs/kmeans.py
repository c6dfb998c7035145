"""K-means clustering by hand: distances by broadcasting, new centers by unsorted_segment_sum, until nothing moves."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(0)
truth = np.array([[0, 0], [5, 5], [0, 6]], np.float32)
points_value = np.concatenate([c + rng.normal(0, 0.5, (30, 2)) for c in truth]).astype(np.float32)

points = tf.constant(points_value)
centroids = tf.Variable(points_value[[0, 35, 70]])
assignments = tf.Variable(tf.zeros([90], dtype=tf.int64))
distances = tf.reduce_sum(tf.square(tf.expand_dims(points, 1) - tf.expand_dims(centroids, 0)), 2)
best = tf.argmin(distances, 1)
did_change = tf.reduce_any(tf.not_equal(best, assignments))
totals = tf.unsorted_segment_sum(points, best, 3)
counts = tf.unsorted_segment_sum(tf.ones_like(points), best, 3)
with tf.control_dependencies([did_change]):
    do_updates = tf.group(centroids.assign(totals / counts), assignments.assign(best))
init = tf.initialize_all_variables()
with tf.Session() as sess:
    sess.run(init)
    changed, iters = True, 0
    while changed and iters < 50:
        iters += 1
        changed, _ = sess.run([did_change, do_updates])
    centers = sess.run(centroids)
    print("clusters:", np.bincount(sess.run(assignments)).tolist())
    print(centers[np.argsort(centers[:, 0] + 10 * centers[:, 1])].round(3))

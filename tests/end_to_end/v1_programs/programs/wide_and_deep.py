"""Wide and deep by hand: crossed features hashed into buckets, embeddings, one loss and two optimizers."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
jobs = ["cook", "nurse", "pilot"]
towns = ["north", "south"]
rng = np.random.RandomState(0)
job_ids, town_ids = rng.randint(0, 3, 80), rng.randint(0, 2, 80)
age = rng.uniform(20, 60, (80, 1)).astype(np.float32)
label = ((job_ids == 2) ^ (town_ids == 0)).astype(np.float32)[:, None]

job = tf.placeholder(tf.string, [None])
town = tf.placeholder(tf.string, [None])
age_ph = tf.placeholder(tf.float32, [None, 1])
y = tf.placeholder(tf.float32, [None, 1])
crossed = tf.string_to_hash_bucket_fast(tf.string_join([job, town], "_X_"), 16)
with tf.variable_scope("wide"):
    wide = tf.nn.embedding_lookup(tf.get_variable("w", [16, 1], initializer=tf.zeros_initializer()), crossed)
with tf.variable_scope("deep"):
    job_id = tf.string_to_hash_bucket_fast(job, 8)
    table = tf.get_variable("job", initializer=rng.normal(0, 0.3, (8, 4)).astype(np.float32))
    features = tf.concat([tf.nn.embedding_lookup(table, job_id), (age_ph - 40.0) / 10.0], 1)
    w1 = tf.get_variable("w1", initializer=rng.normal(0, 0.3, (5, 6)).astype(np.float32))
    w2 = tf.get_variable("w2", initializer=rng.normal(0, 0.3, (6, 1)).astype(np.float32))
    deep = tf.matmul(tf.nn.relu(tf.matmul(features, w1)), w2)
logits = wide + deep
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
train = tf.group(
    tf.train.FtrlOptimizer(0.5, l1_regularization_strength=0.001).minimize(loss, var_list=tf.trainable_variables("wide")),
    tf.train.AdagradOptimizer(0.1).minimize(loss, var_list=tf.trainable_variables("deep")))
accuracy = tf.reduce_mean(tf.to_float(tf.equal(tf.to_float(logits > 0), y)))
feed = {job: [jobs[i] for i in job_ids], town: [towns[i] for i in town_ids], age_ph: age, y: label}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(41):
        sess.run(train, feed)
        if step % 20 == 0:
            print(step, "loss %.4f accuracy %.3f" % tuple(sess.run([loss, accuracy], feed)))

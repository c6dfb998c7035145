"""Matrix factorization of ratings with biases: embedding_lookup, regularization, FTRL beside gradient descent."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(0)
users, items, rank = 10, 8, 3
true = rng.normal(size=(users, rank)).dot(rng.normal(size=(rank, items))) + 3
user_ids, item_ids = [index.astype(np.int32) for index in np.nonzero(rng.rand(users, items) < 0.7)]
ratings = true[user_ids, item_ids].astype(np.float32)

user = tf.placeholder(tf.int32, [None])
item = tf.placeholder(tf.int32, [None])
rating = tf.placeholder(tf.float32, [None])
with tf.variable_scope("factors"):
    P = tf.get_variable("P", initializer=rng.normal(0, 0.3, (users, rank)).astype(np.float32))
    Q = tf.get_variable("Q", initializer=rng.normal(0, 0.3, (items, rank)).astype(np.float32))
with tf.variable_scope("biases"):
    bu = tf.get_variable("user", [users], initializer=tf.zeros_initializer())
    bi = tf.get_variable("item", [items], initializer=tf.zeros_initializer())
    mu = tf.constant(ratings.mean())
p, q = tf.nn.embedding_lookup(P, user), tf.nn.embedding_lookup(Q, item)
prediction = mu + tf.gather(bu, user) + tf.gather(bi, item) + tf.reduce_sum(p * q, 1)
rmse = tf.sqrt(tf.reduce_mean(tf.squared_difference(prediction, rating)))
regularizer = 0.02 * (tf.nn.l2_loss(p) + tf.nn.l2_loss(q))
loss = tf.nn.l2_loss(prediction - rating) + regularizer
factors = tf.train.GradientDescentOptimizer(0.05).minimize(loss, var_list=[P, Q])
biases = tf.train.FtrlOptimizer(0.1).minimize(loss, var_list=[bu, bi])
feed = {user: user_ids, item: item_ids, rating: ratings}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(61):
        sess.run([factors, biases], feed)
        if step % 20 == 0:
            print("step %d rmse %.3f" % (step, sess.run(rmse, feed)))

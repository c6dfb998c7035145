"""A multi-armed bandit with policy gradients: one weight for each arm, actions drawn by NumPy."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.reset_default_graph()
bandits = [0.2, 0.0, -0.2, -2.0]
rng = np.random.RandomState(0)


def pull_bandit(bandit):
    return 1 if rng.randn() > bandit else -1


weights = tf.Variable(tf.ones([len(bandits)]))
chosen_action = tf.argmax(weights, 0)
reward_holder = tf.placeholder(shape=[1], dtype=tf.float32)
action_holder = tf.placeholder(shape=[1], dtype=tf.int32)
responsible_weight = tf.slice(weights, action_holder, [1])
loss = -(tf.log(responsible_weight) * reward_holder)
update = tf.train.GradientDescentOptimizer(learning_rate=0.01).minimize(loss)
total_reward = np.zeros(len(bandits))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(300):
        if rng.rand(1) < 0.3:
            action = rng.randint(len(bandits))
        else:
            action = sess.run(chosen_action)
        reward = pull_bandit(bandits[action])
        _, resp = sess.run([update, responsible_weight], feed_dict={reward_holder: [reward], action_holder: [action]})
        total_reward[action] += reward
    ww = sess.run(weights)
    print("weights", ww.round(3))
    print("The agent thinks bandit", np.argmax(ww) + 1, "is the most promising; rewards", total_reward.tolist())

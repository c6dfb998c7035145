"""Deep Q-learning on a corridor: a replay memory, a target network that is copied by assignments."""
import random
from collections import deque

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng, random_ = np.random.RandomState(0), random.Random(0)
N_STATES, N_ACTIONS, GAMMA = 5, 2, 0.9


def network(states, scope):
    with tf.variable_scope(scope):
        w1 = tf.get_variable("w1", initializer=np.eye(N_STATES, 8, dtype=np.float32))
        w2 = tf.get_variable("w2", initializer=np.full((8, N_ACTIONS), 0.1, np.float32))
        return tf.matmul(tf.nn.relu(tf.matmul(states, w1)), w2)


states = tf.placeholder(tf.float32, [None, N_STATES])
actions = tf.placeholder(tf.int32, [None])
targets = tf.placeholder(tf.float32, [None])
q_values, target_q = network(states, "q"), network(states, "target")
q_of_action = tf.reduce_sum(q_values * tf.one_hot(actions, N_ACTIONS), axis=1)
loss = tf.reduce_mean(tf.square(targets - q_of_action))
train_op = tf.train.AdamOptimizer(0.02).minimize(loss, var_list=tf.trainable_variables("q"))
copy_op = [t.assign(q) for t, q in zip(tf.trainable_variables("target"), tf.trainable_variables("q"))]


def one_hot(state):
    return np.eye(N_STATES)[state]


def step(state, action):
    state = min(state + 1, N_STATES - 1) if action == 1 else max(state - 1, 0)
    return state, float(state == N_STATES - 1), state == N_STATES - 1


memory = deque(maxlen=200)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for episode in range(25):
        sess.run(copy_op)
        state = 0
        for _ in range(10):
            action = rng.randint(N_ACTIONS)
            new_state, reward, done = step(state, action)
            memory.append((state, action, reward, new_state, done))
            state = new_state
            if len(memory) >= 16:
                s, a, r, n, d = zip(*random_.sample(list(memory), 16))
                next_q = sess.run(target_q, {states: one_hot(list(n))})
                goal = np.array(r) + GAMMA * next_q.max(1) * (1 - np.array(d, float))
                sess.run(train_op, {states: one_hot(list(s)), actions: a, targets: goal})
            if done:
                break
    q = sess.run(q_values, {states: np.eye(N_STATES)})
    print("go right:", (q.argmax(1)[:-1] == 1).tolist())
    print(q[:-1].round(2))

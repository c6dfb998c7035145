"""Skip-gram word vectors with noise-contrastive estimation; nearest words by cosine similarity."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
words = "the quick brown fox jumps over the lazy dog the fox likes the dog".split()
vocabulary = sorted(set(words))
ids = [vocabulary.index(word) for word in words]
pairs = [(ids[i], ids[j]) for i in range(len(ids)) for j in (i - 1, i + 1) if 0 <= j < len(ids)]
vocabulary_size, embedding_size = len(vocabulary), 8
rng = np.random.RandomState(0)

graph = tf.Graph()
with graph.as_default():
    train_inputs = tf.placeholder(tf.int32, shape=[None])
    train_labels = tf.placeholder(tf.int32, shape=[None, 1])
    with tf.device("/cpu:0"):
        embeddings = tf.Variable(rng.uniform(-1, 1, (vocabulary_size, embedding_size)).astype(np.float32))
        embed = tf.nn.embedding_lookup(embeddings, train_inputs)
        nce_weights = tf.Variable(rng.normal(0, 0.3, (vocabulary_size, embedding_size)).astype(np.float32))
        nce_biases = tf.Variable(tf.zeros([vocabulary_size]))
    # All words are candidates, so that the loss does not depend on a draw.
    sampled = (tf.range(vocabulary_size, dtype=tf.int64), tf.ones_like(train_labels, tf.float32), tf.ones([vocabulary_size]))
    loss = tf.reduce_mean(tf.nn.nce_loss(
        weights=nce_weights, biases=nce_biases, labels=train_labels, inputs=embed, num_sampled=vocabulary_size,
        num_classes=vocabulary_size, sampled_values=sampled))
    optimizer = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keep_dims=True))
    normalized = embeddings / norm
    similarity = tf.matmul(normalized, normalized, transpose_b=True)
    init = tf.global_variables_initializer()

with tf.Session(graph=graph) as session:
    init.run()
    batch_inputs = [pair[0] for pair in pairs]
    batch_labels = [[pair[1]] for pair in pairs]
    for step in range(11):
        _, loss_val = session.run([optimizer, loss], feed_dict={train_inputs: batch_inputs, train_labels: batch_labels})
        if step % 5 == 0:
            print("loss at step", step, "%.3f" % loss_val)
    sim = similarity.eval()
    print("diagonal", "%.3f" % np.mean(np.diag(sim)), "shape", sim.shape)

"""Text in a graph: split, hash, regular expressions, tables of words, counting words with segments."""
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
lines = tf.placeholder(tf.string, [None])
lowered = tf.strings.lower(tf.regex_replace(lines, "[^A-Za-z ]", ""))
words = tf.string_split(lowered)
vocabulary = tf.lookup.StaticVocabularyTable(
    tf.lookup.KeyValueTensorInitializer(["the", "cat", "dog"], tf.constant([0, 1, 2], tf.int64)), num_oov_buckets=2)
ids = tf.SparseTensor(words.indices, vocabulary.lookup(words.values), words.dense_shape)
dense = tf.sparse_tensor_to_dense(ids, default_value=-1)
lengths = tf.segment_sum(tf.ones(tf.shape(words.values), tf.int32), words.indices[:, 0])
unique, _, counts = tf.unique_with_counts(words.values)
joined = tf.reduce_join(tf.reshape(unique, [-1]), 0, separator="|")
numbers = tf.string_to_number(tf.string_split(["1.5 2.5"]).values)
buckets = tf.string_to_hash_bucket_fast(unique, 7)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    feed = {lines: ["The cat, the dog!", "A dog."]}
    print(sess.run(lowered, feed), sess.run(words, feed).values.tolist())
    found = sess.run(dense, feed)
    print((found[:, :2] == [[0, 1], [found[1, 0], 2]]).all(), found.shape, sess.run(lengths, feed).tolist())
    print(sess.run([joined, counts, buckets], feed), sess.run(numbers).tolist())
    print(sess.run(tf.as_string([1.5, 2.25], precision=2)), sess.run(tf.substr("tensor", 1, 3)))

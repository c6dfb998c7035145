"""Distribution strategies: `tf.distribute`."""

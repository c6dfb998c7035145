"""`tf.test`: what programs write their own tests with."""

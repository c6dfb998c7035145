"""Images: files, sizes, crops and colours (`tf.image`)."""

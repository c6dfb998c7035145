"""Images: files, sizes, crops and colors (`tf.image`)."""

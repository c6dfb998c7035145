"""The oracle suite: the same programs on real TensorFlow (recorded) and on millrace (every test run)."""

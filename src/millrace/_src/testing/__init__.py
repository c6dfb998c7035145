"""`tf.test`: what programs write their own tests with. Start with `test_case.py: TestCase`."""

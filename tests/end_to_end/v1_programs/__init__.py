"""Complete programs of TensorFlow 1, as users have them, run on TensorFlow and on Millrace."""

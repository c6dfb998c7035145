"""Small trainings of Keras models whose losses real TensorFlow has stated: `recorded.json`.

`python -m tests.keras.scenarios --record` writes what TensorFlow answers, with a Python that has TensorFlow.
"""

"""Keras: an LSTM and a small transformer learn whether a review praises what it speaks of.

The reviews are made by a grammar: "the soup was not at all bland but the service was slow". What counts is the last
clause, and a negation turns a word into its opposite, so a net that only counts words does little better than guess.
Reviews have different lengths; the word 0 fills them up, and `mask_zero` makes the layers pass over it.

    $ python -m millrace run examples/keras_text.py [epochs]
"""

import os
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import keras
import numpy as np
from keras import layers, ops

SEED = 2
EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 8
BATCH = 64
TRAIN, TEST = 4000, 1000
MAX_LENGTH = 18
WIDTH = 32

NOUNS = "soup bread service room bed view music wine staff price".split()
GOOD = "good fresh quick warm friendly lovely fair".split()
BAD = "bad stale slow cold rude awful bland".split()
NEGATIONS = ["", "", "not", "never", "not at all"]
WORDS = ["", *sorted({"the", "was", "but", "at", "all", "not", "never", *NOUNS, *GOOD, *BAD})]


def review(rng):
    """A review of one to three clauses, and whether its last clause is praise."""
    clauses = []
    for _ in range(rng.randint(1, 4)):
        negation, is_good = NEGATIONS[rng.randint(len(NEGATIONS))], rng.rand() < 0.5
        word = (GOOD if is_good else BAD)[rng.randint(7)]
        clauses.append(f"the {NOUNS[rng.randint(len(NOUNS))]} was {negation} {word}")
    return " but ".join(clauses), is_good != bool(negation)


def reviews(rng, count):
    """Numbers of words [count, MAX_LENGTH], filled up with 0, and whether each review is praise."""
    texts, praised = zip(*(review(rng) for _ in range(count)))
    numbers = [[WORDS.index(word) for word in text.split()][-MAX_LENGTH:] for text in texts]
    return keras.utils.pad_sequences(numbers, MAX_LENGTH, padding="post"), np.array(praised, "float32")


class Block(layers.Layer):
    """A block of a transformer: attention, then two dense layers, each added to its input and normalized."""

    def __init__(self, heads, **arguments):
        super().__init__(**arguments)
        self.supports_masking = True
        self.attention = layers.MultiHeadAttention(heads, WIDTH // heads)
        self.dense = keras.Sequential([layers.Dense(2 * WIDTH, activation="relu"), layers.Dense(WIDTH)])
        self.first, self.second = layers.LayerNormalization(), layers.LayerNormalization()

    def call(self, x, mask=None):
        x = self.first(x + self.attention(x, x))  # the mask travels with x
        return self.second(x + self.dense(x))


class PositionEmbedding(layers.Layer):
    """Adds to each word a vector for its position, which is learned."""

    def __init__(self, **arguments):
        super().__init__(**arguments)
        self.supports_masking = True
        self.vectors = layers.Embedding(MAX_LENGTH, WIDTH)

    def call(self, x):
        return x + self.vectors(ops.arange(MAX_LENGTH))


def make_lstm():
    """Words as vectors, an LSTM in both directions, and one number."""
    return keras.Sequential(
        [
            keras.Input((MAX_LENGTH,), dtype="int32"),
            layers.Embedding(len(WORDS), WIDTH, mask_zero=True),
            layers.Bidirectional(layers.LSTM(WIDTH)),
            layers.Dense(1, activation="sigmoid"),
        ]
    )


def make_transformer():
    """Words with their positions as vectors, two blocks, the mean of what they give, and one number."""
    return keras.Sequential(
        [
            keras.Input((MAX_LENGTH,), dtype="int32"),
            layers.Embedding(len(WORDS), WIDTH, mask_zero=True),
            PositionEmbedding(),
            Block(4),
            Block(4),
            layers.GlobalAveragePooling1D(),
            layers.Dropout(0.1),
            layers.Dense(1, activation="sigmoid"),
        ]
    )


def main():
    rng = np.random.RandomState(SEED)
    x, y = reviews(rng, TRAIN)
    held_out = reviews(rng, TEST)
    for title, make in (("LSTM", make_lstm), ("transformer", make_transformer)):
        keras.utils.set_random_seed(SEED)
        model = make()
        model.compile(keras.optimizers.Adam(3e-3), loss="binary_crossentropy", metrics=["accuracy"])
        model.fit(x, y, batch_size=BATCH, epochs=EPOCHS, verbose=2)
        _, accuracy = model.evaluate(*held_out, verbose=0)
        print(f"{title}: {100 * accuracy:.1f} % of {TEST} new reviews are understood")


if __name__ == "__main__":
    main()

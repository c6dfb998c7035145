"""Learns from sentences of any length, without padding: words are rows of ragged tensors from the text to the loss.

A sentence asks for the weather or for music. `tf.strings.split` cuts sentences into words, a vocabulary table turns
words into numbers (unknown words share a few buckets), and the mean of the words' embeddings is the sentence's. The
same function `features` serves the dataset and new sentences.

    $ python -m millrace run examples/ragged_text.py
"""

import tensorflow as tf

WEATHER = [
    "will it rain today",
    "is it cold in oslo",
    "how warm is it",
    "do i need an umbrella",
    "is snow coming this week",
    "what is the forecast for sunday",
    "is it windy at the sea",
]
MUSIC = [
    "play some jazz",
    "next song please",
    "turn the volume up",
    "play the new album of that band",
    "stop the music",
    "i want to hear a waltz",
    "repeat this song",
]
UNSEEN = ["will sunday be warm and windy", "play that song", "is it raining", "some jazz please"]
WIDTH, BUCKETS, STEPS = 8, 2, 150


def vocabulary(sentences):
    """Makes a table from each word of the sentences to its number; other words go to the buckets after them."""
    words = tf.unique(tf.strings.split(sentences).flat_values).y
    numbers = tf.range(tf.size(words, out_type=tf.int64))
    return tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(words, numbers), BUCKETS)


def features(sentences, table):
    """Returns the numbers of words and of pairs of neighbours, a row for each sentence."""
    words = tf.strings.split(sentences)
    pairs = tf.strings.ngrams(words, 2)
    return tf.concat([table.lookup(words), table.size() + tf.strings.to_hash_bucket_fast(pairs, 50)], axis=1)


def main():
    sentences = tf.constant(WEATHER + MUSIC)
    labels = tf.constant([0.0] * len(WEATHER) + [1.0] * len(MUSIC))
    table = vocabulary(sentences)
    size = int(table.size()) + 50
    embeddings = tf.Variable(tf.random.stateless_normal([size, WIDTH], seed=[1, 2], stddev=0.1))
    weights = tf.Variable(tf.random.stateless_normal([WIDTH], seed=[3, 4], stddev=0.1))

    def scores(rows):
        vectors = tf.nn.embedding_lookup(embeddings, rows)
        return tf.linalg.matvec(tf.reduce_mean(vectors, axis=1), weights)

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int64), tf.TensorSpec([None])])
    def train(rows, targets):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=scores(rows)))
        for variable, gradient in zip([embeddings, weights], tape.gradient(loss, [embeddings, weights]), strict=True):
            variable.assign_sub(2.0 * tf.convert_to_tensor(gradient))
        return loss

    data = tf.data.Dataset.from_tensor_slices((features(sentences, table), labels)).batch(7).repeat()
    losses = [float(train(rows, targets)) for rows, targets in data.take(STEPS)]
    print(f"{size} embeddings, losses {losses[0]:.3f} {losses[STEPS // 2]:.3f} {losses[-1]:.4f}")
    for sentence, score in zip(UNSEEN, tf.sigmoid(scores(features(tf.constant(UNSEEN), table))).numpy(), strict=True):
        print(f"{'music' if score > 0.5 else 'weather':8} {sentence}")


if __name__ == "__main__":
    main()

"""The models that are measured, in the order of the table, and the numbers that are taken of each."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

TENSORFLOW = ("millrace", "tensorflow")
"""The frameworks that run a program that imports TensorFlow."""
KERAS = (*TENSORFLOW, "jax", "torch")
"""The frameworks that run a program that imports Keras alone."""


@dataclass(frozen=True)
class Model:
    """A model that is measured.

    Args:
      name: the name on the command line, and of the function that builds the model.
      title: what the table says.
      module: the module of the function, in `benchmarks.models.programs`.
      frameworks: who can run the program.
    """

    name: str
    title: str
    module: str
    frameworks: tuple[str, ...]

    def builder(self) -> Callable[..., Callable[[], Any]]:
        """Returns the function that builds the model; imports the framework that is called `tensorflow` here."""
        return getattr(importlib.import_module(f"benchmarks.models.programs.{self.module}"), self.name)


@dataclass(frozen=True)
class Figure:
    """A number that is taken of a model: its name in the results, what the table says, and in which unit."""

    name: str
    title: str
    unit: str


FIGURES = (
    Figure("first", "first step", "s"),
    Figure("thirty", "30 steps", "s"),
    Figure("steady", "steady step", "ms"),
    Figure("settle", "settled", "s"),
    Figure("memory", "peak", "MB"),
)

MODELS = (
    Model("mlp_fit", "Keras MLP 784-256-256-10, fit, 8,192 rows", "dense_nets", KERAS),
    Model("mnist_cnn", "CNN of MNIST, batch 128", "image_nets", KERAS),
    Model("mobilenet_v2", "MobileNetV2 96x96, batch 16", "image_nets", KERAS),
    Model("resnet50_predict", "ResNet50 160x160, predict, batch 8", "image_nets", KERAS),
    Model("lstm", "LSTM of 64 units, 100 tokens, batch 32", "sequence_nets", KERAS),
    Model("gru", "bidirectional GRU and GRU, 50 steps, batch 64", "sequence_nets", KERAS),
    Model("transformer", "transformer, 2 blocks of 128, 64 tokens, batch 32", "sequence_nets", KERAS),
    Model("unet", "U-Net 64x64 with batch norm, batch 8", "image_nets", KERAS),
    Model("tabular_fit", "table with embeddings, fit, 8,192 rows", "dense_nets", KERAS),
    Model("dcgan", "DCGAN 28x28, two tapes, batch 64", "generative_nets", TENSORFLOW),
    Model("dqn", "DQN: eager action and training step", "custom_loops", TENSORFLOW),
    Model("word2vec", "word2vec, sampled softmax, batch 256", "custom_loops", TENSORFLOW),
    Model("pinn", "PINN of Burgers' equation, 2,000 points", "custom_loops", TENSORFLOW),
    Model("vae_eager", "VAE without tf.function, batch 64", "generative_nets", TENSORFLOW),
    Model("call_mlp", "model(x), MLP, one row, eager", "single_calls", TENSORFLOW),
    Model("predict_mlp", "model.predict, MLP, one row", "single_calls", TENSORFLOW),
    Model("saved_model", "signature of a loaded SavedModel, one row", "single_calls", TENSORFLOW),
    Model("augmentation", "tf.image in tf.data, 512 images 96x96", "image_pipeline", TENSORFLOW),
)
BY_NAME = {model.name: model for model in MODELS}

"""What `fit` takes data from: generators, `PyDataset`, `tf.data`, dictionaries, pandas, torch."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.keras.scenarios.catalogue import Run, scenario
from tests.keras.scenarios.models import classifier, fitted, table, weights


def _batches(weighted: bool = False) -> Iterator[Any]:
    """Batches of 8, 8 and 4 rows, with weights of the rows where asked for."""
    x, y = table()
    for begin in range(0, 20, 8):
        batch = x[begin : begin + 8], y[begin : begin + 8]
        yield (*batch, np.linspace(0.5, 1.5, len(batch[0]))) if weighted else batch


def _repeated() -> Iterator[Any]:
    while True:
        yield from _batches()


@scenario(slow=("jit",))
def a_generator(run: Run) -> Any:
    model = classifier(run)
    found = fitted(model, _repeated(), None, batch_size=None, steps_per_epoch=3)
    return found, model.evaluate(_batches(weighted=True), verbose=0), model.predict(_batches(), verbose=0)[::6]


@scenario(slow=("jit",))
def a_generator_that_ends(run: Run) -> Any:
    return fitted(classifier(run), _batches(weighted=True), None, batch_size=None, epochs=1)


@scenario(slow=("jit",))
def a_py_dataset(run: Run) -> Any:
    class Rows(run.keras.utils.PyDataset):  # type: ignore[name-defined, misc]  # a class of the Keras at hand
        epochs = 0

        def __len__(self) -> int:
            return math.ceil(20 / 8)

        def __getitem__(self, index: int) -> Any:
            x, y = table()
            rows = slice(8 * index, 8 * index + 8)
            return x[rows] * (1 + self.epochs), y[rows]

        def on_epoch_end(self) -> None:
            self.epochs += 1

    model = classifier(run)
    return fitted(model, Rows(), None, batch_size=None), model.predict(Rows(), verbose=0)[::6]


@scenario(slow=("jit",))
def a_dataset_in_batches(run: Run) -> Any:
    data = run.tf.data.Dataset.from_tensor_slices(table()).batch(8).map(lambda x, y: (x * 2.0, y)).prefetch(1)
    model = classifier(run)
    return fitted(model, data, None, batch_size=None, validation_data=data.take(1)), weights(model)


@scenario()
def a_dataset_that_repeats_without_end(run: Run) -> Any:
    data = run.tf.data.Dataset.from_tensor_slices(table()).repeat().batch(8)
    model = classifier(run, steps_per_execution=2)
    return fitted(model, data, None, batch_size=None, steps_per_epoch=4), model.evaluate(data, steps=3, verbose=0)


@scenario()
def a_dataset_of_single_rows_and_classes_of_different_weight(run: Run) -> Any:
    x, y = table(10)
    data = run.tf.data.Dataset.from_tensor_slices((x[:, None, :], y[:, None]))  # each element is a batch of one row
    return fitted(classifier(run), data, None, batch_size=None, class_weight={0: 1.0, 1: 2.0, 2: 3.0})


@scenario(slow=("jit",))
def a_dataset_of_unknown_length(run: Run) -> Any:
    specs = (run.tf.TensorSpec([None, 4], "float32"), run.tf.TensorSpec([None], "int32"))
    data = run.tf.data.Dataset.from_generator(_batches, output_signature=specs)
    model = classifier(run)
    return fitted(model, data, None, batch_size=None), model.predict(data.map(lambda x, y: x), verbose=0)[::6]


@scenario()
def dictionaries_of_inputs_and_of_outputs(run: Run) -> Any:
    layers = run.keras.layers
    inputs = {"a": run.keras.Input((4,), name="a"), "b": run.keras.Input((2,), name="b")}
    joined = layers.Concatenate()([layers.Dense(5, "tanh")(inputs["a"]), inputs["b"]])
    outputs = {"class": layers.Dense(3, name="class")(joined), "number": layers.Dense(1, name="number")(joined)}
    model = run.keras.Model(inputs, outputs)
    loss = {"class": run.keras.losses.SparseCategoricalCrossentropy(from_logits=True), "number": "mse"}
    metrics = {"class": ["accuracy"], "number": ["mae"]}
    run.compile(model, "sgd", loss, metrics=metrics, loss_weights={"class": 1.0, "number": 0.3})
    x, y = table()
    data = {"a": x, "b": x[:, :2] * 3}
    wanted = {"class": y, "number": x.sum(axis=1, keepdims=True)}
    weighed = {"class": np.linspace(0, 1, 20), "number": np.ones(20)}
    found = fitted(model, data, wanted, sample_weight=weighed, validation_split=0.2)
    return found, model.predict({name: part[:2] for name, part in data.items()}, verbose=0)


@scenario(needs="pandas", slow=("jit",))
def frames_of_pandas(run: Run) -> Any:
    import pandas

    x, y = table()
    return fitted(classifier(run), pandas.DataFrame(x, columns=list("abcd")), pandas.Series(y))


@scenario(needs="torch", slow=("jit",))
def tensors_and_loaders_of_torch(run: Run) -> Any:
    import torch

    x, y = (torch.tensor(part) for part in table())
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=8)
    model = classifier(run)
    return fitted(model, x, y), fitted(model, loader, None, batch_size=None)

"""The modules in which TensorFlow has its classes."""

from __future__ import annotations

from tests.interop.process import output_of, python


def test_classes_show_tensorflows_modules_under_its_name_only() -> None:
    code = """
import millrace as tf
before = tf.Tensor.__module__
tf.install_as_tensorflow()
print(before)
print(tf.Tensor, type(tf.constant(1)), tf.data.Dataset, tf.SparseTensor, type(tf.Variable(1)))
"""
    expected = (
        "millrace._src.core.tensor\\n<class 'tensorflow.python.framework.tensor.Tensor'> "
        "<class 'tensorflow.python.framework.ops.EagerTensor'> "
        "<class 'tensorflow.python.data.ops.dataset_ops.DatasetV2'> "
        "<class 'tensorflow.python.framework.sparse_tensor.SparseTensor'> "
        "<class 'tensorflow.python.ops.resource_variable_ops.ResourceVariable'>\\n"
    )
    assert python("-c", code).stdout == expected.encode().decode("unicode_escape")


def test_every_stated_module_serves_its_class() -> None:
    code = """
import importlib, pathlib, pickle
import tensorflow as tf
import millrace._src as sources
root = pathlib.Path(sources.__file__).parent
for path in root.rglob("*.py"):
    if "@tensorflow_home(" in path.read_text():
        importlib.import_module(".".join(["millrace._src", *path.relative_to(root).with_suffix("").parts]))
from millrace._src.util.class_homes import stated_homes
homes = stated_homes()
print(len(homes) > 20)
for cls, module in homes.items():
    if not getattr(importlib.import_module(module), cls.__qualname__, None) is pickle.loads(pickle.dumps(cls)) is cls:
        print(cls)
"""
    assert output_of(code) == "True"

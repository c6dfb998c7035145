"""Where SavedModels answer otherwise here than in TensorFlow, or are written otherwise, and why.

A pattern is `model::part`. The parts of answers are `calls.name`, `objects.path` and `files`, those of outlines the
names in `saved_models/outline.py`. A pattern that names its model in full must explain a difference.
"""

from __future__ import annotations

Reasons = dict[str, tuple[str, ...]]

_EXPORTED = (
    "dense_layers",
    "convolutions",
    "lstm",
    "several_inputs",
    "subclassed",
    "embedding_and_attention",
)
"""Models that Keras exports: it puts their variables into a set, which has no order, in TensorFlow either."""

ANSWERS: Reasons = {
    "Reference variables of TensorFlow 1 are variables of the loaded object as others are.": (
        "v1-reference_variables::calls.variables",
    ),
}
"""Answers about files of TensorFlow."""

_OF_OUR_FILES: Reasons = {
    "A constant that only a branch or a body reads stands in it, and is not captured.": (
        "control_flow-resources_in_branches::objects.root.count.trace_0.capture_1",
    ),
    "The shape of what a lookup finds is known.": (
        "tables-mutable_table::objects.root.find*",
        "tables-dense_table::objects.root.find*",
        "tables-resource_of_a_user::objects.root.f*",
        "tables-resource_of_a_user::objects.root.signatures.*",
    ),
    "TensorFlow's loader leaves an attribute of its own on objects, which it then saves again.": (
        "signatures-saved_again::objects.root._self_saveable_object_factories",
    ),
    "Keras puts the variables into a set, which has no order.": ("keras-*::objects.root._all_variables.*",),
}

OWN_ANSWERS: Reasons = _OF_OUR_FILES | {
    "The class that the program defines is known in this process.": (
        "composites-extension_type_that_nobody_knows::objects.*",
    ),
}
"""Answers about files of ours, against those of TensorFlow about its own."""

REFUSALS: Reasons = {}
"""Exceptions about what cannot be saved: the only part is `refusal.`."""

TENSORFLOW_ANSWERS: Reasons = _OF_OUR_FILES
"""Answers of TensorFlow about files of ours, against those about its own."""

SERVED: Reasons = {
    "TensorFlow's own file restores other handles than those that the signature reads: Keras makes handles twice.": (
        "keras-layer_in_a_module::serving_default",
        "keras-saved_by_tensorflow::serving_default",
        "keras-saved_by_tensorflow_after_training::serving_default",
    ),
}
"""Results of signatures in TensorFlow's sessions: files of ours against its own. The parts are names of signatures."""

OUTLINES: Reasons = {
    "A constant that only a branch or a body reads stands in it, and is not captured.": (
        "control_flow-resources_in_branches::*",
    ),
    "A tensor that several gradient functions capture is one object.": (
        "gradients-custom_gradient_nested::object.*",
        "gradients-custom_gradient_nested::concrete.*",
    ),
    "Assets of equal names are numbered in the order of the objects; reading a file is an effect.": (
        "tables-assets_of_equal_names::object.*",
        "tables-assets_of_equal_names::function.*",
    ),
    "The name of the class says who saved it.": (
        "composites-extension_type_that_nobody_knows::object.*",
        "composites-extension_type_that_nobody_knows::concrete.*",
    ),
    "The public function of TensorFlow has another name inside.": ("composites-sparse::*", "ops-text::*"),
    "Less asserts at run time what is known while tracing.": ("ops-images::function.*",),
    "The shape of what a lookup finds is known.": (
        "tables-mutable_table::concrete.*",
        "tables-dense_table::concrete.*",
        "tables-resource_of_a_user::concrete.*",
        "tables-resource_of_a_user::signature.serving_default",
    ),
    "The function that saves a table exports it, instead of the graph around the function.": (
        "tables-mutable_table::graph",
        "tables-dense_table::graph",
    ),
    "The paths of assets are read after all of them are set.": ("tables-vocabulary_tables::graph",),
    "Keras makes handles of variables twice; ours are made once.": (
        "keras-layer_in_a_module::graph",
        "keras-saved_by_tensorflow::graph",
        "keras-saved_by_tensorflow_after_training::graph",
        "keras-trained::graph",
        "keras-export_archive::graph",
    ),
    "TensorFlow's loader leaves an attribute of its own on objects, which it then saves again.": (
        "signatures-saved_again::object.*",
    ),
    "Keras puts the variables into a set, which has no order.": (
        *(f"keras-{name}::graph" for name in _EXPORTED),
        *(f"keras-{name}::object.*" for name in _EXPORTED),
    ),
}
"""Parts of the `SavedModel` message."""

BYTES: Reasons = {
    "A constant that only a branch or a body reads stands in it, and is not captured.": (
        "control_flow-resources_in_branches::variables.*",
    ),
    "TensorFlow's loader leaves an attribute of its own on objects, which it then saves again.": (
        "signatures-saved_again::variables.*",
    ),
    "Keras puts the variables into a set, which has no order.": tuple(
        f"keras-{name}::variables.*" for name in _EXPORTED
    ),
}
"""Files below `variables`."""

"""Exporting for serving the old way: SavedModelBuilder with a signature, loader.load in another graph, simple_save."""
import os
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
folder = os.path.join(tempfile.mkdtemp(), "1")
with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.get_variable("w", initializer=[[1.0], [2.0]])
    y = tf.matmul(x, w, name="y")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        builder = tf.saved_model.builder.SavedModelBuilder(folder)
        signature = tf.saved_model.signature_def_utils.build_signature_def(
            inputs={"images": tf.saved_model.utils.build_tensor_info(x)},
            outputs={"scores": tf.saved_model.utils.build_tensor_info(y)},
            method_name=tf.saved_model.signature_constants.PREDICT_METHOD_NAME)
        builder.add_meta_graph_and_variables(
            sess, [tf.saved_model.tag_constants.SERVING], signature_def_map={"predict_images": signature})
        builder.save()
        tf.saved_model.simple_save(sess, folder + "s", inputs={"x": x}, outputs={"y": y})
with tf.Graph().as_default(), tf.Session() as sess:
    meta = tf.saved_model.loader.load(sess, [tf.saved_model.tag_constants.SERVING], folder)
    info = meta.signature_def["predict_images"]
    names = info.inputs["images"].name, info.outputs["scores"].name
    print(names, sess.run(names[1], {names[0]: [[3.0, 4.0]]}).tolist(), tf.saved_model.loader.maybe_saved_model_directory(folder))
with tf.Graph().as_default(), tf.Session() as sess:
    meta = tf.saved_model.loader.load(sess, ["serve"], folder + "s")
    print(sorted(meta.signature_def), [v.name for v in tf.global_variables()], sess.run("w:0").tolist())

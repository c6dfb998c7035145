"""A producer thread feeds a queue by hand; a consumer dequeues batches until the queue is closed."""
import threading

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
value = tf.placeholder(tf.float32, [2])
queue = tf.FIFOQueue(capacity=4, dtypes=[tf.float32], shapes=[[2]])
enqueue = queue.enqueue([value])
close = queue.close()
batch = queue.dequeue_many(5)
rest = queue.dequeue_up_to(10)
size = queue.size()
with tf.Session() as sess:
    coord = tf.train.Coordinator()

    def produce():
        with coord.stop_on_exception():
            for i in range(12):
                if coord.should_stop():
                    break
                sess.run(enqueue, {value: [i, i * i]})
            sess.run(close)

    thread = threading.Thread(target=produce)
    thread.start()
    total = np.zeros(2)
    for _ in range(2):
        got = sess.run(batch)
        total += got.sum(0)
        print(got[:, 0].tolist())
    print("rest", sess.run(rest).tolist(), sess.run(size))
    try:
        sess.run(batch)
    except tf.errors.OutOfRangeError:
        print("closed and empty")
    coord.request_stop()
    coord.join([thread])
print(total.tolist())

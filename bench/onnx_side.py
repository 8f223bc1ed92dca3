"""The same trees in onnxruntime, in this process: microseconds of one row and of a batch, medians, one thread.

    python onnx_side.py MODEL FEATURES BATCH
"""
import json
import statistics
import sys
import time

import numpy as np
import onnxruntime
import xgboost
from onnxmltools.convert import convert_xgboost
from onnxmltools.convert.common.data_types import FloatTensorType


def median_us(call, count):
    times = []
    for _ in range(count):
        begun = time.perf_counter()
        call()
        times.append((time.perf_counter() - begun) * 1e6)
    return statistics.median(times)


def main():
    features, batch = int(sys.argv[2]), int(sys.argv[3])
    model = xgboost.XGBClassifier()
    model.load_model(sys.argv[1])
    made = convert_xgboost(model, initial_types=[("x", FloatTensorType([None, features]))])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(made.SerializeToString(), options, providers=["CPUExecutionProvider"])
    rows = np.random.default_rng(7).normal(size=(batch, features)).astype(np.float32)
    print(json.dumps({"one": median_us(lambda: session.run(None, {"x": rows[:1]}), 2000),
                      "batch": median_us(lambda: session.run(None, {"x": rows}), 100)}))


main()

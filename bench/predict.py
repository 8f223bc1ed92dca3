"""Prediction beside what people use instead, in one run: the same XGBoost model behind FastAPI on two uvicorn workers, and the
C library called directly for batches. Sides alternate; medians are compared.

    bench/predict.py [--seconds 5] [--rounds 3]      needs the release build and tools/install predict bench
"""
import argparse
import ctypes
import http.client
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BIN = os.environ.get("FIREWEED_BIN", os.path.join(ROOT, "build", "release", "bin"))
VERSION = "3.1.1"
FEATURES, TREES, BATCH, CONNECTIONS = 14, 150, 1000, 32

TRAIN = """
import sys, numpy as np, xgboost as xgb
random = np.random.default_rng(7)
x = random.normal(size=(20000, 14)).astype(np.float32)
x[random.random(x.shape) < 0.05] = np.nan
y = (np.nansum(x[:, :5], axis=1) > 1).astype(int)
made = xgb.train({'max_depth': 6, 'eta': 0.1, 'objective': 'binary:logistic'}, xgb.DMatrix(x, label=y), 150)
made.save_model(sys.argv[1] + '/model.json')
"""

RIVAL = """
import os
os.environ['OMP_NUM_THREADS'] = '1'
import numpy as np, xgboost as xgb
from fastapi import FastAPI, Request
booster = xgb.Booster()
booster.load_model(os.environ['MODEL'])
booster.set_param({'nthread': 1})
app = FastAPI()

@app.post('/v1/predict')
async def predict(request: Request):
    body = await request.json()
    rows = np.array(body['instances'], dtype=np.float32)
    return {'predictions': booster.inplace_predict(rows).tolist()}
"""

SCRIPT = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = [==[%s]==]
"""


def place_of_rivals():
    return subprocess.run([ROOT + "/tools/install", "--predict"], check=True, capture_output=True, text=True).stdout.strip()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def body_of(rows):
    row = [round((i * 37 % 100) / 50 - 1, 2) for i in range(FEATURES)]
    return json.dumps({"instances": [row] * rows})


class Server:
    def __init__(self, command, port, environment=None):
        self.port = port
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, start_new_session=True)
        if port is None:
            self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not self.answers():
            time.sleep(0.05)

    def answers(self):
        try:
            return self.ask(body_of(1))[0] == 200
        except OSError:
            return False

    def ask(self, body, connection=None):
        connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("POST", "/v1/predict", body, {"Content-Type": "application/json"})
        reply = connection.getresponse()
        return reply.status, reply.read()

    def stop(self):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()


def to_us(text):
    number, unit = re.match(r"([\d.]+)(us|ms|s)", text).groups()
    return float(number) * {"us": 1, "ms": 1e3, "s": 1e6}[unit]


def load(server, seconds, scratch):
    script = os.path.join(scratch, "one.lua")
    with open(script, "w") as file:
        file.write(SCRIPT % body_of(1))
    out = subprocess.run(["wrk", "-t1", "-c%d" % CONNECTIONS, "-d%ds" % seconds, "--latency", "-s", script,
                          "http://127.0.0.1:%d/v1/predict" % server.port], check=True, capture_output=True, text=True).stdout
    failed = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    if failed:
        sys.exit("bench: %s requests failed" % failed.group(1))
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1)), to_us(re.search(r"^\s+50%\s+(\S+)", out, re.M).group(1))


def latencies(server, body, count):
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.connect()
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    times = []
    for _ in range(count):
        start = time.perf_counter()
        server.ask(body, connection)
        times.append((time.perf_counter() - start) * 1e6)
    return statistics.median(times)


def library_batch(path, model):
    """Microseconds of a batch through XGBoost's own C call."""
    library = ctypes.CDLL(path)
    booster = ctypes.c_void_p()
    library.XGBoosterCreate(None, ctypes.c_uint64(0), ctypes.byref(booster))
    library.XGBoosterLoadModel(booster, model.encode())
    library.XGBoosterSetParam(booster, b"nthread", b"1")
    values = (ctypes.c_float * (FEATURES * BATCH))(*([(i * 37 % 100) / 50 - 1 for i in range(FEATURES)] * BATCH))
    array = json.dumps({"data": [ctypes.addressof(values), True], "shape": [BATCH, FEATURES], "typestr": "<f4", "version": 3})
    config = b'{"type":0,"training":false,"iteration_begin":0,"iteration_end":0,"strict_shape":false,"missing":NaN,"cache_id":0}'
    shape, dimensions, result = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_void_p()
    times = []
    for _ in range(100):
        start = time.perf_counter()
        outcome = library.XGBoosterPredictFromDense(booster, array.encode(), config, None, ctypes.byref(shape),
                                                    ctypes.byref(dimensions), ctypes.byref(result))
        times.append((time.perf_counter() - start) * 1e6)
        if outcome != 0:
            sys.exit("bench: the C library refused")
    return statistics.median(times)


def measure(ours, rival, arguments, scratch, library, model):
    sides = {"fireweed": [], "fastapi": []}
    for _ in range(arguments.rounds):
        sides["fireweed"].append(load(ours, arguments.seconds, scratch))
        sides["fastapi"].append(load(rival, arguments.seconds, scratch))
    rate = {name: statistics.median(run[0] for run in runs) for name, runs in sides.items()}
    p50 = {name: statistics.median(run[1] for run in runs) for name, runs in sides.items()}
    print("one instance a request, %d connections" % CONNECTIONS)
    for name in sides:
        print("  %-10s %9.0f/s   p50 %8.0f us" % (name, rate[name], p50[name]))
    print("  ratio      %9.1fx   (bar 12x, aim 20x)   p50 1/%.1f" % (rate["fireweed"] / rate["fastapi"],
                                                                    p50["fastapi"] / p50["fireweed"]))
    print("unloaded p50   fireweed %.0f us, fastapi %.0f us   (bar 300 us)" % (
        latencies(ours, body_of(1), 3000), latencies(rival, body_of(1), 500)))
    batch, direct = latencies(ours, body_of(BATCH), 200), library_batch(library, model)
    print("batch of %d   fireweed %.0f us over HTTP and JSON, C library %.0f us: %.2f of it   (bar 0.7)" % (
        BATCH, batch, direct, direct / batch))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    place = place_of_rivals()
    xgboost = os.path.join(place, "xgboost-" + VERSION)
    library = os.path.join(xgboost, "xgboost", "lib", "libxgboost.so")
    scratch = tempfile.mkdtemp(prefix="fireweed-bench-")
    environment = {**os.environ, "PYTHONPATH": xgboost + ":" + scratch, "MODEL": scratch + "/model.json"}
    try:
        subprocess.run([place + "/bin/python", "-c", TRAIN, scratch], check=True, env=environment)
        with open(scratch + "/rival.py", "w") as file:
            file.write(RIVAL)
        ours = Server([BIN + "/fireweed-serve", "--model-dir", scratch, "--xgboost-library", library,
                       "--listen", "127.0.0.1:0"], None)
        port = free_port()
        rival = Server([place + "/bin/python", "-m", "uvicorn", "rival:app", "--port", str(port), "--workers", "2",
                        "--log-level", "warning"], port, environment)
        try:
            measure(ours, rival, arguments, scratch, library, scratch + "/model.json")
        finally:
            ours.stop()
            rival.stop()
    finally:
        shutil.rmtree(scratch)


main()

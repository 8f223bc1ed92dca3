"""The sides of bench/predict.py: servers that all have the same model, behind one class each."""
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
import urllib.parse
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BIN = os.environ.get("FIREWEED_BIN", os.path.join(ROOT, "build", "release", "bin"))
VERSION = "3.1.1"
FEATURES, BATCH, CONNECTIONS = 14, 1000, 32

FASTAPI = """
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
%swrk.body = [==[%s]==]
"""

ROW = [round((i * 37 % 100) / 50 - 1, 2) for i in range(FEATURES)]


def body_of(rows):
    return json.dumps({"instances": [ROW] * rows})


def infer_body(rows):
    return json.dumps({"inputs": [{"name": "input", "shape": [rows, FEATURES], "datatype": "FP32", "data": ROW * rows}]})


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def to_us(text):
    number, unit = re.match(r"([\d.]+)(us|ms|s)", text).groups()
    return float(number) * {"us": 1, "ms": 1e3, "s": 1e6}[unit]


class WholeRequests(http.client.HTTPConnection):
    """Sends head and body together, as curl, wrk and most clients do; Python's own sends them one by one."""

    def request(self, *arguments):
        self.pieces = []
        super().request(*arguments)
        self.sock.sendall(b"".join(self.pieces))

    def send(self, data):
        self.pieces.append(data)


class Side:
    """Somewhere to ask. `token`: a bearer token; `body`: makes the request for so many rows."""

    def __init__(self, name, port, path, token="", body=body_of):
        self.name, self.port, self.path, self.body, self.process = name, port, path, body, None
        self.headers = {"Content-Type": "application/json"}
        if token:
            self.headers["Authorization"] = "Bearer " + token

    def ask(self, rows=1, connection=None):
        connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("POST", self.path, self.body(rows) if isinstance(rows, int) else rows, self.headers)
        reply = connection.getresponse()
        return reply.status, reply.read()

    def await_answers(self):
        deadline = time.monotonic() + 120
        while True:
            try:
                status, text = self.ask()
                if status == 200:
                    return self
            except OSError as error:
                text = str(error)
            if time.monotonic() > deadline:
                sys.exit("bench: %s does not answer: %s" % (self.name, text))
            time.sleep(0.05)

    def load(self, seconds):
        """Requests a second, median and 99th percentile in microseconds, under CONNECTIONS connections."""
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
            access = self.headers.get("Authorization", "")
            script.write(SCRIPT % ('wrk.headers["Authorization"] = "%s"\n' % access if access else "", self.body(1)))
            script.flush()
            out = subprocess.run(["wrk", "-t1", "-c%d" % CONNECTIONS, "-d%ds" % seconds, "--latency", "-s", script.name,
                                  "http://127.0.0.1:%d%s" % (self.port, self.path)], check=True, capture_output=True, text=True).stdout
        if "Non-2xx" in out:
            sys.exit("bench: %s: requests failed\n%s" % (self.name, out))
        return (float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1)),
                to_us(re.search(r"^\s+50%\s+(\S+)", out, re.M).group(1)),
                to_us(re.search(r"^\s+99%\s+(\S+)", out, re.M).group(1)))

    def latency(self, rows, count, client=WholeRequests):
        """Median microseconds of one request after another on one connection."""
        connection = client("127.0.0.1", self.port)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        body, times = self.body(rows), []
        for _ in range(count):
            start = time.perf_counter()
            self.ask(body, connection)
            times.append((time.perf_counter() - start) * 1e6)
        return statistics.median(times)

    def run(self, command, environment=None, where=None):
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, start_new_session=True, cwd=where)
        return self

    def stop(self):
        if self.process:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait()


def serving_process(model_dir, library):
    side = Side("serving process", None, "/v1/predict").run(
        [BIN + "/fireweed-serve", "--model-dir", model_dir, "--xgboost-library", library, "--listen", "127.0.0.1:0"])
    side.port = int(side.process.stdout.readline().rsplit(":", 1)[1])
    return side.await_answers()


def fastapi(python, environment, scratch):
    with open(scratch + "/rival.py", "w") as file:
        file.write(FASTAPI)
    port = free_port()
    side = Side("fastapi", port, "/v1/predict").run(
        [python, "-m", "uvicorn", "rival:app", "--port", str(port), "--workers", "2", "--log-level", "warning"],
        {**environment, "PYTHONPATH": environment["PYTHONPATH"] + ":" + scratch})
    return side.await_answers()


def mlserver(python, environment, scratch, model):
    """MLServer with its usual settings: one worker process for the model, which a second core serves."""
    place = scratch + "/mlserver"
    os.makedirs(place)
    ports = {"http_port": free_port(), "grpc_port": free_port(), "metrics_port": free_port()}
    with open(place + "/settings.json", "w") as file:
        json.dump({**ports, "host": "127.0.0.1", "debug": False, "use_structured_logging": False}, file)
    with open(place + "/model-settings.json", "w") as file:
        json.dump({"name": "model", "implementation": "mlserver_xgboost.XGBoostModel", "parameters": {"uri": model}}, file)
    side = Side("mlserver", ports["http_port"], "/v2/models/model/infer", body=infer_body).run(
        [os.path.dirname(python) + "/mlserver", "start", place], {**environment, "OMP_NUM_THREADS": "1"}, place)
    return side.await_answers()


class Daemon:
    """A daemon on a state directory of its own, with the model in a bucket of its store."""

    def __init__(self, model):
        self.state = tempfile.mkdtemp(prefix="fireweed-bench-")
        with open(self.state + "/config.yaml", "w") as file:
            json.dump({"serving": {"idleSeconds": 1}}, file)  # JSON is YAML
        out = subprocess.run([BIN + "/fireweed", "--json", "up", "--state", self.state, "--http", "127.0.0.1:0",
                              "--https", "127.0.0.1:0"], check=True, capture_output=True, text=True)
        self.address = json.loads(out.stdout)["http"]
        with open(self.state + "/owner.json") as file:
            owner = json.load(file)
        form = {key: owner[key] for key in ("client_id", "client_secret", "refresh_token")}
        form["grant_type"] = "refresh_token"
        with urllib.request.urlopen("http://%s/token" % self.address, urllib.parse.urlencode(form).encode()) as reply:
            self.token = json.load(reply)["access_token"]
        self.call("POST", "/storage/v1/b?project=fireweed", {"name": "bench-models"})
        with open(model, "rb") as file:
            self.call("POST", "/upload/storage/v1/b/bench-models/o?uploadType=media&name=m/model.json", file.read())
        self.call("POST", "/v1/projects/fireweed/models", {"name": "census"})

    def call(self, method, path, body=None):
        if isinstance(body, dict):
            body = json.dumps(body).encode()
        request = urllib.request.Request("http://" + self.address + path, method=method, data=body, headers={
            "Authorization": "Bearer " + self.token, "Content-Type": "application/json"})
        with urllib.request.urlopen(request) as reply:
            return json.loads(reply.read() or b"{}")

    def create(self, version, scaling):
        """Milliseconds from asking for the version to READY."""
        begun = time.perf_counter()
        self.call("POST", "/v1/projects/fireweed/models/census/versions",
                  {"name": version, "deploymentUri": "gs://bench-models/m", "framework": "XGBOOST",
                   "runtimeVersion": "2.11", **scaling})
        while self.state_of(version) == "CREATING":
            time.sleep(0.002)
        took = (time.perf_counter() - begun) * 1e3
        if self.state_of(version) != "READY":
            sys.exit("bench: the version is %s" % self.call("GET", "/v1/projects/fireweed/models/census/versions/" + version))
        return took

    def state_of(self, version):
        return self.call("GET", "/v1/projects/fireweed/models/census/versions/" + version)["state"]

    def side(self, version):
        return Side("daemon", int(self.address.rsplit(":", 1)[1]),
                    "/v1/projects/fireweed/models/census/versions/%s:predict" % version, self.token)

    def parks(self):
        """How often a serving process was ended, idle ones and others."""
        with open(self.state + "/log/fireweedd.log") as file:
            return file.read().count("serving process stopped")

    def first_after_zero(self, side):
        """Milliseconds of the first prediction of a version that had no process. Parked after a second without requests."""
        before = self.parks()
        deadline = time.monotonic() + 60
        while self.parks() == before:
            if time.monotonic() > deadline:
                sys.exit("bench: the version is not scaled to zero")
            time.sleep(0.05)
        begun = time.perf_counter()
        status, text = side.ask()
        if status != 200:
            sys.exit("bench: %s" % text)
        return (time.perf_counter() - begun) * 1e3

    def stop(self):
        subprocess.run([BIN + "/fireweed", "down", "--purge", "--state", self.state], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        shutil.rmtree(self.state, ignore_errors=True)


def library_batch(path, model):
    """Microseconds of a batch through XGBoost's own C call."""
    library = ctypes.CDLL(path)
    booster = ctypes.c_void_p()
    library.XGBoosterCreate(None, ctypes.c_uint64(0), ctypes.byref(booster))
    library.XGBoosterLoadModel(booster, model.encode())
    library.XGBoosterSetParam(booster, b"nthread", b"1")
    values = (ctypes.c_float * (FEATURES * BATCH))(*(ROW * BATCH))
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

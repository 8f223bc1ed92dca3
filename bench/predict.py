#!/usr/bin/env python3
"""Prediction beside what people use instead, in one run and with one model: the serving process by itself, the daemon's
authorised :predict, FastAPI with xgboost on two uvicorn workers, MLServer, XGBoost's C library called directly for
batches, and onnxruntime in a process of its own, without HTTP or JSON. Sides alternate; medians are compared.

    bench/predict.py [--seconds 5] [--rounds 3] [--only load,latency,batch,deploy]
    bench/predict.py --smallest      every line once, without rivals: fails where the benchmark does not work

Needs the release build and `tools/install predict bench`; MLServer and onnxruntime are left out where they are
not installed.
"""
import argparse
import http.client
import json
import os
import shutil
import statistics
import subprocess
import tempfile

import predict_sides as sides

TRAIN = """
import sys, numpy as np, xgboost as xgb
random = np.random.default_rng(7)
x = random.normal(size=(20000, 14)).astype(np.float32)
x[random.random(x.shape) < 0.05] = np.nan
y = (np.nansum(x[:, :5], axis=1) > 1).astype(int)
made = xgb.train({'max_depth': 6, 'eta': 0.1, 'objective': 'binary:logistic'}, xgb.DMatrix(x, label=y), 150)
made.save_model(sys.argv[1] + '/model.json')
"""


def place_of(what):
    return subprocess.run([sides.ROOT + "/tools/install", what], check=True, capture_output=True, text=True).stdout.strip()


def bench_load(all_sides, rounds, seconds):
    runs = {side.name: [] for side in all_sides}
    for _ in range(rounds):
        for side in all_sides:
            runs[side.name].append(side.load(seconds))
    middle = {name: [statistics.median(column) for column in zip(*figures)] for name, figures in runs.items()}
    rival = middle.get("fastapi") or next(iter(middle.values()))
    print("one instance a request, %d connections, medians of %d" % (sides.CONNECTIONS, rounds))
    for name, (rate, p50, p99) in middle.items():
        print("  %-16s %8.0f/s   p50 %7.0f us   p99 %7.0f us   %5.1fx fastapi, p50 1/%.1f of its" % (
            name, rate, p50, p99, rate / rival[0], rival[1] / p50))
    print("  bars: serving process 12x, daemon 8x and p50 1/8; the aim is 20x")


def bench_latency(direct, daemon, others, rounds, requests):
    clients = {"one packet": sides.WholeRequests, "head and body apart": http.client.HTTPConnection}
    times = {(how, side.name): [] for how in clients for side in [direct, daemon]}
    for _ in range(rounds):
        for how, client in clients.items():
            for side in [direct, daemon]:
                times[how, side.name].append(side.latency(1, requests, client))
    for how in clients:
        ours, bare = (statistics.median(times[how, side.name]) for side in [daemon, direct])
        added = statistics.median(a - b for a, b in zip(times[how, daemon.name], times[how, direct.name]))
        print("unloaded p50, %s: daemon %.0f us (bar 300), serving process %.0f us, added %.0f us (bar 60)" % (
            how, ours, bare, added))
    for side in others:
        print("unloaded p50, one packet: %s %.0f us" % (side.name, side.latency(1, 300)))


def bench_batch(direct, library, model, rounds, requests):
    shares = []
    for _ in range(rounds):
        ours, theirs = direct.latency(sides.BATCH, requests), sides.library_batch(library, model)
        shares.append((theirs / ours, ours, theirs))
    share, ours, theirs = sorted(shares)[len(shares) // 2]
    print("batch of %d     %.0f us over HTTP and JSON, C library %.0f us: %.2f of it   (bar 0.7)" % (
        sides.BATCH, ours, theirs, share))


def bench_onnx(python, model):
    out = subprocess.run([python, sides.ROOT + "/bench/onnx_side.py", model, str(sides.FEATURES), str(sides.BATCH)],
                         check=True, capture_output=True, text=True).stdout
    took = json.loads(out)
    print("onnxruntime in process, no HTTP or JSON: one %.0f us, batch of %d %.0f us" % (
        took["one"], sides.BATCH, took["batch"]))


def bench_deploy(daemon, first, rounds):
    times = [daemon.create("created%d" % i, {"manualScaling": {"nodes": 1}}) for i in range(rounds)]
    print("create to READY   first of the daemon %.0f ms; median %.0f ms, worst %.0f ms   (bar 150 ms)" % (
        first, statistics.median(times), max(times)))
    daemon.create("zero", {"autoScaling": {"minNodes": 0}})
    side = daemon.side("zero")
    times = [daemon.first_after_zero(side) for _ in range(rounds)]
    print("first prediction of one scaled to zero   median %.0f ms, worst %.0f ms   (bar 100 ms)" % (
        statistics.median(times), max(times)))


def measure(arguments, scratch, opened):
    only = arguments.only.split(",")
    place, rivals = place_of("--predict"), place_of("--rivals")
    xgboost = os.path.join(place, "xgboost-" + sides.VERSION)
    library = os.path.join(xgboost, "xgboost", "lib", "libxgboost.so")
    environment = {**os.environ, "PYTHONPATH": xgboost, "MODEL": scratch + "/m/model.json"}
    os.makedirs(scratch + "/m")
    subprocess.run([place + "/bin/python", "-c", TRAIN, scratch + "/m"], check=True, env=environment)

    def keep(side):
        opened.append(side)
        return side

    model = scratch + "/m/model.json"
    direct = keep(sides.serving_process(scratch + "/m", library))
    daemon = keep(sides.Daemon(model))
    first = daemon.create("v1", {"manualScaling": {"nodes": 1}})
    through = daemon.side("v1").await_answers()
    others = []
    smallest, at_least = arguments.smallest, 1 if arguments.smallest else 5
    if not smallest and ("load" in only or "latency" in only):
        others.append(keep(sides.fastapi(place + "/bin/python", environment, scratch)))
        if os.path.exists(rivals + "/bin/mlserver"):
            others.append(keep(sides.mlserver(rivals + "/bin/python", dict(os.environ), scratch, model)))
    if "load" in only:
        bench_load([direct, through] + others, arguments.rounds, arguments.seconds)
    if "latency" in only:
        bench_latency(direct, through, others, max(at_least, arguments.rounds), 10 if smallest else 1500)
    if "batch" in only:
        bench_batch(direct, library, model, arguments.rounds, 2 if smallest else 100)
        onnx = place_of("--onnx") + "/bin/python"
        if not smallest and os.path.exists(onnx):
            bench_onnx(onnx, model)
    if "deploy" in only:
        bench_deploy(daemon, first, max(at_least, arguments.rounds))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="load,latency,batch,deploy")
    parser.add_argument("--smallest", action="store_true", help="run every line once, for tests")
    arguments = parser.parse_args()
    if arguments.smallest:
        arguments.seconds = arguments.rounds = 1
    scratch, opened = tempfile.mkdtemp(prefix="fireweed-bench-"), []
    try:
        measure(arguments, scratch, opened)
    finally:
        for side in reversed(opened):
            side.stop()
        shutil.rmtree(scratch)


main()

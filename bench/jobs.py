"""Training jobs, measured from outside. Used by bench/run.

From a submit to the first line of the trainer: the trainer prints the time by the clock that this program reads too. A
thousand trivial jobs at once with plain processes: how many end in a second, and that none is lost. And a trainer that
prints 200,000 lines a second: when its last line is listed, how many are after kill -9, and what it does to the lines of another.
Slurm and Ray run the same trivial program in the same run (job_rivals.py), where they are installed.
"""
import io
import json
import os
import signal
import statistics
import tarfile
import tempfile
import threading
import time
import urllib.parse

from job_rivals import Absent, Ray, Slurm

JOBS = "/v1/projects/fireweed/jobs"
PROGRAM = "#!/bin/sh\necho \"bench $(date +%s.%N)\"\n"
MODULE = "import time\nprint('bench %.6f' % time.time())\n"
CHATTY = """#!/usr/bin/python3
import sys, time
rate, seconds = int(sys.argv[1]), int(sys.argv[2])
block = "".join("line %06d of a tenth of a second\\n" % i for i in range(rate // 10))
begun = time.time()
for n in range(seconds * 10):
    sys.stdout.write(block)
    sys.stdout.flush()
    time.sleep(max(0, begun + (n + 1) / 10 - time.time()))
print("bench %.6f" % time.time())
"""
QUIET = """#!/usr/bin/python3
import sys, time
for n in range(int(sys.argv[1]) * 20):
    print("bench %.6f" % time.time(), flush=True)
    time.sleep(0.05)
"""
SETUP = "from setuptools import setup\nsetup(name='bench', version='0.1', packages=['bench'])\n"


def archive(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            entry.mode = 0o755
            tar.addfile(entry, io.BytesIO(text.encode()))
    return out.getvalue()


class Trainer:
    """The ml API of a daemon."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.token = daemon.token()
        self.ask("POST", "/storage/v1/b?project=fireweed", {"name": "bench-jobs"})
        self.put("program.tar.gz", archive({"program.sh": PROGRAM}))
        self.put("chatty.tar.gz", archive({"program.sh": CHATTY}))
        self.put("quiet.tar.gz", archive({"program.sh": QUIET}))
        self.put("bench-0.1.tar.gz", archive({"bench-0.1/setup.py": SETUP, "bench-0.1/bench/__init__.py": "",
                                              "bench-0.1/bench/task.py": MODULE}))

    def ask(self, method, path, body=None):
        reply = self.daemon.call(method, path, self.token, None if body is None else json.dumps(body).encode())
        return json.loads(reply or b"{}")

    def put(self, name, content):
        self.daemon.call("POST", "/upload/storage/v1/b/bench-jobs/o?uploadType=media&name=" + name, self.token, content)

    def submit(self, name, what):
        given = {"region": "us-central1", "scaleTier": "CUSTOM", "masterType": "f1-micro"}
        self.ask("POST", JOBS, {"jobId": name, "trainingInput": dict(given, **what)})

    def job(self, name):
        return self.ask("GET", JOBS + "/" + name)

    def await_end(self, name, longest=120):
        deadline = time.monotonic() + longest
        while "endTime" not in self.job(name):
            if time.monotonic() > deadline:
                raise SystemExit("job %s does not end: %s" % (name, self.job(name)))
            time.sleep(0.02)
        job = self.job(name)
        if job["state"] != "SUCCEEDED":
            raise SystemExit("job %s: %s" % (name, job.get("errorMessage")))

    def printed_at(self, name):
        query = {"resourceNames": ["projects/fireweed"], "filter": 'resource.labels.job_id="%s" AND "bench"' % name}
        for entry in self.ask("POST", "/v2/entries:list", query).get("entries", []):
            text = entry.get("textPayload") or entry.get("jsonPayload", {}).get("message", "")
            if text.startswith("bench "):
                return float(text.split()[1])
        raise SystemExit("job %s has printed nothing" % name)


    def newest_time(self, name):
        """The time that a job has printed, if it is among its newest lines. Reads few of them, however many there are."""
        query = {"resourceNames": ["projects/fireweed"], "orderBy": "timestamp desc", "pageSize": 20,
                 "filter": 'resource.labels.job_id="%s"' % name}
        for entry in self.ask("POST", "/v2/entries:list", query).get("entries", []):
            if entry.get("textPayload", "").startswith("bench "):
                return float(entry["textPayload"].split()[1])
        return None

    def pages(self, name, what="", wait=""):
        """Pages of a job's entries, from the oldest on; with `wait`, the last ones come when there is news."""
        query = {"resourceNames": ["projects/fireweed"], "orderBy": "timestamp asc", "pageSize": 1000,
                 "filter": 'resource.labels.job_id="%s"%s' % (name, what)}
        while True:
            reply = self.ask("POST", "/v2/entries:list" + wait, query)
            yield reply.get("entries", [])
            if not reply.get("nextPageToken"):
                return
            query["pageToken"] = reply["nextPageToken"]


PROGRAM_INPUT = {"packageUris": ["gs://bench-jobs/program.tar.gz"], "command": ["./program.sh"]}
PYTHON_INPUT = {"packageUris": ["gs://bench-jobs/bench-0.1.tar.gz"], "pythonModule": "bench.task"}


class Fireweed:
    """A side like those of job_rivals: one kind of job, again and again."""

    def __init__(self, trainer, name, what):
        self.trainer, self.name, self.what, self.count = trainer, name, what, 0

    def submit(self, _=None):
        self.count += 1
        job = "%s_%d" % (self.name, self.count)
        begun = time.time()
        self.trainer.submit(job, self.what)
        self.trainer.await_end(job)
        done = time.time()
        return self.trainer.printed_at(job) - begun, done - begun


def first_line(side, rounds):
    """Seconds from submit to the first line and to the end; packages and programs are warm after the first round."""
    side.submit(PROGRAM)
    lines, ends = zip(*(side.submit(PROGRAM) for _ in range(rounds)))
    return {"median_s": round(statistics.median(lines), 4), "worst_s": round(max(lines), 4),
            "to the end, median_s": round(statistics.median(ends), 4), "rounds": rounds}


def rivals(ours, rounds):
    figures = {}
    for kind in (Slurm, Ray):
        try:
            side = kind()
        except Absent as why:
            figures[kind.name] = "not compared: %s" % why
            continue
        try:
            theirs = figures[kind.name] = first_line(side, rounds)
        finally:
            side.close()
        for key in ("median_s", "to the end, median_s"):
            theirs["times ours, " + key] = round(theirs[key] / ours[key], 1)
    return figures


def many(trainer, count):
    trainer.submit("warm", PROGRAM_INPUT)
    trainer.await_end("warm")
    begun = time.monotonic()
    for i in range(count):
        trainer.submit("many_%d" % i, PROGRAM_INPUT)
    submitted = time.monotonic() - begun
    unended = {"many_%d" % i for i in range(count)}
    states = {}
    while unended:
        if time.monotonic() - begun > 600:
            raise SystemExit("%d jobs have not ended after ten minutes" % len(unended))
        token = ""
        while True:
            page = trainer.ask("GET", JOBS + "?pageSize=500&pageToken=" + urllib.parse.quote(token))
            for job in page.get("jobs", []):
                if "endTime" in job and job["jobId"] in unended:
                    unended.discard(job["jobId"])
                    states[job["state"]] = states.get(job["state"], 0) + 1
            token = page.get("nextPageToken", "")
            if not token:
                break
        time.sleep(0.2)
    took = time.monotonic() - begun
    return {"jobs": count, "submit_s": round(submitted, 2), "all_s": round(took, 2),
            "jobs_per_s": round(count / took, 1), "states": states}


def program(archive_name, *args):
    return dict(PROGRAM_INPUT, packageUris=["gs://bench-jobs/%s.tar.gz" % archive_name], args=[str(a) for a in args])


def line_delays(trainer, name, seconds):
    """Seconds from print to being listed, of a trainer that prints twenty lines a second."""
    trainer.submit(name, program("quiet", seconds))
    delays = []
    for page in trainer.pages(name, ' AND "bench"', "?wait=10"):
        now = time.time()
        for entry in page:
            text = entry.get("textPayload") or entry.get("jsonPayload", {}).get("message", "")
            if text.startswith("bench "):
                delays.append(now - float(text.split()[1]))
        if len(delays) >= seconds * 20:
            break
    trainer.await_end(name)
    delays.sort()
    return delays[len(delays) * 99 // 100]


def chatty(daemon, trainer, rate, seconds):
    alone = line_delays(trainer, "quiet_alone", seconds)
    beside = []
    reader = threading.Thread(target=lambda: beside.append(line_delays(trainer, "quiet_beside", seconds + 2)))
    reader.start()
    trainer.submit("chatty", program("chatty", rate, seconds))
    printed = None
    while printed is None:
        time.sleep(0.02)
        printed = trainer.newest_time("chatty")
        seen = time.time()
    reader.join()
    trainer.await_end("chatty")

    def count():
        return sum(len(page) for page in trainer.pages("chatty", ' AND "line"'))
    before = count()
    os.kill(int(daemon.endpoint["pid"]), signal.SIGKILL)
    daemon.start()
    trainer.token = daemon.token()
    return {"rate": rate, "lines": rate * seconds, "listed": before, "listed after kill -9": count(),
            "last line listed after its print_s": round(seen - printed, 3),
            "another's line to listed, p99_s": {"alone": round(alone, 3), "beside": round(beside[0], 3)}}


def limited(trainer, rate, seconds=2):
    """Above the limit of a replica: every line was kept or is counted in a marker."""
    trainer.submit("limited", program("chatty", rate, seconds))
    trainer.await_end("limited")
    texts = [entry.get("textPayload", "") for page in trainer.pages("limited") for entry in page]
    kept = sum(text.startswith("line ") for text in texts)
    markers = [int(text.split()[0]) for text in texts if "lines were dropped" in text]
    if kept + sum(markers) not in (rate * seconds, rate * seconds + 1):  # the last one tells the time and may be dropped, too
        raise SystemExit("%d lines kept and %d counted as dropped of %d" % (kept, sum(markers), rate * seconds))
    return {"lines": rate * seconds, "kept": kept, "counted as dropped": sum(markers), "markers": len(markers)}


def make_daemon(make, settings):
    state = tempfile.mkdtemp(prefix="fireweed-bench-jobs-")
    with open(state + "/config.yaml", "w") as file:
        json.dump(settings, file)  # JSON is YAML
    return make(state)


def bench_jobs(rounds, make, sizes):
    figures = {}
    daemon = make_daemon(make, {})
    try:
        trainer = Trainer(daemon)
        ours = first_line(Fireweed(trainer, "program", PROGRAM_INPUT), 2 * rounds)
        figures["executable, submit to first line"] = ours
        figures["cached Python, submit to first line"] = first_line(Fireweed(trainer, "python", PYTHON_INPUT), 2 * rounds)
        figures["a chatty trainer"] = chatty(daemon, trainer, sizes.lines_per_second, sizes.chatty_seconds)
    finally:
        daemon.close()
    daemon = make_daemon(make, {"ml": {"linesPerSecond": 20000}})
    try:
        figures["a trainer above its limit of 20,000 lines a second"] = limited(Trainer(daemon), sizes.lines_per_second)
    finally:
        daemon.close()
    daemon = make_daemon(make, {"instances": {"driver": "process"}, "ml": {"jobs": {"overcommit": 16}}})
    try:
        figures["trivial jobs, plain processes"] = many(Trainer(daemon), sizes.jobs)
    finally:
        daemon.close()
    if sizes.rivals:
        figures["the same executable elsewhere"] = rivals(ours, rounds)
    print(json.dumps(figures, indent=2))
    return figures

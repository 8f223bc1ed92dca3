"""What people submit `echo` to instead: Slurm and Ray, each alone on this machine and in a directory of its own.

Each side has submit(program) -> seconds to the program's first line and to its end, as its own client tells them.
Raises Absent with the reason where a side cannot be had. Used by bench/jobs.py.
"""
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SLURM = """
ClusterName=bench
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={at}/munge.socket
CredType=cred/munge
StateSaveLocation={at}/state
SlurmdSpoolDir={at}/spool
SlurmctldPidFile={at}/slurmctld.pid
SlurmdPidFile={at}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


class Absent(Exception):
    """A side that is not here, and why."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def last_lines(path):
    with open(path, errors="replace") as file:
        return "".join(file.readlines()[-3:]).strip()


class Slurm:
    """sbatch: a controller and one node, with munge between them, told to schedule at once: by itself it gathers batch jobs
    for three seconds. As root."""
    name = "slurm (sbatch)"

    def __init__(self):
        missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if not self.find(name)]
        if missing:
            raise Absent("%s not installed (tools/install bench)" % ", ".join(missing))
        if os.geteuid() != 0:
            raise Absent("its daemons are started as root")
        self.at = tempfile.mkdtemp(prefix="fireweed-bench-slurm-")
        self.processes = []
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    @staticmethod
    def find(name):
        return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")

    def start(self):
        os.chmod(self.at, 0o755)
        for name in ("state", "spool"):
            os.mkdir("%s/%s" % (self.at, name))
        key = self.at + "/munge.key"
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o400), "wb") as file:
            file.write(os.urandom(128))
        host = socket.gethostname().split(".")[0]
        with open(self.at + "/slurm.conf", "w") as file:
            file.write(SLURM.format(at=self.at, host=host, controller=free_port(), node=free_port(), cpus=os.cpu_count()))
        self.environment = dict(os.environ, SLURM_CONF=self.at + "/slurm.conf")
        self.run("munged", "--foreground", "--force", "--key-file", key, "--socket", self.at + "/munge.socket",
                 "--pid-file", self.at + "/munge.pid", "--log-file", self.at + "/munge.log",
                 "--seed-file", self.at + "/munge.seed")
        self.wait("munge's socket", lambda: os.path.exists(self.at + "/munge.socket"))
        self.run("slurmctld", "-D")
        self.run("slurmd", "-D", "-N", host)
        self.wait("an idle node", lambda: self.ask("sinfo", "-h", "-o", "%T") == "idle")

    def run(self, name, *args):
        log = open("%s/%s.log" % (self.at, name), "w")
        self.processes.append(subprocess.Popen([self.find(name), *args], env=self.environment, stdout=log, stderr=log))
        log.close()

    def wait(self, what, reached):
        deadline = time.monotonic() + 30
        while not reached():
            ended = [process.args[0] for process in self.processes if process.poll() is not None]
            if ended or time.monotonic() > deadline:
                says = last_lines("%s/%s.log" % (self.at, os.path.basename((ended or self.processes[-1].args)[0])))
                raise Absent("no %s%s: %s" % (what, " (%s has ended)" % ended[0] if ended else "", says))
            time.sleep(0.05)

    def ask(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True).stdout.strip()

    def submit(self, program):
        path, out = self.at + "/program.sh", self.at + "/out"
        with open(path, "w") as file:
            file.write(program)
        begun = time.time()
        job = self.ask("sbatch", "--parsable", "--output", out, path)
        while self.ask("squeue", "-h", "-j", job, "-o", "%T") in ("PENDING", "RUNNING", "COMPLETING", "CONFIGURING"):
            time.sleep(0.02)
        done = time.time()
        with open(out) as file:
            printed = float(file.read().split()[1])
        os.unlink(out)
        return printed - begun, done - begun

    def close(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()
        shutil.rmtree(self.at, ignore_errors=True)


class Ray:
    """Ray's job submission by its Python client (bench/ray_side.py), which saves it the second that its command takes to
    start."""
    name = "ray (job submission)"

    def __init__(self):
        place = subprocess.run([ROOT + "/tools/install", "--ray"], capture_output=True, text=True).stdout.strip()
        if not os.path.exists(place + "/complete"):
            raise Absent("not installed (tools/install bench)")
        self.at = tempfile.mkdtemp(prefix="fireweed-bench-ray-")
        self.process = subprocess.Popen([place + "/bin/python", ROOT + "/bench/ray_side.py", self.at], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=open(self.at + "/stderr", "w"))
        if not self.answer():
            reason = last_lines(self.at + "/stderr")
            self.close()
            raise Absent("does not start: " + reason)

    def answer(self):
        while line := self.process.stdout.readline():
            if line.startswith("side "):  # Ray prints as it likes
                return json.loads(line[5:])
        return None

    def submit(self, program):
        path = self.at + "/program.sh"
        with open(path, "w") as file:
            file.write(program)
        self.process.stdin.write(path + "\n")
        self.process.stdin.flush()
        return self.answer()

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        shutil.rmtree(self.at, ignore_errors=True)

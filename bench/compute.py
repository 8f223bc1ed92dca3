"""Instances, measured from outside with the containers people get. Used by bench/run.

Every figure is the time between a request and a line that the instance itself wrote on its serial port: host and
containers have the same clock. Beside it, in the same run, a bare `crun run` of the same root file system.
"""
import datetime
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import threading
import time

ZONE = "/compute/v1/projects/fireweed/zones/us-central1-a"
GLOBAL = "/compute/v1/projects/fireweed/global"
SCRIPT = """#!/bin/bash
word=$(curl -fsS -H 'Metadata-Flavor: Google' http://metadata.google.internal/computeMetadata/v1/instance/attributes/WORD)
echo "bench: $word $(date +%s.%N)"
exec sleep infinity
"""


DELTA = """#!/bin/bash
mkdir /var/delta
for i in $(seq %d); do head -c 4M /dev/urandom >/var/delta/$i; done
echo "bench: rose $(date +%%s.%%N)"
exec sleep infinity
"""


def properties(machine_type, preemptible=False, script=SCRIPT):
    return {
        "machineType": machine_type,
        "disks": [{"boot": True, "autoDelete": True,
                   "initializeParams": {"sourceImage": "projects/debian-cloud/global/images/family/debian-12"}}],
        "networkInterfaces": [{"network": "global/networks/default"}],
        "scheduling": {"preemptible": preemptible},
        "metadata": {"items": [{"key": "WORD", "value": "rose"}, {"key": "startup-script", "value": script}]},
    }


class Cloud:
    """The compute API of a daemon, with waiting."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.token = daemon.token()

    def ask(self, method, path, body=None):
        reply = self.daemon.call(method, path, self.token, None if body is None else json.dumps(body).encode())
        return json.loads(reply or b"{}")

    def insert(self, name, machine_type="f1-micro", script=SCRIPT):
        body = dict(properties("zones/us-central1-a/machineTypes/" + machine_type, script=script), name=name)
        return self.ask("POST", ZONE + "/instances", body)

    def finish(self, operation, scope=ZONE):
        while operation["status"] != "DONE":
            operation = self.ask("POST", "%s/operations/%s/wait" % (scope, operation["name"]))
        if "error" in operation:
            raise SystemExit("operation failed: %s" % operation["error"])

    def spoke_at(self, name, longest=60):
        """When the instance's startup script had read its attribute, in seconds since 1970."""
        deadline = time.monotonic() + longest
        while time.monotonic() < deadline:
            try:
                text = self.ask("GET", "%s/instances/%s/serialPort" % (ZONE, name)).get("contents", "")
            except OSError:  # not there yet, or just being replaced
                text = ""
            found = re.search(r"bench: rose (\d+\.\d+)", text)
            if found:
                return float(found.group(1))
            time.sleep(0.005)
        raise SystemExit("instance %s never spoke" % name)


def bare_run_seconds():
    """crun run of the newest base image, from the start of the program to the first word of its process 1."""
    # Beside an image DIR are DIR.users and DIR.binds.
    images = [path for path in glob.glob("/var/cache/fireweed/images/base-*") if "." not in os.path.basename(path)]
    bundle = tempfile.mkdtemp(prefix="fireweed-bench-crun-")
    try:
        subprocess.run(["crun", "spec"], cwd=bundle, check=True)
        with open(bundle + "/config.json") as file:
            spec = json.load(file)
        spec["root"] = {"path": max(images, key=os.path.getmtime), "readonly": True}
        spec["process"]["terminal"] = False
        spec["process"]["args"] = ["/bin/bash", "-c", "date +%s.%N"]
        with open(bundle + "/config.json", "w") as file:
            json.dump(spec, file)
        # crun refuses a hybrid cgroup layout: the unified mount is hidden from it, as our driver does.
        script = "umount -l /sys/fs/cgroup/unified 2>/dev/null; date +%s.%N; exec crun run --bundle \"$0\" \"$1\""
        out = subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c", script, bundle,
                              "bench-%d" % os.getpid()], check=True, stdout=subprocess.PIPE, text=True).stdout
        begun, spoke = map(float, out.split())
        return spoke - begun
    finally:
        shutil.rmtree(bundle, ignore_errors=True)


def boot_and_delete(cloud, rounds):
    boots, bare, deletes = [], [], []
    for i in range(rounds):
        bare.append(bare_run_seconds())
        begun = time.time()
        cloud.insert("b%d" % i)
        boots.append(cloud.spoke_at("b%d" % i) - begun)
        begun = time.time()
        cloud.finish(cloud.ask("DELETE", "%s/instances/b%d" % (ZONE, i)))
        deletes.append(time.time() - begun)
    return boots, bare, deletes


def preempted_at(cloud, name):
    """When the newest preemption of an instance was over: its old machine was gone."""
    listed = cloud.ask("GET", ZONE + "/operations?filter=operationType%3Dcompute.instances.preempted").get("items", [])
    ends = [op["endTime"] for op in listed if op["targetLink"].endswith("/" + name) and op["status"] == "DONE"]
    return datetime.datetime.fromisoformat(max(ends)).timestamp()


def replacements(cloud, rounds):
    """From the end of a preempted machine to the startup script of the replacement."""
    cloud.ask("POST", GLOBAL + "/instanceTemplates", {"name": "t", "properties": properties("f1-micro", True)})
    cloud.ask("POST", ZONE + "/instanceGroupManagers",
              {"name": "g", "baseInstanceName": "g", "targetSize": 1, "instanceTemplate": "global/instanceTemplates/t"})
    members = []
    while not members or members[0]["currentAction"] != "NONE":
        members = cloud.ask("POST", ZONE + "/instanceGroupManagers/g/listManagedInstances").get("managedInstances", [])
        time.sleep(0.01)
    name, times = members[0]["name"], []
    last = cloud.spoke_at(name)
    for _ in range(rounds):
        before = last
        cloud.ask("POST", "%s/instances/%s/preempt" % (ZONE, name))
        while last <= before:
            last = cloud.spoke_at(name)
        times.append(last - preempted_at(cloud, name))
    cloud.finish(cloud.ask("DELETE", ZONE + "/instanceGroupManagers/g"))
    return times


def image_and_copy(cloud, state, rounds, files):
    """An image from a disk with files of 4 MiB written on it, in turns with `cp -a` and `sync -f` of the same files."""
    cloud.insert("delta", "n1-standard-2", DELTA % files)
    cloud.spoke_at("delta", 600)
    cloud.finish(cloud.ask("POST", ZONE + "/instances/delta/stop"))
    upper = "%s/compute/disks/d-%s/upper" % (state, cloud.ask("GET", ZONE + "/disks/delta")["id"])
    images, copies, copy = [], [], state + "/bench-copy"
    for i in range(rounds):
        os.sync()
        begun = time.monotonic()
        cloud.finish(cloud.ask("POST", GLOBAL + "/images",
                               {"name": "i%d" % i, "sourceDisk": "zones/us-central1-a/disks/delta"}), GLOBAL)
        images.append(time.monotonic() - begun)
        cloud.finish(cloud.ask("DELETE", GLOBAL + "/images/i%d" % i), GLOBAL)
        while os.listdir(state + "/compute/layers"):
            time.sleep(0.01)
        os.sync()
        begun = time.monotonic()
        subprocess.run(["cp", "-a", upper, copy], check=True)
        subprocess.run(["sync", "-f", copy], check=True)
        copies.append(time.monotonic() - begun)
        shutil.rmtree(copy)
    cloud.finish(cloud.ask("DELETE", ZONE + "/instances/delta"))
    return images, copies


def resident_kb(pid):
    with open("/proc/%s/status" % pid) as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))


def crowd(cloud, pid, size):
    before = resident_kb(pid)
    begun = time.time()
    threads = []
    for part in range(8):
        names = ["c%d" % i for i in range(part, size, 8)]
        threads.append(threading.Thread(target=lambda names=names: [cloud.insert(name) for name in names]))
        threads[-1].start()
    for thread in threads:
        thread.join()
    spoke = [cloud.spoke_at("c%d" % i, 600) for i in range(size)]
    after = resident_kb(pid)
    for operation in [cloud.ask("DELETE", "%s/instances/c%d" % (ZONE, i)) for i in range(size)]:
        cloud.finish(operation)
    return {"seconds": max(spoke) - begun, "kb_each": (after - before) / size}


def bench_compute(rounds, make_daemon, sizes):
    size = sizes.crowd
    daemon = make_daemon()
    try:
        cloud = Cloud(daemon)
        cloud.insert("warm")  # the first one finds or builds the image
        cloud.spoke_at("warm", 600)
        cloud.finish(cloud.ask("DELETE", ZONE + "/instances/warm"))
        boots, bare, deletes = boot_and_delete(cloud, max(rounds, sizes.boots))
        back = replacements(cloud, max(rounds // 2, sizes.replacements))
        images, copies = image_and_copy(cloud, daemon.state, max(rounds, sizes.image_rounds), sizes.delta_files)
        many = crowd(cloud, daemon.endpoint["pid"], size)
    finally:
        subprocess.run([os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                                     "build", "release", "bin", "fireweed"), "down", "--purge", "--state", daemon.state],
                       stdout=subprocess.DEVNULL)
        daemon.close()
    result = {"boot_ms": 1000 * statistics.median(boots), "bare_ms": 1000 * statistics.median(bare),
              "delete_ms": 1000 * statistics.median(deletes), "replacement_ms": 1000 * statistics.median(back),
              "image_seconds": statistics.median(images), "copy_seconds": statistics.median(copies),
              "image_to_copy": statistics.median(images) / statistics.median(copies),
              "crowd": size, "crowd_seconds": many["seconds"], "kb_per_instance": many["kb_each"]}
    print("insert to startup script with one attribute read: %.0f ms (bar: 120); bare crun run: %.0f ms (bar: %.0f more)"
          % (result["boot_ms"], result["bare_ms"], 80))
    print("delete: %.0f ms (bar: 200); preempted to replacement's startup script, beyond the grace used: %.0f ms (bar: 500)"
          % (result["delete_ms"], result["replacement_ms"]))
    print("image of %d MiB written on a disk: %.2f s; cp -a and sync -f: %.2f s; ratio %.2f (bar: 1.2)"
          % (4 * sizes.delta_files, result["image_seconds"], result["copy_seconds"], result["image_to_copy"]))
    print("%d instances at once: all spoke after %.1f s; daemon memory %.1f KB each (bar: 60)"
          % (size, many["seconds"], many["kb_each"]))
    return result

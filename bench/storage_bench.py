"""The object store beside what it is measured against, in one run: nginx for reads, reference_server for durable writes, the bare
system calls for one writer. Sides alternate; medians are compared. `bench/run storage [NAME...]` runs all or some."""
import http.client
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

SMALL = 1024         # bytes of a small object
BUCKET = "bench-bucket"
MEDIA = "/storage/v1/b/" + BUCKET + "/o/%s?alt=media"

PUT_SCRIPT = """
local body = string.rep("x", %(size)d)
local n, thread = 0, 0
function setup(t) thread = thread + 1; t:set("id", thread) end
function request()
  n = n + 1
  return wrk.format("POST", "%(path)s" .. %(name)s, nil, body)
end
"""
GET_SCRIPT = """
local n = 0
function request()
  n = (n * 1103515245 + 12345) %% 2147483648
  return wrk.format("GET", string.format("%(path)s", "o" .. (n %% %(names)d)))
end
"""


class Kit:
    """Two servers and the tools to load them."""

    def __init__(self, tools, sizes):
        self.tools = tools
        self.sizes = sizes
        self.directory = tempfile.mkdtemp(prefix="fireweed-bench-storage-", dir=os.environ.get("TMPDIR", "/var/tmp"))
        state = os.path.join(self.directory, "state")
        os.mkdir(state, 0o700)
        with open(state + "/config.yaml", "w") as file:
            file.write("storage: {scrubMbPerSecond: 0}\ninstances: {driver: fake}\n")
        self.daemon = tools.Daemon(state)
        self.token = self.daemon.token()
        self.daemon.call("POST", "/storage/v1/b?project=fireweed", self.token, json.dumps({"name": BUCKET}).encode())
        self.reference = subprocess.Popen([tools.BIN + "/reference_server", self.directory], stdin=subprocess.PIPE,
                                          stdout=subprocess.PIPE, text=True)
        self.reference_base = "http://127.0.0.1:%d" % int(self.reference.stdout.readline())
        self.nginx = None

    def start_nginx(self):
        root = os.path.join(self.directory, "www")
        os.mkdir(root)
        for i in range(self.sizes.names):
            with open("%s/o%d" % (root, i), "wb") as file:
                file.write(b"x" * SMALL)
        with open(root + "/large", "wb") as file:
            for _ in range(self.sizes.large_mib):
                file.write(os.urandom(1 << 20))
        key = self.directory + "/key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-subj", "/CN=localhost", "-keyout", key, "-out", self.directory + "/cert.pem"],
                       check=True, capture_output=True)
        self.nginx_port, self.nginx_tls = self.tools.free_port(), self.tools.free_port()
        config = """
            daemon off; worker_processes 1; pid %(dir)s/pid; error_log %(dir)s/error.log;
            user root;
            events { worker_connections 4096; }
            http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; open_file_cache max=10000;
                   client_body_temp_path %(dir)s/body; proxy_temp_path %(dir)s/proxy; fastcgi_temp_path %(dir)s/f;
                   uwsgi_temp_path %(dir)s/u; scgi_temp_path %(dir)s/s;
                   ssl_certificate %(dir)s/cert.pem; ssl_certificate_key %(dir)s/key.pem; ssl_protocols TLSv1.2 TLSv1.3;
                   server { listen 127.0.0.1:%(port)d; listen 127.0.0.1:%(tls)d ssl; root %(dir)s/www; } }
        """ % {"dir": self.directory, "port": self.nginx_port, "tls": self.nginx_tls}
        with open(self.directory + "/nginx.conf", "w") as file:
            file.write(config)
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        self.nginx = subprocess.Popen([program, "-c", self.directory + "/nginx.conf", "-p", self.directory])
        self.tools.wait_until_answers("http://127.0.0.1:%d/o1" % self.nginx_port)

    def wrk(self, url, script=None, connections=64, seconds=None, headers=()):
        seconds = min(seconds or self.sizes.load_seconds, self.sizes.load_seconds)
        command = ["wrk", "-t1", "-c%d" % connections, "-d%ds" % seconds, "--latency"]
        for header in headers:
            command += ["-H", header]
        if script:
            path = self.directory + "/script.lua"
            with open(path, "w") as file:
                file.write(script)
            command += ["-s", path]
        text = subprocess.run(command + [url], check=True, capture_output=True, text=True).stdout
        if "Non-2xx" in text:
            raise SystemExit("the server answered with errors:\n" + text)
        return {"rate": float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1)),
                "p99_ms": self.tools.to_ms(re.search(r"99%\s+(\S+)", text).group(1))}

    def auth(self):
        return "Authorization: Bearer " + self.token

    def put_script(self, prefix):
        path = "/upload/storage/v1/b/%s/o?uploadType=media&name=%s" % (BUCKET, prefix)
        return PUT_SCRIPT % {"size": SMALL, "path": path, "name": '"-" .. id .. "-" .. n'}

    def put(self, name, body):
        self.daemon.call("POST", "/upload/storage/v1/b/%s/o?uploadType=media&name=%s" % (BUCKET, name), self.token, body)

    def metric(self, name):
        with self.tools.urlopen(self.daemon.base + "/metrics") as reply:
            return float(re.search(r"^%s (\S+)" % name, reply.read().decode(), re.M).group(1))

    def memory_mib(self):
        with open("/proc/%s/status" % self.daemon.endpoint["pid"]) as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) / 1024

    def close(self):
        if self.nginx:
            self.nginx.terminate()
            self.nginx.wait()
        self.reference.stdin.close()
        self.reference.wait()
        self.daemon.close()
        shutil.rmtree(self.directory, ignore_errors=True)


def compare(title, rounds, ours, theirs, unit, bar, scale=1.0):
    """Alternates the two; both give a rate, larger is better."""
    a, b = [], []
    for _ in range(rounds):
        b.append(theirs())
        a.append(ours())
    mine, other = statistics.median(a), statistics.median(b)
    print("%-44s fireweed %10.1f   reference %10.1f %s   ratio %.2f (bar %s)"
          % (title, mine * scale, other * scale, unit, mine / other, bar), flush=True)
    return {"fireweed": mine, "reference": other, "ratio": mine / other}


def small_get(kit, rounds):
    for i in range(kit.sizes.names):
        kit.put("o%d" % i, b"x" * SMALL)
    ours = GET_SCRIPT % {"path": MEDIA, "names": kit.sizes.names}
    theirs = GET_SCRIPT % {"path": "/%s", "names": kit.sizes.names}
    nginx = "http://127.0.0.1:%d" % kit.nginx_port
    kit.wrk(kit.daemon.base, ours, seconds=1, headers=[kit.auth()])
    return compare("small GET, 64 connections", rounds,
                   lambda: kit.wrk(kit.daemon.base, ours, headers=[kit.auth()])["rate"],
                   lambda: kit.wrk(nginx, theirs)["rate"], "req/s", "0.7 of nginx")


def tls_get(kit, rounds):
    kit.put("o1", b"x" * SMALL)
    host, port = kit.daemon.endpoint["https"].rsplit(":", 1)
    headers = ["Connection: close", "Host: storage.googleapis.com"]
    return compare("new TLS connection per small GET", rounds,
                   lambda: kit.wrk("https://%s:%s%s" % (host, port, MEDIA % "o1"), connections=16,
                                   headers=headers + [kit.auth()])["rate"],
                   lambda: kit.wrk("https://127.0.0.1:%d/o1" % kit.nginx_tls, connections=16,
                                   headers=headers)["rate"], "req/s", "0.8 of nginx")


def curl_rate(arguments, field):
    out = subprocess.run(["curl", "-sSf", "-o", "/dev/null", "--noproxy", "*", "-w", "%%{%s}" % field] + arguments,
                         check=True, capture_output=True, text=True).stdout
    return float(out)


def large_get(kit, rounds):
    large = kit.directory + "/www/large"
    subprocess.run(["curl", "-sSf", "-o", "/dev/null", "--noproxy", "*", "-H", kit.auth(), "-T", large, "-X", "POST",
                    kit.daemon.base + "/upload/storage/v1/b/%s/o?uploadType=media&name=large" % BUCKET], check=True)
    return compare("GET of %d MiB" % kit.sizes.large_mib, rounds,
                   lambda: curl_rate(["-H", kit.auth(), kit.daemon.base + MEDIA % "large"], "speed_download"),
                   lambda: curl_rate(["http://127.0.0.1:%d/large" % kit.nginx_port], "speed_download"),
                   "MB/s", "0.9 of nginx", 1e-6)


def small_put(kit, rounds):
    reference = PUT_SCRIPT % {"size": SMALL, "path": "/append", "name": '""'}
    syncs, turn = [], [0]

    def ours():
        turn[0] += 1
        before = kit.metric("fireweed_catalog_writes_total"), kit.metric("fireweed_catalog_syncs_total")
        rate = kit.wrk(kit.daemon.base, kit.put_script("p%d" % turn[0]), headers=[kit.auth()])["rate"]
        after = kit.metric("fireweed_catalog_writes_total"), kit.metric("fireweed_catalog_syncs_total")
        syncs.append((after[0] - before[0]) / max(1, after[1] - before[1]))
        return rate

    result = compare("durable PUT of 1 KiB, 64 writers", rounds, ours,
                     lambda: kit.wrk(kit.reference_base, reference)["rate"], "obj/s", "0.4 of reference")
    result["objects_per_sync"] = statistics.median(syncs)
    print("%-44s %.1f (bar 16)" % ("  objects per sync", result["objects_per_sync"]), flush=True)
    return result


def bare_put(directory, seconds):
    """create, write, fdatasync, rename, directory sync, by one thread."""
    made, end = 0, time.perf_counter() + seconds
    where = os.open(directory, os.O_RDONLY)
    while time.perf_counter() < end:
        file = os.open("%s/tmp" % directory, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.write(file, b"x" * SMALL)
        os.fdatasync(file)
        os.close(file)
        os.rename("%s/tmp" % directory, "%s/f%d" % (directory, made % 1000))
        os.fsync(where)
        made += 1
    os.close(where)
    return made / seconds


def one_put(kit, rounds):
    directory = kit.directory + "/bare"
    os.mkdir(directory)
    return compare("durable PUT of 1 KiB, one writer", rounds,
                   lambda: kit.wrk(kit.daemon.base, kit.put_script("one"), connections=1, seconds=2,
                                   headers=[kit.auth()])["rate"],
                   lambda: bare_put(directory, min(2, kit.sizes.load_seconds)), "obj/s", "0.33 of the bare calls")


def large_put(kit, rounds):
    path = kit.directory + "/upload"
    with open(path, "wb") as file:
        block = os.urandom(1 << 20)
        for _ in range(kit.sizes.upload_mib):
            file.write(block)
    upload = "/upload/storage/v1/b/%s/o?uploadType=media&name=gib" % BUCKET
    result = compare("PUT of %d MiB" % kit.sizes.upload_mib, rounds,
                     lambda: curl_rate(["-H", kit.auth(), "-T", path, "-X", "POST", kit.daemon.base + upload], "speed_upload"),
                     lambda: curl_rate(["-T", path, kit.reference_base + "/large"], "speed_upload"),
                     "MB/s", "0.8 of reference", 1e-6)
    os.unlink(path)
    return result


def pages(kit, bucket, query):
    """Seconds for the first page and for all, with the number of entries."""
    host = kit.daemon.endpoint["http"]
    connection = http.client.HTTPConnection(host)
    fields = "fields=items(name,size,generation),prefixes,nextPageToken"
    token, first, entries, begin = "", None, 0, time.perf_counter()
    while True:
        path = "/storage/v1/b/%s/o?%s&maxResults=1000&%s%s" % (bucket, fields, query, token and "&pageToken=" + token)
        connection.request("GET", path, headers={"Authorization": "Bearer " + kit.token})
        page = json.loads(connection.getresponse().read())
        first = first or time.perf_counter() - begin
        entries += len(page.get("items", [])) + len(page.get("prefixes", []))
        token = page.get("nextPageToken", "")
        if not token:
            return first, time.perf_counter() - begin, entries


def fill(kit, bucket, count, name):
    kit.daemon.call("POST", "/storage/v1/b?project=fireweed", kit.token, json.dumps({"name": bucket}).encode())
    script = """
        local n = 0
        function request()
          n = n + 1
          return wrk.format("POST", "/upload/storage/v1/b/%s/o?uploadType=media&name=" .. %s, nil, "x")
        end""" % (bucket, name)
    while kit.metric("fireweed_catalog_writes_total") < 0 or count > 0:
        before = kit.metric("fireweed_catalog_writes_total")
        kit.wrk(kit.daemon.base, script.replace("local n = 0", "local n = %d" % fill.made), seconds=5, headers=[kit.auth()])
        made = int(kit.metric("fireweed_catalog_writes_total") - before)
        fill.made += made
        count -= made


fill.made = 0


def listing(kit, rounds):
    count, many = kit.sizes.tree_objects, kit.sizes.many_objects
    fill(kit, "bench-tree", count, '"d" .. (n % 50000) .. "/o" .. n')
    runs = [pages(kit, "bench-tree", "delimiter=/") for _ in range(rounds)]
    first, whole = (statistics.median(run[i] for run in runs) * 1000 for i in (0, 1))
    print("list %d with a delimiter, pages of 1,000:       first page %.1f ms (bar 5), all %.0f ms (bar 400), %d entries"
          % (count, first, whole, runs[0][2]), flush=True)
    fill(kit, "bench-few", min(1000, many), '"p" .. (n % 10) .. "/o" .. n')
    fill(kit, "bench-many", many, '"p" .. (n % 1000) .. "/o" .. n')
    few = statistics.median(pages(kit, "bench-few", "prefix=p1/")[0] for _ in range(rounds))
    lots = statistics.median(pages(kit, "bench-many", "prefix=p1/")[0] for _ in range(rounds))
    print("prefix page in %d objects: %.2f ms, in 1,000: %.2f ms, ratio %.2f (bar 2)"
          % (many, lots * 1000, few * 1000, lots / few), flush=True)
    return {"first_ms": first, "all_ms": whole, "prefix_ratio": lots / few}


def memory(kit):
    size = kit.sizes.stream_mib
    before = kit.memory_mib()
    upload = subprocess.Popen(["curl", "-sSf", "-o", "/dev/null", "--noproxy", "*", "-H", kit.auth(), "-T", "-", "-X", "POST",
                               kit.daemon.base + "/upload/storage/v1/b/%s/o?uploadType=media&name=huge" % BUCKET],
                              stdin=subprocess.PIPE)
    block = os.urandom(1 << 20)
    for _ in range(size):
        upload.stdin.write(block)
    upload.stdin.close()
    upload.wait()
    subprocess.run(["curl", "-sSf", "-o", "/dev/null", "--noproxy", "*", "-H", kit.auth(), kit.daemon.base + MEDIA % "huge"],
                   check=True)
    grown = kit.memory_mib() - before
    print("%d MiB up and down: memory grew by %.1f MiB (bar 32)" % (size, grown), flush=True)
    kit.daemon.call("DELETE", "/storage/v1/b/%s/o/huge" % BUCKET, kit.token)
    return {"grown_mib": grown}


def slow_clients(kit, rounds):
    url = kit.daemon.base + MEDIA % "o1"
    probe = lambda: kit.wrk(url, connections=1, seconds=2, headers=[kit.auth()])["p99_ms"]
    kit.put("o1", b"x" * SMALL)
    probe()
    alone = statistics.median(probe() for _ in range(rounds))
    host, port = kit.daemon.endpoint["http"].rsplit(":", 1)
    slow = []
    for i in range(kit.sizes.slow_clients):
        client = socket.create_connection((host, int(port)))
        client.sendall(("POST /upload/storage/v1/b/%s/o?uploadType=media&name=slow%d HTTP/1.1\r\nHost: x\r\n%s\r\nContent-Length: 1000\r\n\r\nx"
                        % (BUCKET, i, kit.auth())).encode())
        slow.append(client)
    crowded = statistics.median(probe() for _ in range(rounds))
    for client in slow:
        client.close()
    print("p99 of a probe GET: %.3f ms alone, %.3f ms beside %d slow clients, ratio %.2f (bar 2)"
          % (alone, crowded, kit.sizes.slow_clients, crowded / alone), flush=True)
    return {"alone_ms": alone, "crowded_ms": crowded}


def run(tools, rounds, sizes, only=()):
    kit = Kit(tools, sizes)
    steps = {"put": lambda: small_put(kit, rounds), "one": lambda: one_put(kit, rounds),
             "get": lambda: small_get(kit, rounds), "large": lambda: large_get(kit, rounds),
             "tls": lambda: tls_get(kit, rounds), "upload": lambda: large_put(kit, rounds),
             "slow": lambda: slow_clients(kit, rounds), "list": lambda: listing(kit, rounds),
             "memory": lambda: memory(kit)}
    try:
        kit.start_nginx()
        return {name: steps[name]() for name in only or steps}
    finally:
        kit.close()

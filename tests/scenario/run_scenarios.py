#!/usr/bin/env python3
"""Runs text scenarios (*.http) against a live daemon.

    # a comment names what comes next
    POST /upload/storage/v1/b/pets/o?uploadType=media&name=cat      a request, signed in as the owner
    Host: storage.googleapis.com                                    headers follow
    > meow                                                          body lines (joined by newlines)
    200 $.generation -> g1                                          status, and values to keep ...
    404 $.error.errors[0].reason == notFound                        ... or to compare (==, !=, ~ regex)
    200 header ETag -> etag                                         also response headers
    200 body == meow                                                and the body as text

${g1} is replaced everywhere. `@anonymous` before a request leaves the token out, `@token TEXT` uses that one,
`@restart` stops the daemon with SIGKILL and starts it again. Every file gets a daemon of its own.
"""
import argparse
import http.client
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.parse


class Daemon:
    def __init__(self, program):
        self.program = program
        self.state = tempfile.mkdtemp(prefix="fireweed-scenario-")
        self.start()

    def start(self):
        out = subprocess.run([self.program, "--json", "up", "--state", self.state], capture_output=True, text=True)
        if out.returncode != 0:
            raise SystemExit("the daemon did not start: " + out.stderr)
        self.endpoint = json.loads(out.stdout)
        host, port = self.endpoint["http"].rsplit(":", 1)
        self.connection = http.client.HTTPConnection(host, int(port), timeout=60)

    def restart(self):
        self.connection.close()
        process = os.pidfd_open(int(self.endpoint["pid"]))
        signal.pidfd_send_signal(process, signal.SIGKILL)
        select.select([process], [], [])  # readable once it has ended
        os.close(process)
        self.start()

    def token(self):
        with open(os.path.join(self.state, "owner.json")) as file:
            owner = json.load(file)
        form = {"grant_type": "refresh_token"}
        form.update({key: owner[key] for key in ("client_id", "client_secret", "refresh_token")})
        self.connection.request("POST", "/token", urllib.parse.urlencode(form),
                                {"Content-Type": "application/x-www-form-urlencoded"})
        return json.loads(self.connection.getresponse().read())["access_token"]

    def close(self):
        self.connection.close()
        subprocess.run([self.program, "down", "--purge", "--state", self.state], stdout=subprocess.DEVNULL)
        shutil.rmtree(self.state, ignore_errors=True)


def look_up(document, path):
    """$.a.b[0].c in a parsed JSON value; None where nothing is."""
    value = document
    for name, index in re.findall(r"\.([\w-]+)|\[(\d+)\]", path):
        try:
            value = value[name] if name else value[int(index)]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def as_text(value):
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


class Scenario:
    def __init__(self, path, daemon):
        self.path, self.daemon, self.values = path, daemon, {}
        self.owner_token = daemon.token()

    def expand(self, text):
        def value(match):
            if match.group(1) not in self.values:
                self.fail(0, "no value ${%s}" % match.group(1))
            return self.values[match.group(1)]
        return re.sub(r"\$\{(\w+)\}", value, text)

    def fail(self, line, text):
        raise AssertionError("%s:%d: %s" % (self.path, line, text))

    def run(self):
        self.token, self.request, self.reply = self.owner_token, None, None
        with open(self.path) as file:
            lines = file.read().split("\n")
        for number, line in enumerate(lines, 1):
            self.line = number
            if not line.strip() or line.startswith("#"):
                continue
            self.step(number, line)

    def step(self, number, line):
        if line.startswith("@"):
            self.directive(number, self.expand(line[1:]).split(None, 1))
        elif re.match(r"(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) ", line):
            method, target = self.expand(line).split(" ", 1)
            self.request, self.reply = [method, target.strip(), {}, None], None
        elif line.startswith(">"):
            piece = self.expand(line[2:])
            self.request[3] = piece if self.request[3] is None else self.request[3] + "\n" + piece
        elif re.match(r"\d{3}\b", line):
            self.expect(number, line)
        elif ":" in line and self.request and not self.reply:
            name, value = self.expand(line).split(":", 1)
            self.request[2][name.strip()] = value.strip()
        else:
            self.fail(number, "cannot read this line: " + line)

    def directive(self, number, words):
        if words[0] == "anonymous":
            self.token = None
        elif words[0] == "token":
            self.token = words[1]
        elif words[0] == "owner":
            self.token = self.owner_token
        elif words[0] == "restart":
            self.daemon.restart()
        else:
            self.fail(number, "no such directive: @" + words[0])

    def send(self):
        method, target, headers, body = self.request
        if self.token and "Authorization" not in headers:
            headers["Authorization"] = "Bearer " + self.token
        self.daemon.connection.request(method, target, body, headers)
        response = self.daemon.connection.getresponse()
        self.reply = (response.status, dict((k.lower(), v) for k, v in response.getheaders()),
                      response.read().decode("utf-8", "replace"))

    def expect(self, number, line):
        if self.reply is None:
            self.send()
        status, headers, body = self.reply
        want, rest = line[:3], line[3:].strip()
        if str(status) != want:
            self.fail(number, "status %d instead of %s: %s" % (status, want, body[:500]))
        if not rest:
            return
        match = re.match(r"(\$\S*|header \S+|body)\s+(->|==|!=|~)\s*(.*)$", rest)
        if not match:
            self.fail(number, "cannot read this expectation: " + rest)
        what, operator, operand = match.groups()
        if what == "body":
            seen = body
        elif what.startswith("header "):
            seen = headers.get(what[7:].lower(), "")
        else:
            seen = as_text(look_up(json.loads(body), what))
        self.compare(number, what, operator, operand, seen)

    def compare(self, number, what, operator, operand, seen):
        if operator == "->":
            if not seen:
                self.fail(number, "%s is not there to be kept" % what)
            self.values[operand] = seen
            return
        operand = self.expand(operand)
        good = {"==": seen == operand, "!=": seen != operand,
                "~": re.search(operand, seen) is not None if operator == "~" else False}[operator]
        if not good:
            self.fail(number, "%s is %r" % (what, seen[:300]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fireweed", required=True, help="the fireweed program")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    failures = 0
    for path in options.files:
        daemon = Daemon(options.fireweed)
        try:
            Scenario(path, daemon).run()
            print("ok   " + path)
        except AssertionError as error:
            failures += 1
            print("FAIL " + str(error))
        finally:
            daemon.close()
    print("%d passed, %d failed" % (len(options.files) - failures, failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""A fireweed-serve of one's own, for the scripts beside this one."""
import http.client
import json
import os
import subprocess
import sys


class Served:
    """with Served('--model-dir', d) as served: served.predict([[1, 2]])"""

    def __init__(self, *arguments):
        program = os.path.join(os.environ['FIREWEED_BIN'], 'fireweed-serve')
        self.process = subprocess.Popen([program, *arguments, '--listen', '127.0.0.1:0'], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.error = ''
        self.port = int(line.rsplit(':', 1)[1]) if line else None
        if self.port is None:
            self.error = self.process.communicate()[1]

    def __enter__(self):
        if self.port is None:
            raise SystemExit(f'FAIL: fireweed-serve did not start: {self.error}')
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.error = self.process.communicate()[1]
        if self.process.returncode != 0:
            raise SystemExit(f'FAIL: fireweed-serve ended with {self.process.returncode}: {self.error}')

    def ask(self, path, body, method='POST'):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=300)
        text = body if isinstance(body, (str, bytes, type(None))) else json.dumps(body)
        connection.request(method, path, text)
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        return response.status, json.loads(answer) if answer[:1] in b'{[' else answer.decode()

    def predict(self, instances, **fields):
        status, answer = self.ask('/v1/predict', {'instances': instances, **fields})
        check(status == 200, f'predict answered {status}: {answer}')
        return answer['predictions']


def refusal(*arguments):
    """The one line that a model which cannot be loaded ends with."""
    served = Served(*arguments)
    if served.port is not None:
        served.process.kill()
        served.process.communicate()
        raise SystemExit(f'FAIL: was loaded: {arguments}')
    lines = [line for line in served.error.splitlines() if line.startswith('fireweed-serve: ')]
    check(served.process.returncode == 1 and len(lines) == 1, f'ended with {served.process.returncode}: {served.error}')
    return lines[0]


def check(truth, what):
    if not truth:
        print(f'FAIL: {what}')
        sys.exit(1)

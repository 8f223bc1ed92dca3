"""Serves the bare repositories of a directory to git over http, to those who know the password.

    python3 git_server.py DIRECTORY PORT USER:PASSWORD
"""
import base64
import functools
import http.server
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    expected = ''

    def do_GET(self):
        if self.headers.get('Authorization') == self.expected:
            super().do_GET()
            return
        self.send_response(401)
        self.send_header('WWW-Authenticate', 'Basic realm="private"')
        self.send_header('Content-Length', '0')
        self.end_headers()


def main(directory, port, secret):
    Handler.expected = 'Basic ' + base64.b64encode(secret.encode()).decode()
    with http.server.ThreadingHTTPServer(('', int(port)), functools.partial(Handler, directory=directory)) as server:
        print('serving', flush=True)
        server.serve_forever()


if __name__ == '__main__':
    main(*sys.argv[1:])

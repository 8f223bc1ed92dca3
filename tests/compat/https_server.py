"""A small HTTPS server on a free port of loopback, standing in for the world outside.

    https_server.py DIRECTORY CERTIFICATE KEY PORTFILE
"""
import functools
import http.server
import os
import ssl
import sys

directory, certificate, key, portfile = sys.argv[1:]
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=directory)
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
# Written aside and renamed: whoever sees the file sees the whole number.
with open(portfile + '.new', 'w') as stream:
    stream.write(str(server.server_address[1]))
os.rename(portfile + '.new', portfile)
server.serve_forever()

"""Merges pip settings of the host into one file for the image; runs inside the image.

    pip_settings.py OUT BINDS CONSTRAINTS FILE...     environment: PIP_* as on the host

Later files win over earlier ones and PIP_* over all, as with pip itself. Directories of the host that the settings
name (file:// indexes, find-links) are written to BINDS, one a line: whoever starts an instance shows them inside. A name
with a space in it cannot be written there and is left out.
"""
import configparser
import os
import sys
import urllib.parse

# What says where packages come from and how to reach them; anything else is a habit of the host's user.
CARRIED = ('index-url', 'extra-index-url', 'find-links', 'no-index', 'trusted-host', 'proxy', 'timeout', 'retries',
           'default-timeout', 'prefer-binary')
LISTS = ('extra-index-url', 'find-links', 'trusted-host')


def settings(files, environment):
    merged = {}
    for name in files:
        parser = configparser.RawConfigParser()
        parser.read(name)
        for section in ('global', 'install'):
            if parser.has_section(section):
                merged.update({k.replace('_', '-'): v for k, v in parser.items(section)})
    for name, value in environment.items():
        if name.startswith('PIP_') and value:
            merged[name[4:].lower().replace('_', '-')] = value
    if 'default-timeout' in merged:
        merged['timeout'] = merged.pop('default-timeout')
    return {k: v for k, v in merged.items() if k in CARRIED}


def local_directory(value):
    if value.startswith('file://'):
        path = urllib.parse.unquote(urllib.parse.urlsplit(value).path)
        # An index is <top>/simple with its files beside it: show the top.
        return os.path.dirname(path.rstrip('/')) if path.rstrip('/').endswith('/simple') else path
    return value if value.startswith('/') else None


def main():
    out, binds, constraints, files = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    found = settings(files, os.environ)
    local = {local_directory(v) for k in ('index-url', 'extra-index-url', 'find-links') for v in found.get(k, '').split()}
    with open(binds, 'w') as stream:
        for path in sorted(p for p in local if p and p != '/' and not p.split()[1:]):
            stream.write(path.rstrip('/') + '\n')
    with open(out, 'w') as stream:
        stream.write('[global]\ncert = /etc/ssl/certs/ca-certificates.crt\n')
        stream.write('disable-pip-version-check = true\nroot-user-action = ignore\n')
        stream.write(f'constraint = {constraints}\n')
        for key, value in sorted(found.items()):
            separator = '\n    ' if key in LISTS else ' '
            stream.write(f'{key} = {separator.join(value.split())}\n')


main()

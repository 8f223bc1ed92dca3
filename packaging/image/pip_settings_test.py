"""What pip_settings.py makes of a host's settings. Run by ctest; standard library only."""
import configparser
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name('pip_settings.py')


class PipSettings(unittest.TestCase):
    def merge(self, *files, **environment):
        with tempfile.TemporaryDirectory() as temp:
            top = pathlib.Path(temp)
            names = []
            for number, text in enumerate(files):
                names.append(str(top / f'{number}.conf'))
                pathlib.Path(names[-1]).write_text(text)
            subprocess.run([sys.executable, SCRIPT, top / 'out', top / 'binds', '/c.txt', *names], check=True,
                           env={'PATH': os.environ['PATH'], **environment})
            parser = configparser.RawConfigParser()
            parser.read(top / 'out')
            return dict(parser.items('global')), (top / 'binds').read_text().split()

    def test_nothing_set(self):
        settings, binds = self.merge()
        self.assertEqual(settings['constraint'], '/c.txt')
        self.assertEqual(settings['cert'], '/etc/ssl/certs/ca-certificates.crt')
        self.assertNotIn('index-url', settings)
        self.assertEqual(binds, [])

    def test_later_files_and_the_environment_win(self):
        first, second = '[global]\nindex-url = https://a/simple\ntimeout = 1\n', '[global]\nindex_url = https://b/simple\n'
        settings, _ = self.merge(first, second)
        self.assertEqual((settings['index-url'], settings['timeout']), ('https://b/simple', '1'))
        settings, _ = self.merge(first, second, PIP_INDEX_URL='https://c/simple', PIP_DEFAULT_TIMEOUT='9')
        self.assertEqual((settings['index-url'], settings['timeout']), ('https://c/simple', '9'))

    def test_the_certificate_list_of_the_host_is_not_carried(self):
        settings, _ = self.merge('[global]\ncert = /home/me/ca.pem\nuser = true\n', PIP_CERT='/x.pem')
        self.assertEqual(settings['cert'], '/etc/ssl/certs/ca-certificates.crt')
        self.assertNotIn('user', settings)

    def test_local_directories_are_to_be_bound(self):
        settings, binds = self.merge(
            '[global]\nfind-links = /opt/wheels\nextra-index-url = file:///opt/a%20b/simple file:///opt/d/simple https://c/simple\n')
        self.assertEqual(settings['extra-index-url'].split(), ['file:///opt/a%20b/simple', 'file:///opt/d/simple', 'https://c/simple'])
        self.assertEqual(binds, ['/opt/d', '/opt/wheels'])


unittest.main()

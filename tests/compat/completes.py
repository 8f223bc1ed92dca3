#!/usr/bin/env python3
"""Types command lines into an interactive shell, with Tab as a person presses it, and looks at what the shell ran.

  tests/compat/completes.py bash|zsh|zsh-path|fish SCRIPT

SCRIPT is what `fireweed completion` printed for that shell; zsh-path finds it by the name _fireweed in a directory, as an installed
one is found. In the shell `fireweed` is a function that shows its words.
"""
import os
import pty
import select
import sys
import time

SHELLS = {
    'bash': (['bash', '--norc', '--noprofile', '-i'], 'bind "set completion-query-items 0"; bind "set page-completions off"; '
             'fireweed() { printf "<%s>" "$@"; echo; }; source SCRIPT', 'PS1=REA""DY:'),
    'zsh': (['zsh', '-f', '-i'], 'autoload -U compinit; compinit -u -D; unsetopt list_beep; fireweed() { printf "<%s>" "$@"; echo; }; '
            'source SCRIPT', 'PS1=REA""DY:'),
    'zsh-path': (['zsh', '-f', '-i'], 'fpath=(FOLDER $fpath); autoload -U compinit; compinit -u -D; unsetopt list_beep; '
                 'fireweed() { printf "<%s>" "$@"; echo; }', 'PS1=REA""DY:'),
    'fish': (['fish', '--no-config', '-i'], 'function fireweed; printf "<%s>" $argv; echo; end; source SCRIPT',
             'function fish_prompt; echo -n REA""DY:; end'),
}
LINES = [  # typed, and what is run
    ('fireweed stora\tbuck\tcreat\tgs://b --loca\tEU', '<storage><buckets><create><gs://b><--location><EU>'),
    ('fireweed --state /x compu\tinsta', '<--state></x><compute><insta>'),
    ('fireweed ai-pl\tjobs subm\ttrain\tj', '<ai-platform><jobs><submit><training><j>'),
    ('fireweed ml-en\tjobs subm\ttrain\tj', '<ml-engine><jobs><submit><training><j>'),
    ('fireweed forw\t x', '<forw><x>'),  # hidden: not completed
    ('fireweed beta compute images delet\timage', '<beta><compute><images><delete><image>'),
    ('fireweed storage cp a-fi\tgs://b', '<storage><cp><a-file.txt><gs://b>'),
]
PATIENCE = 60


class Shell:
    def __init__(self, command):
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.environ.update(TERM='dumb', HOME=os.getcwd(), INPUTRC='/dev/null', LC_ALL='C.UTF-8')
            os.execvp(command[0], command)
        self.seen = ''

    def type(self, text):
        os.write(self.terminal, text.encode())

    def expect(self, text):
        """Reads until the text has come; what came before it is forgotten."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.seen:
            ready, _, _ = select.select([self.terminal], [], [], max(0, deadline - time.monotonic()))
            chunk = self.read() if ready else b''
            if not chunk:
                sys.exit(f'waited for {text!r}, saw:\n{self.seen}')
            self.seen += chunk.decode('utf-8', 'replace')
        self.seen = self.seen.partition(text)[2]

    def read(self):
        try:
            return os.read(self.terminal, 65536)
        except OSError:  # the shell has ended
            return b''


def main():
    shell_name, script = sys.argv[1:]
    command, setup, prompt = SHELLS[shell_name]
    with open('a-file.txt', 'w', encoding='utf-8'):
        pass
    shell = Shell(command)
    shell.type(setup.replace('SCRIPT', script).replace('FOLDER', os.path.dirname(script)) + '\n')
    shell.type(prompt + '\n')
    shell.expect('READY:')
    for typed, wanted in LINES:
        for part in typed.split('\t')[:-1]:
            shell.type(part + '\t')
        shell.type(typed.split('\t')[-1] + '\n')
        shell.expect(wanted + '\r\n')
        shell.expect('READY:')
    shell.type('exit\n')


if __name__ == '__main__':
    main()

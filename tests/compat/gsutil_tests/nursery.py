"""Starts gsutil without its second of imports: a parent that has imported everything forks one for each call.

  nursery.py SOCKET PROGRAM     serve: PROGRAM is gsutil's own script, which this stands in for
  text of a caller: caller(SOCKET, ORIGINAL)

gsutil's tests start it thousands of times and nearly all of that time goes into imports. The caller is mounted over the
script, hands its arguments, environment, directory and files to the parent, and ends as the child ends. What has no
parent to answer, and completion (which talks on another file), runs the original script.
"""
import array
import contextlib
import gc
import importlib
import json
import multiprocessing
import os
import pkgutil
import select
import signal
import socket
import sys
import time

PLAIN = 'FIREWEED_GSUTIL_PLAIN'  # in the environment: the original script runs
MAIN, STARTS_A_PROCESS = 'gslib.__main__', 'gslib.utils.copy_helper'
PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
CALLER = '''import os, sys
def plain():
    text = open({original!r}).read()
    exec(compile(text, sys.argv[0], "exec"), {{"__name__": "__main__", "__file__": sys.argv[0]}})
def main():
    import array, json, signal, socket
    peer = socket.socket(socket.AF_UNIX)
    try:
        peer.connect({path!r})
    except OSError:
        return plain()
    call = json.dumps([sys.argv, dict(os.environ), os.getcwd()]).encode()
    peer.sendmsg([len(call).to_bytes(8, "little")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))])
    peer.sendall(call)
    def tell(number, frame):
        peer.sendall(bytes([number]))
    for number in {passed_on}:
        signal.signal(number, tell)
    status = peer.recv(4)
    if len(status) < 4:
        sys.exit("gsutil: the parent of this call is gone")
    status = int.from_bytes(status, "little", signed=True)
    if status < 0:
        signal.signal(-status, signal.SIG_DFL) if -status != 9 else None
        os.kill(os.getpid(), -status)
    os._exit(status)
if "_ARGCOMPLETE" in os.environ or {plain!r} in os.environ:
    plain()
else:
    main()
'''


def caller(path, original):
    return CALLER.format(plain=PLAIN, path=str(path), original=str(original), passed_on=tuple(map(int, PASSED_ON)))


def preload(program):
    sys.argv[:] = [program]
    sys.path[0] = os.path.dirname(program)
    try:
        importlib.import_module('gsutil')  # the Cloud SDK's: finds the libraries it carries
    except ImportError:
        pass  # PyPI's: they are installed
    importlib.import_module(MAIN)
    del sys.modules[MAIN]  # it looks at its arguments while it is imported: each child does that itself
    # What copies files starts a process while it is imported: that is the child's business.
    sys.modules[STARTS_A_PROCESS] = None
    commands = importlib.import_module('gslib.commands')
    for module in pkgutil.iter_modules(commands.__path__):
        with contextlib.suppress(ImportError):
            importlib.import_module(f'gslib.commands.{module.name}')
    del sys.modules[STARTS_A_PROCESS]
    if multiprocessing.active_children():
        sys.exit('nursery: an import started a process')
    gc.freeze()


def receive_call(peer):
    head, ancillary, _, _ = peer.recvmsg(8, socket.CMSG_SPACE(3 * 4))
    files = array.array('i')
    for _, _, data in ancillary:
        files.frombytes(data[:len(data) - len(data) % 4])
    size, text = int.from_bytes(head, 'little'), b''
    while len(text) < size:
        text += peer.recv(size - len(text))
    return json.loads(text), files


def become(call, files):
    """Everything that a program fresh from exec would have read, in the place of what the parent read."""
    argv, environment, directory = call
    for target, file in enumerate(files):
        os.dup2(file, target)
        os.close(file)
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    for number in PASSED_ON:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    sys.argv[:] = argv
    reread_settings()
    sys.exit(importlib.import_module(MAIN).main())


def reread_settings():
    """boto looks for its files when it is imported. Others hold the two objects: they are changed, not replaced."""
    import boto
    import gslib
    from gslib.utils import boto_util
    boto.UserAgent = boto.UserAgent.removesuffix(gslib.USER_AGENT)
    module, places = boto.pyami.config, boto.pyami.config.BotoConfigLocations
    places[:] = importlib.reload(module).BotoConfigLocations
    module.BotoConfigLocations = places
    boto.config.__dict__.update(module.Config().__dict__)
    boto_util.BOTO_IS_SECURE = boto.config.get('Boto', 'is_secure', True)
    boto_util.CERTIFICATE_VALIDATION_ENABLED = boto.config.get('Boto', 'https_validate_certificates', True)


def keep(peer):
    """One call: the child, the signals for it, and its end, whichever side ends first."""
    call, files = receive_call(peer)
    ended, tell = os.pipe()
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for file in (peer.detach(), ended, tell):
            os.close(file)
        become(call, files)
    for file in files:
        os.close(file)
    while True:
        ready, _, _ = select.select([peer, ended], [], [])
        if ended in ready:
            break
        word = peer.recv(1)
        if word:
            os.kill(child, word[0])
        else:
            os.killpg(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        peer.sendall(status.to_bytes(4, 'little', signed=True))
    except OSError:
        pass  # whoever called is gone


def serve(path, program):
    preload(program)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    while True:
        peer, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            keep(peer)
            os._exit(0)
        peer.close()


if __name__ == '__main__':
    serve(sys.argv[1], sys.argv[2])

"""Says whether this machine is about to be taken away: by the metadata server's word, or by SIGTERM."""
import logging
import signal
import threading
import urllib.request

PREEMPTED = 'http://metadata.google.internal/computeMetadata/v1/instance/preempted?wait_for_change=true&timeout_sec=300'


class Notice:
    def __init__(self):
        self.given = threading.Event()

    def watch(self):
        """From the main thread, once."""
        signal.signal(signal.SIGTERM, lambda *_: self.given.set())
        threading.Thread(target=self._ask, daemon=True).start()
        return self

    def _ask(self):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        request = urllib.request.Request(PREEMPTED, headers={'Metadata-Flavor': 'Google'})
        while not self.given.is_set():
            try:
                with opener.open(request, timeout=330) as answer:
                    if answer.read().strip() == b'TRUE':
                        logging.info('the machine is being preempted')
                        self.given.set()
            except OSError:
                # No metadata server here, or it is restarted: SIGTERM comes all the same.
                self.given.wait(5)

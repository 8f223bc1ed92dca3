"""Asks for predictions without a pause until a file appears, then prints how often each status was answered.

    predict_load.py HOST:PORT PATH TOKEN BODY STOP-FILE [CONNECTIONS]
"""
import collections
import http.client
import os
import sys
import threading

address, path, token, body, stop = sys.argv[1:6]
connections = int(sys.argv[6]) if len(sys.argv) > 6 else 4
seen = collections.Counter()
lock = threading.Lock()


def run():
    connection = http.client.HTTPConnection(address, timeout=60)
    headers = {'Authorization': 'Bearer ' + token, 'Content-Type': 'application/json'}
    mine = collections.Counter()
    while not os.path.exists(stop):
        try:
            connection.request('POST', path, body, headers)
            reply = connection.getresponse()
            text = reply.read()
            mine[str(reply.status)] += 1
            if reply.status == 200:
                mine[text.decode()] += 1
        except (OSError, http.client.HTTPException) as error:
            mine[type(error).__name__] += 1
            connection.close()
    with lock:
        seen.update(mine)


threads = [threading.Thread(target=run) for _ in range(connections)]
for thread in threads:
    thread.start()
print('running', flush=True)
for thread in threads:
    thread.join()
for what, count in sorted(seen.items()):
    print(count, what.strip())

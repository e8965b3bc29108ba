"""recorder.py: stands between the load generator and our server for a moment and keeps the answer that nginx has to give.

So nginx answers with the very bytes of ours, whatever the generator's data look like."""
import collections
import re
import socket
import threading

from process import Failed

LENGTH = re.compile(rb'\r\ncontent-length: *(\d+)', re.I)
TARGET = re.compile(rb'\r\nx-amz-target: *([^\r\n]+)', re.I)


def message(stream):
    """Head and body of the next HTTP message, or None at the end."""
    head = b''
    while not head.endswith(b'\r\n\r\n'):
        line = stream.readline()
        if not line:
            return None
        head += line
    length = LENGTH.search(head)
    return head, stream.read(int(length.group(1))) if length else b''


class Recorder:
    """A proxy in front of a port of this machine, for as long as the `with` lasts."""

    def __init__(self, port):
        self.port = port
        self.counts, self.last = collections.Counter(), {}
        self.lock = threading.Lock()
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.url = f'http://127.0.0.1:{self.listener.getsockname()[1]}'

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, socket.create_connection(('127.0.0.1', self.port)) as server:
            asks, answers = client.makefile('rb'), server.makefile('rb')
            try:
                while (request := message(asks)) is not None:
                    server.sendall(request[0] + request[1])
                    answer = message(answers)
                    if answer is None:
                        return
                    self.keep(request[0], answer)
                    client.sendall(answer[0] + answer[1])
            except OSError:
                pass  # the generator closes when its time is over

    def keep(self, head, answer):
        target = TARGET.search(head)
        if target and answer[0].split(None, 2)[1] == b'200':
            with self.lock:
                self.counts[target.group(1)] += 1
                self.last[target.group(1)] = answer[1]

    def answer(self):
        """The last answer of the operation that was asked for most often."""
        with self.lock:
            if not self.counts:
                raise Failed('no answer was seen that nginx could give')
            return self.last[self.counts.most_common(1)[0][0]]

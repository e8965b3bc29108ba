"""clients.py: many connections driven from one thread, each with one request under way, and what was asked and answered with its times.

Times are of the monotonic clock: `start` is taken before the first byte is sent, `end` after the last byte of the answer was read, so an
operation took effect in between. A client that is told to abandon a request closes its connection after sending it: what became of it is
unknown, as it is for all that were under way when the server is killed.
"""
import json
import selectors
import socket
import time

from dynamodb import Database

LIMIT_S = 60


class Client:
    """One connection; `request` is what the workload gave: (operation, parameters, note)."""

    def __init__(self, number, address):
        self.number, self.address, self.socket, self.request = number, address, None, None
        self.start, self.received, self.abandoned = 0, b'', False

    def connect(self):
        self.socket = socket.create_connection(self.address, timeout=LIMIT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close(self):
        if self.socket:
            self.socket.close()
            self.socket = None

    def answer(self):
        """(status, parsed body) when all of it is here, else None."""
        head, found, body = self.received.partition(b'\r\n\r\n')
        if not found:
            return None
        lines = head.split(b'\r\n')
        length = next(int(line.split(b':')[1]) for line in lines if line.lower().startswith(b'content-length:'))
        return (int(lines[0].split()[1]), json.loads(body)) if len(body) >= length else None


class Recorder:
    """Runs a workload: its next_request(client, rng) gives a request or None, its record(...) gets each outcome (answer None: unknown)."""

    def __init__(self, endpoint, workload, rng, clients=8, abandon=0.0):
        self.database = Database(endpoint)
        host, port = self.database.address.split(':')
        self.workload, self.rng, self.abandon = workload, rng, abandon
        self.selector = selectors.DefaultSelector()
        self.clients = [Client(n, (host, int(port))) for n in range(clients)]
        self.processes = clients

    def encode(self, operation, parameters):
        body = json.dumps(parameters).encode()
        headers = ''.join(f'{name}: {value}\r\n' for name, value in self.database.headers(operation).items())
        return f'POST / HTTP/1.1\r\nHost: {self.database.address}\r\n{headers}Content-Length: {len(body)}\r\n\r\n'.encode() + body

    def begin(self, client):
        client.request = self.workload.next_request(client.number, self.rng)
        if client.request is None:
            client.close()
            return
        if client.socket is None:
            client.connect()
        data = self.encode(client.request[0], client.request[1])
        client.received, client.start = b'', time.monotonic_ns()
        client.abandoned = self.rng.random() < self.abandon
        client.socket.sendall(data)
        if client.abandoned:
            self.lose(client)
            self.begin(client)
            return
        self.selector.register(client.socket, selectors.EVENT_READ, client)

    def lose(self, client):
        """What became of its request is unknown; what it does from now on it does as somebody else."""
        client.close()
        self.workload.record(client.number, client.request, None, client.start, None)
        client.number = self.processes
        self.processes += 1

    def receive(self, client):
        try:
            data = client.socket.recv(1 << 18)
        except ConnectionError:
            data = b''
        client.received += data
        answer = client.answer()
        if answer is None and data:
            return
        end = time.monotonic_ns()
        self.selector.unregister(client.socket)
        self.heard(client, answer, end)

    def heard(self, client, answer, end):
        """answer: None where the connection ended before it was whole."""
        if answer is None:
            raise ConnectionError(f'the server closed the connection in the middle of {client.request[0]}: {client.received[:200]}')
        self.workload.record(client.number, client.request, answer, client.start, end)
        self.begin(client)

    def run(self, kill_after=None, kill=None):
        """Until the workload has no more requests. kill: what restart does, after so many answers."""
        answered = 0
        for client in self.clients:
            self.begin(client)
        while any(client.request for client in self.clients):
            if kill_after is not None and answered >= kill_after:
                kill_after = None
                self.restart(kill)
            ready = self.selector.select(LIMIT_S)
            if not ready:
                raise TimeoutError(f'no answer for {LIMIT_S} s: {[c.request for c in self.clients if c.request]}')
            for key, _ in ready:
                answered += 1
                self.receive(key.data)
        self.selector.close()

    def restart(self, kill):
        """kill(): kills the server and starts it again; gives its address."""
        address = kill()
        waiting = [client for client in self.clients if client.request]
        for client in waiting:
            self.selector.unregister(client.socket)
            self.lose(client)
        for client in self.clients:
            client.close()
            client.address = address
        self.database = Database(f'http://{address[0]}:{address[1]}')
        for client in waiting:
            self.begin(client)

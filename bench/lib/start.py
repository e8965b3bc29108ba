"""start.py: how long from exec of the server to its first answer with data."""
import os
import signal
import socket
import time

from client import HEADERS
from endpoints import LOOPS
from places import PROGRAM
from process import Failed, free_port

KEY = {'PK': {'S': 'CUSTOMER#start'}, 'SK': {'S': 'ORDER#start'}}


def request(port, table):
    body = '{"TableName":"%s","Key":{"PK":{"S":"CUSTOMER#start"},"SK":{"S":"ORDER#start"}}}' % table
    head = ''.join(f'{name}: {value}\r\n' for name, value in {**HEADERS, 'X-Amz-Target': 'DynamoDB_20120810.GetItem'}.items())
    return f'POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{head}Content-Length: {len(body)}\r\n\r\n{body}'.encode()


def first_answer(port, bytes_, end):
    """Tries until somebody listens, then asks once."""
    while True:
        try:
            with socket.create_connection(('127.0.0.1', port), timeout=10) as s:
                s.sendall(bytes_)
                return s.recv(65536)
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise Failed('no answer 10 s after the start') from None


def milliseconds_to_first_answer(server, table):
    """server: stopped, with a directory; started as it was, on a port that is known before."""
    port = free_port()
    command = [PROGRAM, 'serve', '--port', str(port), '--threads', str(LOOPS), '--data', server.data, '--durability', server.mode,
               '--log-level', 'error']
    ask = request(port, table)
    quiet = os.open(os.devnull, os.O_WRONLY)
    began = time.monotonic()
    pid = os.posix_spawn(PROGRAM, command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, quiet, 1)])
    try:
        answer = first_answer(port, ask, began + 10)
        spent = time.monotonic() - began
    finally:
        os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)
        os.close(quiet)
    if not answer.startswith(b'HTTP/1.1 200') or b'CUSTOMER#start' not in answer:
        raise Failed(f'the first answer is {answer[:200]!r}')
    return spent * 1000

"""proxy.py: a network between servers and PostgreSQL that can be cut and slowed down.

A cut comes when a server sends a COMMIT: before PostgreSQL gets it, when it has got it, or when its answer is on the way. In all cases the server sees a
connection that is gone, and cannot know which it was.
"""
import asyncio
import threading

CUTS = ('before', 'sent', 'answered')
COMMIT = b'\0COMMIT\0'


class Link:
    """One connection through the proxy."""

    def __init__(self, proxy, client, server):
        self.proxy, self.client, self.server, self.cut_at_answer = proxy, client, server, False

    def cut(self):
        for _, writer in (self.client, self.server):
            writer.transport.abort()

    async def to_server(self):
        reader, writer = self.client[0], self.server[1]
        while data := await reader.read(1 << 16):
            await self.proxy.rest()
            kind = self.proxy.take_cut() if COMMIT in data else None
            if kind == 'before':
                self.cut()
                return
            self.cut_at_answer = kind == 'answered'
            writer.write(data)
            await writer.drain()
            if kind == 'sent':
                await asyncio.sleep(0.001)
                self.cut()
                return

    async def to_client(self):
        reader, writer = self.server[0], self.client[1]
        while data := await reader.read(1 << 16):
            await self.proxy.rest()
            if self.cut_at_answer:
                self.cut()
                return
            writer.write(data)
            await writer.drain()

    async def run(self):
        """As soon as one side ends the other does."""
        ways = [asyncio.ensure_future(self.to_server()), asyncio.ensure_future(self.to_client())]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        self.cut()
        await asyncio.gather(*ways, return_exceptions=True)


class Proxy(threading.Thread):
    """Listens on a port of its own for one server of PostgreSQL. delay: a function that gives the seconds for which data is held back."""

    def __init__(self, port, delay=None):
        super().__init__(daemon=True)
        self.to, self.delay, self.wanted, self.made, self.lock = port, delay, [], {}, threading.Lock()
        self.loop, self.ready, self.port, self.cancel = asyncio.new_event_loop(), threading.Event(), None, None
        self.start()
        self.ready.wait()

    def cut(self, kind):
        """The next COMMIT that comes by is cut so."""
        with self.lock:
            self.wanted.append(kind)

    def take_cut(self):
        with self.lock:
            if not self.wanted:
                return None
            kind = self.wanted.pop(0)
            self.made[kind] = self.made.get(kind, 0) + 1
            return kind

    async def rest(self):
        if self.delay:
            seconds = self.delay()
            if seconds:
                await asyncio.sleep(seconds)

    async def accept(self, reader, writer):
        try:
            server = await asyncio.open_connection('127.0.0.1', self.to)
        except OSError:
            writer.transport.abort()
            return
        await Link(self, (reader, writer), server).run()

    async def serve(self):
        listening = await asyncio.start_server(self.accept, '127.0.0.1', 0)
        self.port = listening.sockets[0].getsockname()[1]
        self.cancel = asyncio.Event()
        self.ready.set()
        await self.cancel.wait()
        listening.close()

    def run(self):
        asyncio.set_event_loop(self.loop)
        self.loop.set_exception_handler(lambda loop, context: None)  # connections that were cut
        self.loop.run_until_complete(self.serve())
        for task in asyncio.all_tasks(self.loop):
            task.cancel()

    def stop(self):
        self.loop.call_soon_threadsafe(self.cancel.set)
        self.join()

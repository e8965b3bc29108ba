"""over_http.py: the sections of the plan, measured with `onefold bench` on every endpoint."""
import types
from dataclasses import replace

from loads import bench_command, by_bench, prepare, run
from plan import PEER_COLLECTION
from process import Failed
from recorder import Recorder
from rounds import in_turn


def for_endpoint(work, endpoint):
    """What a peer gets less of: the collection of a million items."""
    if work.collection > PEER_COLLECTION and not endpoint.ours and not endpoint.web_server:
        return replace(work, collection=PEER_COLLECTION)
    return work


def kind(endpoint):
    if endpoint.ours:
        return 'ours'
    if endpoint.web_server:
        return 'web server'
    return 'other' if type(endpoint).__name__ == 'Other' else 'peer'


class Session:
    """The endpoints that run, and what has been loaded into which."""

    def __init__(self, endpoints, seconds, rounds, tell):
        self.endpoints, self.seconds, self.rounds, self.tell = endpoints, seconds, rounds, tell
        self.loaded, self.trouble = set(), {}
        self.nginx = next((e for e in endpoints if e.web_server), None)

    def load(self, work, endpoint):
        """Loads once for all workloads on the same table."""
        key = (endpoint.name, work.model or work.table())
        if endpoint.web_server or key in self.loaded:
            return
        self.tell(f'{work.title}: loading {endpoint.name}')
        prepare(endpoint, workload=work.workload, **work.data())
        self.loaded.add(key)

    def record(self, work):
        """Lets nginx know the answer of a workload. A mixture of patterns has no one answer."""
        if work.model or work.key() in self.nginx.bodies:
            return
        ours = next(e for e in self.endpoints if e.ours)
        with Recorder(ours.process.port) as recorder:
            stand_in = types.SimpleNamespace(url=recorder.url, path=lambda _: '')
            run(bench_command(stand_in, work.workload, no_prepare=True, json=True, connections=1, threads=1, seconds=0.2, warmup=0, **work.data()), 120)
            self.nginx.bodies[work.key()] = recorder.answer()

    def ready(self, block, endpoints):
        """Loads everything a block needs and restarts nginx with its answers. (work, endpoint) to why it cannot be measured."""
        failed = {}
        for work in block:
            for endpoint in endpoints:
                try:
                    self.load(for_endpoint(work, endpoint), endpoint)
                except Failed as error:
                    failed[work.id, endpoint.name] = f'loading: {error}'
        if self.nginx:
            try:
                for work in block:
                    self.record(work)
                self.nginx.restart()
            except Failed as error:
                failed.update({(work.id, self.nginx.name): str(error) for work in block})
        return failed

    def measure(self, section):
        rows = []
        endpoints = [e for e in self.endpoints if not section.endpoints or e.name in section.endpoints or kind(e) == 'other']
        for block in section.blocks:
            failed = self.ready(block, endpoints)
            turns = []
            for endpoint in endpoints:
                for work in block:
                    if endpoint.web_server and work.model:
                        continue
                    turns.append((self.row(section, work, endpoint), self.turn(section, work, endpoint, failed.get((work.id, endpoint.name)))))
            rows += in_turn(turns, self.rounds, self.tell)
        return rows

    @staticmethod
    def row(section, work, endpoint):
        return {'section': section.name, 'workload': work.id, 'title': work.title, 'size': work.size, 'connections': section.connections,
                'endpoint': endpoint.name, 'kind': kind(endpoint), 'file': endpoint.file}

    def turn(self, section, work, endpoint, failure):
        def measure(number):
            if failure:
                raise Failed(failure)
            own = for_endpoint(work, endpoint)
            # Ours are checked always. Of a peer the first round's are: to learn what is right takes it as long as being measured.
            check = endpoint.ours or (number == 0 and not endpoint.web_server)
            return by_bench(endpoint, own.workload, own.key(), check, connections=section.connections, seconds=self.seconds * section.time,
                            warmup=0.3, **own.data())
        return measure

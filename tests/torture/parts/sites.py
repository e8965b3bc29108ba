"""sites: short reads and writes, EINTR, EMFILE and the like at every kind of call, and a clock that jumps: right answers or clean errors.

`--case receive:short` repeats one site, `--case start:open:EMFILE:7` the 7th such call of a start, `--case clock` the clock."""
import errno
import os
import shutil
import time

from crash.verify import check_counts, check_indexes, check_offline
from crash.works import prepare_bucket
from dynamodb import Database, N, Refused, S
from faults.control import (ACCEPT, DESCRIPTOR, FOREVER, MAP, NAME, OPEN, READ, RECEIVE, SEND, SHORT, SIZE, SYNC, WAIT, WRITE, Broken, Control, ended, must, name_of,
                            readiness, refused_to_start, served)
from faults.requests import Client
from faults.steps import Running, filled
from server import ServerFailed
from streams import latest_arn, read_all

BAD = (Broken, AssertionError, ServerFailed, OSError, Refused)

# Calls of a running server: name, kinds, error, one in so many, whether every answer has to come.
RUNNING = [
    ('receive', RECEIVE, SHORT, 1, True), ('receive', RECEIVE, errno.EINTR, 3, True), ('receive', RECEIVE, errno.EAGAIN, 3, True),
    ('receive', RECEIVE, errno.ECONNRESET, 5, False), ('receive', RECEIVE, errno.ENOMEM, 7, False),
    ('send', SEND, SHORT, 1, True), ('send', SEND, errno.EINTR, 3, True), ('send', SEND, errno.EAGAIN, 3, True),
    ('send', SEND, errno.EPIPE, 5, False), ('send', SEND, errno.ENOBUFS, 7, False),
    ('both', RECEIVE | SEND, SHORT, 1, True), ('both', RECEIVE | SEND, errno.EINTR, 2, True),
    ('wait', WAIT, errno.EINTR, 2, True),
    ('accept', ACCEPT, errno.EINTR, 2, True), ('accept', ACCEPT, errno.ECONNABORTED, 2, True), ('accept', ACCEPT, errno.EMFILE, 2, False),
    ('accept', ACCEPT, errno.ENFILE, 2, False), ('accept', ACCEPT, errno.ENOMEM, 3, False), ('accept', ACCEPT, errno.EPERM, 3, False),
    ('descriptor', DESCRIPTOR, errno.EMFILE, 2, False),
    ('pages', WRITE, errno.EINTR, 2, True),
]

# Calls of a start, and of exports and imports, one after the other: name, kinds, errors.
STARTING = [
    ('open', OPEN, (errno.EMFILE, errno.EINTR, errno.EACCES)), ('descriptor', DESCRIPTOR, (errno.EMFILE,)), ('map', MAP, (errno.ENOMEM,)),
    ('read', READ, (SHORT, errno.EINTR, errno.EIO)), ('write', WRITE, (SHORT, errno.EINTR)), ('sync', SYNC, (errno.EINTR,)),
    ('size', SIZE, (errno.EINTR, errno.ENOSPC)), ('name', NAME, (errno.EACCES,)),
]
BUCKET = [
    ('open', OPEN, (errno.EMFILE, errno.EIO)), ('read', READ, (SHORT, errno.EINTR, errno.EIO)), ('write', WRITE, (SHORT, errno.EINTR, errno.ENOSPC, errno.EIO)),
    ('sync', SYNC, (errno.EIO,)), ('name', NAME, (errno.ENOSPC,)),
]


class Sites:
    def __init__(self, t):
        self.t, self.count, self.number = t, 0, 0
        self.binary, self.shim = os.path.join(t.build(), 'onefold'), t.build('faults')

    def begin(self, args=(), meant='data'):
        """A folder, control and server of its own."""
        self.number += 1
        folder = os.path.join(self.t.scratch, str(self.number))
        os.makedirs(folder)
        control = Control(folder, self.shim, os.path.join(folder, meant))
        return folder, control, served(folder, self.binary, args=[a.replace('FOLDER', folder) for a in args], env=control.env)

    def wanted(self, case):
        return self.t.case is None or case.startswith(self.t.case) or self.t.case.startswith(case)

    def guarded(self, case, server, do):
        """Does it; a failure is told. False: it failed."""
        try:
            do()
            return True
        except BAD as wrong:
            server.kill()
            self.t.fail(f'{case}: {wrong}', self.t.repeat(case))
            return False


# ---- a running server ----

def run_running(sites):
    _, control, server = sites.begin()
    server.start()
    client = Client(server.endpoint)
    client.create()
    done = 0
    for name, kinds, error, every, patient in RUNNING:
        case = f'{name}:{name_of(error)}'
        if not sites.wanted(case):
            continue

        def visit():
            client.patient = patient
            control.arm(kinds, error, 1, FOREVER, every)
            for _ in range(4 if sites.t.full else 1):
                client.round()
            control.disarm()
            must(control.failed, 'no call was hit')
            client.patient = True
            client.round()
            client.final()
            must(readiness(server.endpoint)[0] == 200, 'not ready any more')
        if not sites.guarded(case, server, visit):
            return done
        done += 1
        sites.t.progress(done, len(RUNNING), f'kinds of calls of a running server, {case}: {control.failed} failed')
    server.stop()
    check_offline(sites.binary, server.data)
    return done


# ---- a start ----

def one_start(server, control, kinds, error, n, fresh):
    """False: there is no N-th such call."""
    if not fresh:
        filled(server)
    log_from = os.path.getsize(server.log) if os.path.exists(server.log) else 0
    control.arm(kinds, error, n)
    try:
        server.start()
        must(ended(server) == 0, f'it started and ended badly: {server.output(log_from)}')
    except ServerFailed:
        refused_to_start(server, log_from)
    control.disarm()
    server.start()
    db = Database(server.endpoint)
    must(fresh or db.every('Scan', TableName='kept') == [{'p': S('x')}], 'what was there is gone')
    db.close()
    server.stop()
    return control.failed > 0


def run_starts(sites):
    done = 0
    for fresh in (False, True):
        for name, kinds, errors in STARTING:
            for error in errors:
                for n in range(1, 200) if sites.t.full else range(1, 200, 4):
                    case = f'{"new" if fresh else "start"}:{name}:{name_of(error)}:{n}'
                    if not sites.wanted(case):
                        continue
                    folder, control, server = sites.begin()
                    more = []
                    if not sites.guarded(case, server, lambda: more.append(one_start(server, control, kinds, error, n, fresh))):
                        return done
                    shutil.rmtree(folder)
                    if not more[0]:
                        break
                    done += 1
                sites.t.progress(done, done + 1, f'calls of starts, {name} {name_of(error)}')
    return done


# ---- exports and imports ----

def export(db, n):
    return db.ExportTableToPointInTime(TableArn='arn:aws:dynamodb:us-east-1:000000000000:table/site', S3Bucket='bucket', S3Prefix=f'out{n}')['ExportDescription']['ExportArn']


def import_(db, name):
    answer = db.ImportTable(ClientToken=name, InputFormat='DYNAMODB_JSON', S3BucketSource={'S3Bucket': 'bucket', 'S3KeyPrefix': 'in/'}, TableCreationParameters={
        'TableName': name, 'BillingMode': 'PAY_PER_REQUEST', 'KeySchema': [{'AttributeName': 'p', 'KeyType': 'HASH'}],
        'AttributeDefinitions': [{'AttributeName': 'p', 'AttributeType': 'S'}]})
    return answer['ImportTableDescription']['ImportArn']


def finished(ask, seconds=60):
    end = time.monotonic() + seconds
    while (state := ask()) == 'IN_PROGRESS':
        assert time.monotonic() < end, f'not finished after {seconds} s'
        time.sleep(0.01)
    return state


def one_transfer(db, control, kinds, error, n, number):
    """An export and an import while the N-th such call fails: COMPLETED and right, or FAILED."""
    control.arm(kinds, error, n)
    exported, name = export(db, number), f'imported{number}'
    out = finished(lambda: db.DescribeExport(ExportArn=exported)['ExportDescription']['ExportStatus'])
    imported = import_(db, name)
    come = finished(lambda: db.DescribeImport(ImportArn=imported)['ImportTableDescription']['ImportStatus'])
    control.disarm()
    hit = control.failed > 0
    must({out, come} <= {'COMPLETED', 'FAILED'} and (hit or {out, come} == {'COMPLETED'}), f'export {out}, import {come}, {control.failed} calls failed')
    if come == 'COMPLETED':
        must(len(db.every('Scan', TableName=name)) == 2000, 'an import that is complete is not')
    if name in db.ListTables()['TableNames']:
        db.DeleteTable(TableName=name)
    return hit


def run_transfers(sites):
    if not any(sites.wanted(f'transfer:{name}') for name, _, _ in BUCKET):
        return 0
    folder, control, server = sites.begin(args=['--s3', 'FOLDER/s3'], meant='s3')
    prepare_bucket(os.path.join(folder, 's3'))
    server.start()
    client = Client(server.endpoint)
    client.create()
    client.round()
    db = Database(server.endpoint)
    db.UpdateContinuousBackups(TableName='site', PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
    done = number = 0
    for name, kinds, errors in BUCKET:
        for error in errors:
            for n in range(1, 100) if sites.t.full else (1 + len(name) % 3,):
                case = f'transfer:{name}:{name_of(error)}:{n}'
                if not sites.wanted(case):
                    continue
                number += 1
                more = []
                if not sites.guarded(case, server, lambda: more.append(one_transfer(db, control, kinds, error, n, number))):
                    return done
                if not more[0]:
                    break
                done += 1
            sites.t.progress(done, done + 1, f'calls of exports and imports, {name} {name_of(error)}')
    sites.guarded('transfer', server, client.final)
    server.stop()
    return done


# ---- the clock ----

STEPS = (3600, -3600, 86400, -86400, 5, -5, 40 * 86400, -2, -40 * 86400, 400 * 86400, -400 * 86400, 0.5, -0.5)


def all_records(db, table, tries=5):
    """[(shard, its records)]; what is trimmed while one reads, because the clock has gone on, is read anew."""
    while True:
        try:
            return read_all(db, latest_arn(db, table))
        except Refused as error:
            tries -= 1
            if error.type != 'TrimmedDataAccessException' or not tries:
                raise
            time.sleep(0.2)


def records_in_order(db, table):
    """The stream's numbers grow, whatever the clock did."""
    for _, records in all_records(db, table):
        numbers = [int(r['dynamodb']['SequenceNumber']) for r in records]
        must(numbers == sorted(set(numbers)), 'the numbers of a shard do not grow')


def clock_round(running):
    for kind in running.steps.kinds:
        if kind.__name__ in ('expire', 'restore'):  # what is due, and what can be restored, is the clock's to say
            continue
        running.prepare(kind)
        acknowledged, error, _ = running.step(kind)
        must(acknowledged, f'{kind.__name__}: {error}')
        running.finish()


def run_clock(sites):
    if not sites.wanted('clock'):
        return 0
    folder, control, server = sites.begin()
    running = Running(server, control, sites.binary)
    done = 0

    def jump(seconds):
        control.clock(seconds + control.clock() / 1000)
        clock_round(running)
        running.db.PutItem(TableName='ledger', Item={'p': S('due'), 's': S('1'), 'n': N(1), 'expires': N(int(time.time() + control.clock() / 1000) + 30 * 86400)})
        running.before = {}
        must('Item' in running.db.GetItem(TableName='ledger', Key={'p': S('due'), 's': S('1')}), 'an item that is not due is gone')
        records_in_order(running.db, 'ledger')
        check(running)
    if not sites.guarded('clock', server, running.create):
        return 0
    for seconds in STEPS if sites.t.full else STEPS[:4]:
        if not sites.guarded('clock', server, lambda: jump(seconds)):
            return done
        done += 1
        sites.t.progress(done, len(STEPS), 'steps of the clock')
    sites.guarded('clock', server, lambda: over_a_restart(running))
    return done


def check(running):
    check_indexes(running.db)
    check_counts(running.db)


def over_a_restart(running):
    """The directory knows a later time than the clock does."""
    running.server.stop()
    running.check_directory()
    running.control.clock(-86400)
    running.server.start()
    running.connect()
    clock_round(running)
    records_in_order(running.db, 'ledger')
    check(running)
    running.server.stop()
    running.check_directory()


def run(t):
    sites = Sites(t)
    t.row('short, EINTR, EAGAIN, EMFILE ... at a kind of call of a running server', 'right answers, or clean errors and right answers after', run_running(sites))
    t.row('the N-th open, read, write, map ... of a start fails', 'it starts, or one sentence; the next start works', run_starts(sites))
    t.row('the N-th call of an export or import fails', 'complete and right, or failed and told', run_transfers(sites))
    t.row('the clock jumps', 'all writes work; indexes, counts and stream fit', run_clock(sites))

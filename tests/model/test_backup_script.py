"""test_backup_script.py: the script of docs/operations.md that makes a backup every night, run as it stands there but for its places, on a server with
access keys and TLS."""
import os
import re
import ssl
import subprocess
import time

import boto3
import pytest
from authority import Authority
from server import TOP, program
from signed import KeyedServer

DOCUMENT = open(os.path.join(TOP, 'docs', 'operations.md')).read()
SCRIPT = re.search(r'```sh\n(#!/bin/sh\n# onefold-backup: .*?)```', DOCUMENT, re.S).group(1)
LAST = re.search(r'`(find /backup .*? \| grep -q \.)`', DOCUMENT).group(1)
DAY = 24 * 3600
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'ONEFOLD_'))}


class Machine:
    """The one that makes backups: its folders in one of ours."""

    def __init__(self, folder, endpoint, ca):
        self.backup, self.settings, programs = (folder / name for name in ('backup', 'settings', 'bin'))
        for made in self.backup, self.settings, programs:
            made.mkdir()
        (programs / 'onefold').symlink_to(os.path.abspath(program()))
        (self.settings / 'key').write_text('[default]\naws_access_key_id = AKIDNIGHT\naws_secret_access_key = secret-of-night\n')
        (self.settings / 'ca.crt').write_text(open(ca).read())
        self.script = (SCRIPT.replace('/etc/onefold-backup', str(self.settings)).replace('/backup/', f'{self.backup}/')
                       .replace('find /backup', f'find {self.backup}').replace('/usr/local/bin', str(programs)).replace('https://db:8000', endpoint))
        assert SCRIPT.count('https://db:8000') == 1

    def night(self):
        """Its exit code, and what cron mails."""
        p = subprocess.run(['/bin/sh', '-c', self.script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=CLEAN, text=True,
                           timeout=60, check=False)
        return p.returncode, p.stdout

    def old(self, name, days):
        (self.backup / name).touch()
        os.utime(self.backup / name, times=(time.time() - days * DAY,) * 2)

    def files(self):
        return sorted(p.name for p in self.backup.iterdir())

    def is_recent(self):
        return subprocess.run(LAST.replace('/backup', str(self.backup), 1), shell=True, check=False).returncode == 0


ALL_BUT_ONE = {'Version': '2012-10-17', 'Statement': [{'Effect': 'Allow', 'Action': 'dynamodb:*', 'Resource': '*'},
                                                      {'Effect': 'Deny', 'Action': 'dynamodb:*', 'Resource': 'arn:aws:dynamodb:*:*:table/hidden'}]}


@pytest.fixture
def server(tmp_path):
    authority = Authority(tmp_path / 'ca')
    cert, key = authority.issue('server')
    users = {'root': {}, 'night': {'policy': ALL_BUT_ONE}}
    with KeyedServer(users, memory=True, args=['--tls-cert', cert, '--tls-key', key], tls=ssl.create_default_context(cafile=authority.ca)) as s:
        s.ca = authority.ca
        make(s, 'shop')
        yield s


def make(server, table):
    db = boto3.client('dynamodb', endpoint_url=server.endpoint, region_name='us-east-1', aws_access_key_id='AKIDROOT', aws_secret_access_key='secret-of-root',
                      verify=server.ca)
    db.create_table(TableName=table, BillingMode='PAY_PER_REQUEST', KeySchema=[{'AttributeName': 'p', 'KeyType': 'HASH'}],
                    AttributeDefinitions=[{'AttributeName': 'p', 'AttributeType': 'S'}])
    db.put_item(TableName=table, Item={'p': {'S': 'x'}})


def test_a_good_night_is_silent(server, tmp_path):
    m = Machine(tmp_path, server.endpoint, server.ca)
    m.old('onefold-a.backup', 20)
    m.old('onefold-b.backup', 10)
    m.old('onefold-c.backup.unfinished', 20)
    m.old('others.backup', 20)
    assert not m.is_recent()
    assert m.night() == (0, '')
    new, *rest = m.files()
    assert rest == ['onefold-b.backup', 'others.backup'] and re.fullmatch(r'onefold-\d{4}-\d\d-\d\dT\d{6}\.backup', new)
    assert m.is_recent()


def test_a_bad_night_says_why_and_takes_nothing_away(server, tmp_path):
    m = Machine(tmp_path, server.endpoint, server.ca)
    m.old('onefold-a.backup', 20)
    (m.settings / 'key').write_text('[default]\naws_access_key_id = AKIDNOBODY\naws_secret_access_key = x\n')
    code, said = m.night()
    assert code == 1 and len(said.splitlines()) == 1 and 'security token' in said, said
    (m.settings / 'ca.crt').write_text(open(Authority(tmp_path / 'stranger', 'somebody else').ca).read())
    code, said = m.night()
    assert code == 1 and 'was not issued by an authority of' in said and '--ca-file' in said, said
    assert m.files() == ['onefold-a.backup'] and not m.is_recent()


def test_a_table_that_is_missing_is_told_of(server, tmp_path):
    make(server, 'hidden')
    m = Machine(tmp_path, server.endpoint, server.ca)
    m.old('onefold-a.backup', 20)
    code, said = m.night()
    assert code == 3 and 'hidden' in said and len(m.files()) == 2 and m.is_recent(), said


def test_what_a_crash_leaves_stands_in_nobodys_way(server, tmp_path):
    m = Machine(tmp_path, server.endpoint, server.ca)
    m.old('onefold-2026-01-01T030000.backup.unfinished', 0)
    assert m.night() == (0, '') and len(m.files()) == 2

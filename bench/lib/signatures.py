"""signatures.py: what verifying signatures costs: GetItem on a server that knows access keys against one that takes every well-formed signature.

Two servers on copies of one directory get the same requests, each signed beforehand with a real key for its address, from wrk in turns; a
signature is good for a quarter of an hour, and the requests are signed anew for each round."""
import hashlib
import hmac
import os
import shutil
import statistics
import time

import control
from client import REGION
from endpoints import Onefold
from loads import by_wrk
from machine import heading
from places import work
from process import Failed

KEY, SECRET = 'AKIDBENCH', 'secret-of-the-benchmark'


def credentials():
    """The file of the one access key."""
    path = work('data', 'access-keys')
    with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), 'w', encoding='ascii') as f:
        f.write(f'[bench]\naws_access_key_id = {KEY}\naws_secret_access_key = {SECRET}\n')
    return path


def authorization(address, operation, body, moment, key):
    """key: of that day"""
    names = 'host;x-amz-date;x-amz-target'
    scope = f'{moment[:8]}/{REGION}/dynamodb/aws4_request'
    canonical = '\n'.join(['POST', '/', '', f'host:{address}', f'x-amz-date:{moment}', f'x-amz-target:DynamoDB_20120810.{operation}', '', names,
                           hashlib.sha256(body.encode()).hexdigest()])
    text = '\n'.join(['AWS4-HMAC-SHA256', moment, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    return f'AWS4-HMAC-SHA256 Credential={KEY}/{scope}, SignedHeaders={names}, Signature={hmac.new(key, text.encode(), hashlib.sha256).hexdigest()}'


def signing_key(day):
    key = b'AWS4' + SECRET.encode()
    for part in (day, REGION, 'dynamodb', 'aws4_request'):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key


def sign(endpoint, bodies):
    """A file of signed requests for wrk.lua, and the moment they were signed at."""
    moment = time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())
    key, address = signing_key(moment[:8]), endpoint.url.removeprefix('http://')
    path = work('requests', endpoint.name.replace(' ', '-') + '.txt')
    with open(bodies, encoding='ascii') as lines, open(path, 'w', encoding='ascii') as f:
        for body in lines.read().splitlines():
            f.write(f'{authorization(address, "GetItem", body, moment, key)}\t{body}\n')
    return path, moment


def measure(options, tell):
    content = {**heading('signed', {'onefold': Onefold.version()}), 'rounds': options.rounds, 'seconds': options.seconds}
    open_ = Onefold('relaxed', 'onefold open')
    keyed = Onefold('relaxed', 'onefold keyed', options=['--credentials', credentials()])
    try:
        tell('signatures: loading')
        bodies = control.write_requests()['get']
        open_.start()
        control.fill(open_)
        open_.stop()
        keyed.data = keyed.folder()
        shutil.copytree(open_.data, keyed.data, dirs_exist_ok=True)
        open_.start()
        keyed.start()
        taken = {'open': [], 'keyed': []}
        for number in range(options.rounds):
            tell(f'signatures: round {number + 1} of {options.rounds}')
            for name, endpoint in (('open', open_), ('keyed', keyed)):
                file, moment = sign(endpoint, bodies)
                one = by_wrk(endpoint, 'signed', 'GetItem', file, 64, options.seconds, moment)
                if one['errors']:
                    raise Failed(f'{endpoint.name}: {one["errors"]} of {one["requests"]} requests were refused')
                taken[name].append(one)
        for figure in ('throughput', 'server_cpu_us', 'p99'):
            for name, found in taken.items():
                content.setdefault(name, {})[figure] = round(statistics.median(one[figure] for one in found), 2)
        content['taken'] = {name: [one['throughput'] for one in found] for name, found in taken.items()}
        content['ratio'] = round(statistics.median(a / b for a, b in zip(content['taken']['keyed'], content['taken']['open'])), 3)
        content['ratio_cpu'] = round(content['open']['server_cpu_us'] / content['keyed']['server_cpu_us'], 3)
    except Failed as error:
        content['failed'] = str(error)
    finally:
        open_.stop()
        keyed.stop()
    return content

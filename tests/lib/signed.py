"""signed.py: the bare client of dynamodb.py with an access key: its requests are signed (SigV4), and a server that knows the keys.

    with KeyedServer({'root': {}, 'alice': {'tags': {'tenant': 'acme'}, 'policy': {...}}}) as server:
        server.client('alice').GetItem(...)
"""
import hashlib
import hmac
import json
import os
import tempfile
import time

from dynamodb import Database
from server import Server

ACCOUNT = '123456789012'


def digest(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class SignedDatabase(Database):
    def __init__(self, endpoint, user, region='us-east-1'):
        super().__init__(endpoint, region)
        self.key, self.secret = f'AKID{user.upper()}', f'secret-of-{user}'

    def http(self, body, headers, method='POST', path='/'):
        moment = time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())
        scope = f'{moment[:8]}/{self.region}/dynamodb/aws4_request'
        sent = {**headers, 'X-Amz-Date': moment, 'Host': self.address}
        signed = sorted((name.lower(), value) for name, value in sent.items() if name.lower() in ('host', 'x-amz-date', 'x-amz-target'))
        names = ';'.join(name for name, _ in signed)
        canonical = '\n'.join([method, path, '', *(f'{name}:{value}' for name, value in signed), '', names,
                               hashlib.sha256(body).hexdigest()])
        text = '\n'.join(['AWS4-HMAC-SHA256', moment, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        key = b'AWS4' + self.secret.encode()
        for part in scope.split('/'):
            key = digest(key, part)
        sent['Authorization'] = (f'AWS4-HMAC-SHA256 Credential={self.key}/{scope}, SignedHeaders={names}, '
                                 f'Signature={digest(key, text).hex()}')
        return super().http(body, sent, method, path)


class KeyedServer(Server):
    """users: name -> {'tags': {...}, 'policy': a document}; without a policy everything is allowed."""

    def __init__(self, users, args=(), **more):
        self.folder = tempfile.TemporaryDirectory(prefix='onefold-keys-')
        file = os.path.join(self.folder.name, 'keys')
        lines = []
        for user, is_ in users.items():
            lines += [f'[{user}]', f'aws_access_key_id = AKID{user.upper()}', f'aws_secret_access_key = secret-of-{user}', f'account = {ACCOUNT}']
            lines += [f'tag.{name} = {value}' for name, value in is_.get('tags', {}).items()]
            if 'policy' in is_:
                with open(os.path.join(self.folder.name, user + '.json'), 'w') as out:
                    json.dump(is_['policy'], out)
                os.chmod(out.name, 0o600)
                lines.append(f'policy = {user}.json')
        with open(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600), 'w') as out:
            out.write('\n'.join(lines) + '\n')
        super().__init__(args=['--credentials', file, *args], **more)

    def client(self, user, region='us-east-1'):
        return SignedDatabase(self.endpoint, user, region)

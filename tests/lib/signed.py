"""signed.py: the bare client of dynamodb.py with an access key: its requests are signed (SigV4), and a server that knows the keys.

    with KeyedServer({'root': {}, 'alice': {'tags': {'tenant': 'acme'}, 'policy': {...}}}) as server:
        server.client('alice').GetItem(...)
"""
import json
import os
import tempfile

from dynamodb import Database
from server import Server
from sigv4 import Signature

ACCOUNT = '123456789012'
ARN = f'arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/'
# What a restore does to the table that it makes (the developer guide, "Using IAM with DynamoDB backup and restore").
FILLING = ('BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem')


def policy(*statements):
    return {'Version': '2012-10-17', 'Statement': [{'Effect': 'Allow', 'Resource': '*', **s} for s in statements]}


class SignedDatabase(Database):
    def __init__(self, endpoint, user, region='us-east-1'):
        super().__init__(endpoint, region)
        self.key, self.secret = f'AKID{user.upper()}', f'secret-of-{user}'

    def http(self, body, headers, method='POST', path='/'):
        return super().http(body, Signature(self.key, self.secret, self.region).headers(self.address, body, headers), method, path)


class KeyedServer(Server):
    """users: name -> {'tags': {...}, 'policy': a document, 'secret': ..., 'account': ..., 'more': lines of the file}; without a policy everything is allowed."""

    def __init__(self, users, args=(), **more):
        self.folder = tempfile.TemporaryDirectory(prefix='onefold-keys-')
        self.keys = os.path.join(self.folder.name, 'keys')
        self.write_keys(users)
        super().__init__(args=['--credentials', self.keys, *args], **more)

    def write_keys(self, users):
        """To be called again before a reload."""
        lines = []
        for user, is_ in users.items():
            lines += [f'[{user}]', f'aws_access_key_id = AKID{user.upper()}', f'aws_secret_access_key = {is_.get("secret", f"secret-of-{user}")}',
                      f'account = {is_.get("account", ACCOUNT)}', *is_.get('more', ())]
            lines += [f'tag.{name} = {value}' for name, value in is_.get('tags', {}).items()]
            if 'policy' in is_:
                with open(os.path.join(self.folder.name, user + '.json'), 'w') as out:
                    json.dump(is_['policy'], out)
                os.chmod(out.name, 0o600)
                lines.append(f'policy = {user}.json')
        with open(os.open(self.keys, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), 'w') as out:
            out.write('\n'.join(lines) + '\n')

    def client(self, user, region='us-east-1'):
        return SignedDatabase(self.endpoint, user, region)

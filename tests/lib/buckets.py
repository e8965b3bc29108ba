"""buckets.py: a server with buckets (--s3), and what tests of imports and exports do with them."""
import contextlib
import gzip
import json
import os
import uuid

from clock import Clock
from dynamodb import Database, until
from server import Server


class Buckets:
    """A server and the folder of its buckets; it can be killed and started again."""

    def __init__(self, folder, env=None):
        self.folder = str(folder)
        self.clock = Clock(self.folder)
        self.s3 = os.path.join(self.folder, 's3')
        os.makedirs(self.s3)
        memory = bool(os.environ.get('OF_TEST_MEMORY'))
        self.server = Server(data=None if memory else os.path.join(self.folder, 'data'), memory=memory,
                             args=['--s3', self.s3], env={**self.clock.env, **(env or {})},
                             log=os.path.join(self.folder, 'server.log'))
        self.db = None

    def start(self):
        self.db = Database(self.server.start().endpoint)
        return self

    def bucket(self, name=None):
        name = name or f'bucket-{uuid.uuid4().hex[:12]}'
        os.makedirs(os.path.join(self.s3, name))
        return name

    def put(self, bucket, key, body):
        path = os.path.join(self.s3, bucket, key)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as f:
            f.write(body.encode() if isinstance(body, str) else body)

    def says(self, text):
        """Waits for a line of the log: an end is told once it is on disk, which a client may see first."""
        until(lambda: text in self.server.output())

    def objects(self, bucket):
        """Key to content of all objects."""
        found = {}
        top = os.path.join(self.s3, bucket)
        for folder, _, files in os.walk(top):
            for name in files:
                path = os.path.join(folder, name)
                with open(path, 'rb') as f:
                    found[os.path.relpath(path, top)] = f.read()
        return found


@contextlib.contextmanager
def buckets_server(folder, env=None):
    b = Buckets(folder, env)
    b.start()
    try:
        yield b
        b.server.stop()
    finally:
        b.server.cleanup()


def lines(items):
    """Items in DynamoDB JSON, one per line."""
    return ''.join(json.dumps({'Item': item}) + '\n' for item in items)


def import_request(bucket, table, keys='p:S', prefix=None, **more):
    """ImportTable's parameters; keys as in Database.create."""
    parts = [part.split(':') for part in keys.split()]
    creation = {'TableName': table, 'BillingMode': 'PAY_PER_REQUEST',
                'AttributeDefinitions': [{'AttributeName': a, 'AttributeType': t} for a, t in parts],
                'KeySchema': [{'AttributeName': a, 'KeyType': 'RANGE' if i else 'HASH'}
                              for i, (a, _) in enumerate(parts)]}
    source = {'S3Bucket': bucket}
    if prefix is not None:
        source['S3KeyPrefix'] = prefix
    return {'S3BucketSource': source, 'InputFormat': 'DYNAMODB_JSON', 'ClientToken': str(uuid.uuid4()),
            'TableCreationParameters': creation, **more}


def wait_import(db, arn):
    until(lambda: db.DescribeImport(ImportArn=arn)['ImportTableDescription']['ImportStatus'] != 'IN_PROGRESS')
    return db.DescribeImport(ImportArn=arn)['ImportTableDescription']


def wait_export(db, arn):
    until(lambda: db.DescribeExport(ExportArn=arn)['ExportDescription']['ExportStatus'] != 'IN_PROGRESS')
    return db.DescribeExport(ExportArn=arn)['ExportDescription']


def run_import(db, *args, **options):
    """Imports, waits, and gives the last description."""
    first = db.call('ImportTable', import_request(*args, **options))['ImportTableDescription']
    return wait_import(db, first['ImportArn'])


def unpacked(content):
    """The JSON of each line of a gzip file."""
    return [json.loads(line) for line in gzip.decompress(content).split(b'\n') if line]

"""client.py: one DynamoDB request at a time over a kept connection, for loading data and for fetching an answer's bytes."""
import http.client
import json
import time
import urllib.parse

REGION = 'us-east-1'
# Nobody on loopback checks it, but dynalite wants it to be there in this form.
HEADERS = {
    'Content-Type': 'application/x-amz-json-1.0',
    'X-Amz-Date': '20260101T000000Z',
    'Authorization': f'AWS4-HMAC-SHA256 Credential=local/20260101/{REGION}/dynamodb/aws4_request, '
                     'SignedHeaders=host;x-amz-date;x-amz-target, Signature=' + '0123456789abcdef' * 4,
}


class Refused(Exception):
    """The endpoint answered, but not with 200."""


def compact(body):
    return json.dumps(body, separators=(',', ':'))


class Client:
    def __init__(self, url, timeout=60):
        parts = urllib.parse.urlsplit(url)
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port or 80, timeout=timeout)

    def raw(self, operation, body):
        """The bytes of the answer to a request."""
        text = body if isinstance(body, str) else compact(body)
        self.connection.request('POST', '/', text.encode(), {**HEADERS, 'X-Amz-Target': 'DynamoDB_20120810.' + operation})
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise Refused(f'{operation}: {answer.status} {content[:300].decode("utf-8", "replace")}')
        return content

    def call(self, operation, **body):
        return json.loads(self.raw(operation, body))

    def create(self, table, seconds=30):
        """A table with PK and SK, ready."""
        keys = [('PK', 'HASH'), ('SK', 'RANGE')]
        self.call('CreateTable', TableName=table, BillingMode='PAY_PER_REQUEST',
                  KeySchema=[{'AttributeName': name, 'KeyType': kind} for name, kind in keys],
                  AttributeDefinitions=[{'AttributeName': name, 'AttributeType': 'S'} for name, _ in keys])
        end = time.monotonic() + seconds
        while self.call('DescribeTable', TableName=table)['Table']['TableStatus'] != 'ACTIVE':
            if time.monotonic() > end:
                raise Refused(f'{table} is not active after {seconds} s')
            time.sleep(0.05)

    def fill(self, table, items):
        for start in range(0, len(items), 25):
            part = {table: [{'PutRequest': {'Item': item}} for item in items[start:start + 25]]}
            while part:
                part = self.call('BatchWriteItem', RequestItems=part).get('UnprocessedItems')

    def close(self):
        self.connection.close()

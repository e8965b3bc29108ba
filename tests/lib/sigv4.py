"""sigv4.py: AWS Signature Version 4 from the client's side, with every part of it open to change: for requests that are wrong in one thing.

    headers = Signature('AKID', 'secret').headers(address, body, headers)       the same with X-Amz-Date, Authorization ...
    path = Signature('AKID', 'secret', expires=60).path(address, body, headers)  presigned: '/?X-Amz-Algorithm=...'
"""
import hashlib
import hmac
import time
from dataclasses import dataclass
from urllib.parse import quote

ALWAYS = ('host', 'x-amz-date', 'x-amz-target', 'x-amz-security-token')


def digest(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


@dataclass
class Signature:
    key: str
    secret: str
    region: str = 'us-east-1'
    service: str = 'dynamodb'
    token: str = ''
    offset: float = 0         # seconds by which the clock is wrong
    expires: object = None    # of a presigned request
    names: tuple = ALWAYS     # of headers that are signed, where they are there
    signed_body: bytes = None  # instead of the one that is sent
    day: str = ''             # of the scope, instead of the date's
    term: str = 'aws4_request'

    def moment(self):
        return time.strftime('%Y%m%dT%H%M%SZ', time.gmtime(time.time() + self.offset))

    def scope(self, moment):
        return '/'.join([self.day or moment[:8], self.region, self.service, self.term])

    def sum(self, moment, query, signed, body):
        """signed: (name in lower case, value) in order."""
        names = ';'.join(name for name, _ in signed)
        hashed = hashlib.sha256(body if self.signed_body is None else self.signed_body).hexdigest()
        canonical = '\n'.join(['POST', '/', query, *(f'{name}:{value}' for name, value in signed), '', names, hashed])
        text = '\n'.join(['AWS4-HMAC-SHA256', moment, self.scope(moment), hashlib.sha256(canonical.encode()).hexdigest()])
        key = b'AWS4' + self.secret.encode()
        for part in self.scope(moment).split('/'):
            key = digest(key, part)
        return digest(key, text).hex()

    def signed(self, headers):
        return sorted((name.lower(), value) for name, value in headers.items() if name.lower() in self.names)

    def headers(self, address, body, headers):
        """All that are to be sent, with the signature."""
        moment = self.moment()
        sent = {**headers, 'X-Amz-Date': moment, 'Host': address}
        if self.token:
            sent['X-Amz-Security-Token'] = self.token
        signed = self.signed(sent)
        sent['Authorization'] = (f'AWS4-HMAC-SHA256 Credential={self.key}/{self.scope(moment)}, '
                                 f'SignedHeaders={";".join(name for name, _ in signed)}, Signature={self.sum(moment, "", signed, body)}')
        return sent

    def path(self, address, body, headers):
        """'/?...' of a presigned request, which is sent with these headers."""
        moment = self.moment()
        signed = self.signed({**headers, 'Host': address})
        parameters = {'X-Amz-Algorithm': 'AWS4-HMAC-SHA256', 'X-Amz-Credential': f'{self.key}/{self.scope(moment)}', 'X-Amz-Date': moment,
                      'X-Amz-SignedHeaders': ';'.join(name for name, _ in signed)}
        if self.expires is not None:
            parameters['X-Amz-Expires'] = str(self.expires)
        if self.token:
            parameters['X-Amz-Security-Token'] = self.token
        query = '&'.join(f'{name}={quote(value, safe="-_.~")}' for name, value in sorted(parameters.items()))
        return f'/?{query}&X-Amz-Signature={self.sum(moment, query, signed, body)}'

"""language.py: the words of an interleaving: items, expressions with literals, requests, expected answers. README.md describes them."""
import json
import re

TOKEN = re.compile(r"'[^']*'|-?\d+(?:\.\d+)?(?!\w)|\w+|[{}\[\],:]")


class Wrong(Exception):
    """A specification that cannot be read."""


# ---- values ----

class Words:
    """A text cut into tokens."""

    def __init__(self, text):
        self.text, self.tokens, self.at = text, TOKEN.findall(text), 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, wanted=None):
        token = self.peek()
        if token is None or (wanted and token != wanted):
            raise Wrong(f'{wanted or "more"} is expected at {token!r} in: {self.text}')
        self.at += 1
        return token


def value(words):
    """x, 'some text', 12, [..], {..}, as DynamoDB JSON."""
    token = words.peek()
    if token == '{':
        return {'M': attributes(words)}
    if token == '[':
        words.take('[')
        members = []
        while words.peek() != ']':
            members.append(value(words))
            if words.peek() == ',':
                words.take(',')
        words.take(']')
        return {'L': members}
    words.take()
    if re.fullmatch(r'-?\d+(\.\d+)?', token):
        return {'N': token}
    return {'S': token.strip("'")}


def attributes(words):
    words.take('{')
    found = {}
    while words.peek() != '}':
        name = words.take()
        words.take(':')
        found[name] = value(words)
        if words.peek() == ',':
            words.take(',')
    words.take('}')
    return found


def item(text):
    """{p: x, v: 1}"""
    words = Words(text)
    found = attributes(words)
    if words.peek() is not None:
        raise Wrong(f'more behind an item: {text}')
    return found


def items(text):
    words, found = Words(text), []
    while words.peek() is not None:
        found.append(attributes(words))
    return found


def braces(text):
    """The text up to the end of its first {...}, and what follows."""
    depth = 0
    for n, c in enumerate(text):
        depth += {'{': 1, '}': -1}.get(c, 0)
        if c == '}' and depth == 0:
            return text[:n + 1].strip(), text[n + 1:].strip()
    raise Wrong(f'an item is expected: {text}')


class Literals:
    """The literals of a request's expressions as placeholders."""

    def __init__(self):
        self.values = {}

    def expression(self, text):
        def placeholder(match):
            name = f':v{len(self.values)}'
            self.values[name] = value(Words(match.group(0)))
            return name
        return re.sub(r"'[^']*'|\[\d*\]|(?<![\w.:\[])-?\d+(?:\.\d+)?\b", placeholder, text)

    def into(self, request):
        if self.values:
            request['ExpressionAttributeValues'] = self.values
        return request


# ---- requests ----

def action(text):
    """put t {..} [if C] | update t {..} EXPRESSION [if C] | delete t {..} [if C] | check t {..} if C | get t {..}"""
    kind, table, rest = text.split(None, 2)
    found, rest = braces(rest)
    request, literals = {'TableName': table}, Literals()
    request['Item' if kind == 'put' else 'Key'] = item(found)
    update, _, condition = rest.partition('if ') if rest.startswith('if ') else rest.partition(' if ')
    if kind == 'update':
        request['UpdateExpression'] = literals.expression(update)
    elif update.strip():
        raise Wrong(f'what is {update!r} in: {text}')
    if condition:
        request['ConditionExpression'] = literals.expression(condition)
    return kind, literals.into(request)


def each(text):
    return [part.strip() for part in text.split(';')]


def transact(text):
    """transact [token T]: ACTION; ACTION"""
    head, _, rest = text.partition(':')
    names = {'put': 'Put', 'update': 'Update', 'delete': 'Delete', 'check': 'ConditionCheck', 'get': 'Get'}
    found = [action(part) for part in each(rest)]
    request = {'TransactItems': [{names[kind]: one} for kind, one in found]}
    words = head.split()
    if words[1:2] == ['token']:
        request['ClientRequestToken'] = words[2]
    return ('TransactGetItems' if found[0][0] == 'get' else 'TransactWriteItems'), request


def batch(text):
    """batch: put t {..}; delete t {..} | batch: get t {..}; get t {..}"""
    found, request = [action(part) for part in each(text.partition(':')[2])], {}
    if found[0][0] == 'get':
        for _, one in found:
            request.setdefault(one['TableName'], {'Keys': [], 'ConsistentRead': True})['Keys'].append(one['Key'])
        return 'BatchGetItem', {'RequestItems': request}
    for kind, one in found:
        entry = {'PutRequest': {'Item': one['Item']}} if kind == 'put' else {'DeleteRequest': {'Key': one['Key']}}
        request.setdefault(one['TableName'], []).append(entry)
    return 'BatchWriteItem', {'RequestItems': request}


def ranged(text):
    """query t[/index] CONDITION [filter F] | scan t[/index] [filter F]"""
    kind, where, *rest = text.split(None, 2)
    table, _, index = where.partition('/')
    keys, _, condition = (rest or [''])[0].partition('filter ')
    request, literals = {'TableName': table}, Literals()
    if index:
        request['IndexName'] = index
    else:
        request['ConsistentRead'] = True
    if kind == 'query':
        request['KeyConditionExpression'] = literals.expression(keys)
    if condition:
        request['FilterExpression'] = literals.expression(condition)
    return {'query': 'Query', 'scan': 'Scan'}[kind], literals.into(request)


def schema(text, types):
    """p:S s:N as a KeySchema; the types are collected."""
    found = []
    for part in re.split('[ ,]', text):
        name, kind = part.split(':')
        types[name] = kind
        found.append({'AttributeName': name, 'KeyType': 'RANGE' if found else 'HASH'})
    return found


def definitions(types):
    return [{'AttributeName': name, 'AttributeType': kind} for name, kind in types.items()]


def index_of(text, types):
    """by_a=a:S,v:N"""
    name, _, keys = text.partition('=')
    return {'IndexName': name, 'KeySchema': schema(keys, types), 'Projection': {'ProjectionType': 'ALL'}}


def create_table(text):
    """createtable t p:S [s:S] [by_a=a:S] [local by_v=p:S,v:N] [stream] [capacity=READ/WRITE]"""
    _, name, *words = text.split()
    types = {}
    keys = ' '.join(w for w in words if re.fullmatch(r'\w+:[SNB]', w))
    found = {'TableName': name, 'KeySchema': schema(keys, types), 'BillingMode': 'PAY_PER_REQUEST'}
    for n, word in enumerate(words):
        if word == 'stream':
            found['StreamSpecification'] = {'StreamEnabled': True, 'StreamViewType': 'NEW_AND_OLD_IMAGES'}
        elif word.startswith('capacity='):
            read, write = word[9:].split('/')
            found.update(BillingMode='PROVISIONED', ProvisionedThroughput={'ReadCapacityUnits': int(read), 'WriteCapacityUnits': int(write)})
        elif '=' in word:
            kind = 'LocalSecondaryIndexes' if n and words[n - 1] == 'local' else 'GlobalSecondaryIndexes'
            found.setdefault(kind, []).append(index_of(word, types))
    found['AttributeDefinitions'] = definitions(types)
    return 'CreateTable', found


def table_change(text):
    """droptable t | addindex t by_a=a:S | dropindex t by_a | ttl t ATTRIBUTE"""
    kind, table, *rest = text.split()
    if kind == 'droptable':
        return 'DeleteTable', {'TableName': table}
    if kind == 'ttl':
        return 'UpdateTimeToLive', {'TableName': table, 'TimeToLiveSpecification': {'Enabled': True, 'AttributeName': rest[0]}}
    if kind == 'dropindex':
        return 'UpdateTable', {'TableName': table, 'GlobalSecondaryIndexUpdates': [{'Delete': {'IndexName': rest[0]}}]}
    types = {}
    new = index_of(rest[0], types)
    return 'UpdateTable', {'TableName': table, 'AttributeDefinitions': definitions(types), 'GlobalSecondaryIndexUpdates': [{'Create': new}]}


SINGLE = {'put': 'PutItem', 'update': 'UpdateItem', 'delete': 'DeleteItem', 'get': 'GetItem'}


def request(text):
    """A step's words as (operation, parameters)."""
    kind = text.split(None, 1)[0].rstrip(':')
    if kind in SINGLE:
        _, parameters = action(text)
        more = {'get': {'ConsistentRead': True}, 'update': {'ReturnValues': 'ALL_NEW'}}.get(kind, {'ReturnValues': 'ALL_OLD'})
        return SINGLE[kind], {**parameters, **more}
    if kind == 'transact':
        return transact(text)
    if kind == 'batch':
        return batch(text)
    if kind in ('query', 'scan'):
        return ranged(text)
    if kind == 'createtable':
        return create_table(text)
    if kind in ('droptable', 'addindex', 'dropindex', 'ttl'):
        return table_change(text)
    if kind == 'raw':  # any operation, as it is
        _, operation, parameters = text.split(None, 2)
        return operation, json.loads(parameters)
    raise Wrong(f'no such step: {text}')


# ---- answers ----

def shown(operation, status, body):
    """An answer as specifications write it: 'ok', an item, a list of items, or a refusal's words."""
    if status != 200:
        kind = body['__type'].split('#')[-1].replace('Exception', '')
        reasons = [reason['Code'] for reason in body.get('CancellationReasons', [])]
        return ' '.join([kind, *reasons])
    if operation == 'GetItem':
        return body.get('Item') or 'nothing'
    if operation in ('PutItem', 'UpdateItem', 'DeleteItem'):
        return body.get('Attributes') or 'ok'
    if operation == 'TransactGetItems':
        return [response.get('Item') or 'nothing' for response in body['Responses']]
    if operation in ('Query', 'Scan'):
        return body['Items']
    if operation == 'BatchGetItem':
        return sorted((one for found in body['Responses'].values() for one in found), key=str)
    left = body.get('UnprocessedItems')
    return f'unprocessed {sum(map(len, left.values()))}' if left else 'ok'


def expected(text):
    """ok | done (whatever is shown) | nothing | {..} | [{..} nothing] | ConditionalCheckFailed | TransactionCanceled None ..."""
    text = text.strip()
    if text.startswith('['):
        return ['nothing' if part == 'nothing' else item(part) for part in re.findall(r'nothing|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}', text[1:-1])]
    return item(text) if text.startswith('{') else text


def matches(wanted, answer, operation):
    if wanted == 'done':
        return not isinstance(answer, str) or answer == 'ok'
    if isinstance(wanted, list) and operation in ('Scan', 'BatchGetItem'):
        return isinstance(answer, list) and sorted(wanted, key=canonical) == sorted(answer, key=canonical)
    return wanted == answer


def canonical(one):
    return json.dumps(one, sort_keys=True)

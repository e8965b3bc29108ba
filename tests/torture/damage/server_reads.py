"""server_reads.py: a server on a damaged directory, asked for what was damaged and for everything else."""
import re

from dynamodb import Database, Refused, S
from server import Server, ServerFailed

KINDS = ('item', 'index entry', 'catalog record')


def serve(copy):
    return Server(data=copy.folder, binary=copy.original['binary'])


def attempt(call, **members):
    """The answer, or None where it is an error of the server."""
    try:
        return call(**members)
    except Refused as refused:
        if refused.status >= 500:
            return None
        raise


def ended(server):
    """What is wrong with how a server ended that should be running: a signal, a sanitizer's report."""
    code = server.process.poll() if server.process else None
    if code is not None and code < 0:
        return f'the server died of signal {-code}\n{server.output()[-2000:]}'
    return None


def start(server):
    """None; or the sentence with which it refused to start."""
    try:
        server.start()
        return None
    except ServerFailed as failed:
        code = server.process.poll()
        assert code is None or code >= 0, f'the server died of signal {-code} at its start: {failed}'
        return str(failed)


def scan(db, table, **more):
    items, key = [], {}
    while True:
        page = db.Scan(TableName=table, **key, **more)
        items += page['Items']
        if 'LastEvaluatedKey' not in page:
            return items
        key = {'ExclusiveStartKey': page['LastEvaluatedKey']}


def ask(server, calls):
    db = Database(server.endpoint)
    try:
        return calls(db)
    finally:
        db.close()


def stop(server):
    try:
        server.stop()
    except ServerFailed as failed:
        if 'exit code -' in str(failed) or 'Sanitizer' in str(failed):
            return str(failed)
    return None


def survives(copy):
    """Reads and writes of each table; only that it lives on is asked. What is wrong, or None."""
    server = serve(copy)

    def calls(db):
        for table in ('orders', 'numbers', 'sessions'):
            try:
                scan(db, table)
                keys = {k['AttributeName'] for k in db.DescribeTable(TableName=table)['Table']['KeySchema']}
                for item in db.Scan(TableName=table, Limit=20)['Items']:
                    key = {name: item[name] for name in keys}
                    db.GetItem(TableName=table, Key=key)
                    db.UpdateItem(TableName=table, Key=key, UpdateExpression='SET z = :z', ExpressionAttributeValues={':z': S('z')})
                    db.DeleteItem(TableName=table, Key=key)
            except Refused:
                continue

    try:
        if start(server):
            return None
        ask(server, calls)
        return ended(server) or stop(server)
    except (OSError, AssertionError) as error:
        return ended(server) or f'{type(error).__name__}: {error}'
    finally:
        server.kill()


def find_live(items, dice, kind):
    """An item that has been written once, and the text to be damaged."""
    item = dice.choice([i for i in items['orders'] if len(i['note']['S']) > 40 and 'large' not in i])
    if kind == 'index entry':
        item = dice.choice([i for i in items['orders'] if i.get('state', {}).get('S') in ('open', 'paid') and len(i['note']['S']) > 40])
    return item


def one_live(copy, kind, items, dice):
    """Damages something live; what is wrong with what follows, or None."""
    if kind == 'catalog record':
        text, asked = b'byState', None
    else:
        asked = find_live(items, dice, kind)
        text = asked['note']['S'].encode()
    if not copy.flip_all(text, dice):
        return f'{text!r} is nowhere in the file'
    code, said = copy.check()
    if code != 3:
        return f'check ended with {code}: {said[-500:]}'
    table = 'meta' if kind == 'catalog record' else 'orders'
    if table not in said or (asked and asked['sk']['S'] not in said and kind == 'item'):
        return f'check does not name it: {said[-500:]}'
    return refused_by_read(copy, kind, asked)


def refused_by_read(copy, kind, asked):
    server = serve(copy)

    def item(db):
        answer = attempt(db.GetItem, TableName='orders', Key={'pk': asked['pk'], 'sk': asked['sk']})
        return f'GetItem answers {answer}' if answer is not None else None

    def entry(db):
        answer = attempt(db.Query, TableName='orders', IndexName='states', KeyConditionExpression='#s = :s',
                         ExpressionAttributeNames={'#s': 'state'}, ExpressionAttributeValues={':s': asked['state']})
        return f'Query answers {answer}' if answer is not None else None

    try:
        refusal = start(server)
        if kind == 'catalog record':
            if refusal and re.search(r'damaged|cannot be read|catalog', refusal):
                return None
            return f'the server says {refusal or "nothing, and starts"}'
        if refusal:
            return f'the server does not start: {refusal}'
        return ask(server, item if kind == 'item' else entry) or ended(server) or stop(server)
    except (OSError, AssertionError) as error:
        return ended(server) or f'{type(error).__name__}: {error}'
    finally:
        server.kill()

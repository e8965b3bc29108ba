"""kill: kill -9 at a random moment under load; then everything is looked at."""
import os
import random
import threading
import time

from dynamodb import Database
from server import Server


def run(t):
    dice = random.Random(t.seed)
    kills = 1000 if t.full else 20
    server = Server(data=os.path.join(t.scratch, 'data'), binary=os.path.join(t.build(), 'onefold'), log=os.path.join(t.scratch, 'log'))
    server.start()
    Database(server.endpoint).create('p:S', name='Torn')
    acknowledged = []

    def write(endpoint):
        db = Database(endpoint)
        try:
            while True:
                name = str(len(acknowledged))
                db.PutItem(TableName='Torn', Item={'p': {'S': name}})
                acknowledged.append(name)
        except OSError:
            pass
    for n in range(kills):
        writer = threading.Thread(target=write, args=(server.endpoint,))
        writer.start()
        time.sleep(dice.uniform(0.01, 0.2))
        server.kill()
        writer.join()
        server.start()
        there = {i['p']['S'] for i in Database(server.endpoint).every('Scan', TableName='Torn')}
        lost = set(acknowledged) - there
        if lost:
            t.fail(f'{len(lost)} acknowledged writes lost', t.repeat(n))
        t.progress(n + 1, kills)
    server.stop()
    t.row('kill -9 at random', 'no acknowledged write lost', kills)

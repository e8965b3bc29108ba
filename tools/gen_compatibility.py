#!/usr/bin/python3
"""Writes docs/compatibility.md: every operation of the API and every parameter of it: done, or refused and how.

usage: gen_compatibility.py [--check]      --check: only says whether the page is current

From three sources: the API's description (src/engine/api/shapes.inc), the program's own text, and tools/support.json, which has what the
program's text cannot tell. "done" is never assumed: an operation must be in the table of operations, a parameter must be read by
name in the operation's file or in one that operations share, and be used in a test that calls the operation. A parameter for which
neither that nor a word in support.json is found is an error, and so is a word in support.json that is not needed.
"""
import glob
import json
import os
import re
import sys

import api_shapes

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
PAGE = os.path.join('docs', 'compatibility.md')
HEAD = '''# The API, operation by operation

Written by `tools/gen_compatibility.py` from the API's description and the program's text: do not edit. `make check-style` says whether it is
current. What answers otherwise than DynamoDB's is in [differences.md](differences.md).

- **done**: works as DynamoDB's.
- **kept**: stored and described as given; nothing else follows from it.
- **refused**: answered with an exception, never ignored. The words say which, or why.
- **idle**: taken, and without effect for the reason given.

'''


def read(path):
    with open(os.path.join(TOP, path), encoding='utf-8') as file:
        return file.read()


class Sources:
    """The program's text, and the names that it and the tests mention."""

    def __init__(self):
        files = [os.path.relpath(f, TOP) for folder in ('engine', 'expr', 'item')
                 for f in glob.glob(os.path.join(TOP, 'src', folder, '**', '*.[ch]'), recursive=True)]
        texts = {f: read(f) for f in files}
        self.of_operation, shared = {}, set()
        for file, text in texts.items():
            names = set(re.findall(r'"(\w+)"', text))
            if os.sep + 'ops' + os.sep not in file:
                shared |= names
                continue
            for operation in re.findall(r'\.name = "(\w+)"', text):
                self.of_operation[operation] = names
        self.shared = shared
        listed = re.findall(r'&op_(\w+)', texts[os.path.join('src', 'engine', 'ops.c')])
        self.operations = {name for name in self.of_operation if snake(name) in listed}
        self.refused = set(re.findall(r'REFUSED\("(\w+)"', texts[os.path.join('src', 'engine', 'table_settings.c')]))
        tests = [f for ending in ('py', 'c', 'mjs') for f in glob.glob(os.path.join(TOP, 'tests', '*', '*.' + ending))]
        self.tests = [set(re.findall(r'\w+', read(os.path.relpath(f, TOP)))) for f in tests]

    def tested(self, operation, member):
        """By some file of tests that calls the operation, by its name or as clients name it."""
        names = {operation, snake(operation), operation + 'Command'}
        return any(member in words and words & names for words in self.tests)

    def reads(self, operation, member):
        return member in (self.of_operation[operation] | self.shared) and self.tested(operation, member)


def snake(name):
    return re.sub(r'(?<!^)(?=[A-Z])', '_', name).lower()


def parameters(shape, path=()):
    """(path, name) of every member, at every depth; AttributeValues are the item layer's."""
    while shape.type in ('list', 'map'):
        shape = shape.element
    for member in shape.members.values() if shape.type == 'structure' else ():
        yield path + (member.name,)
        yield from parameters(member.shape, path + (member.name,))


class Page:
    def __init__(self):
        self.api, self.sources = api_shapes.read(), Sources()
        support = json.loads(read(os.path.join('tools', 'support.json')))
        self.refused, self.words = support['refused'], support['parameters']
        self.used, self.faults = set(), []

    def word(self, operation, path):
        """What support.json says of a parameter, or of one that it is in: under the operation's name or, for all, under *."""
        for n in range(len(path), 0, -1):
            for owner in operation, '*':
                key = f'{owner}.{".".join(path[:n])}'
                if key in self.words:
                    self.used.add(key)
                    return self.words[key], n == len(path)
        return None, True

    def state(self, operation, path):
        """The state, and whether it needs a row of its own."""
        word, own = self.word(operation, path)
        if word:
            return word, own
        if self.sources.reads(operation, path[-1]):
            return 'done', len(path) == 1
        self.faults.append(f'{operation}: nothing tells what becomes of {".".join(path)}: see tools/support.json')
        return '?', True

    def rows(self, operation):
        for path in parameters(self.api.operations[operation].input):
            state, own = self.state(operation, path)
            if own:
                yield f'| `{".".join(path)}` | {state} |'

    def operation_state(self, name):
        if name not in self.sources.operations:
            self.faults.append(f'{name} is not in the table of operations')
        if name in self.refused:
            self.used.add(name)
            return 'refused: ' + self.refused[name]
        return 'done'

    def check(self):
        self.faults += [f'tools/support.json: {key} is not needed' for key in sorted((set(self.refused) | set(self.words)) - self.used)]
        told = {key.split('.')[1] for key, word in self.words.items() if word.startswith('refused: ValidationException') and key.count('.') == 1}
        self.faults += [f'{name} is refused by params_refused, but not in tools/support.json' for name in sorted(self.sources.refused - told)]
        return self.faults

    def text(self):
        states = {name: self.operation_state(name) for name in sorted(self.api.operations)}
        done = sum(state == 'done' for state in states.values())
        out = [HEAD + f'{len(states)} operations: {done} done, {len(states) - done} refused.', '', '| operation | state |', '|---|---|']
        out += [f'| [{name}](#{name.lower()}) | {state} |' for name, state in states.items()]
        for name, state in states.items():
            rows = list(self.rows(name)) if state == 'done' else [f'| `{m}` | refused with the operation |' for m in self.api.operations[name].input.members]
            out += ['', f'## {name}', ''] + (['| parameter | state |', '|---|---|'] + rows if rows else ['It has no parameters.'])
        return '\n'.join(out) + '\n'


def main():
    page = Page()
    text = page.text()
    faults = page.check()
    if sys.argv[1:] == ['--check']:
        if not os.path.exists(os.path.join(TOP, PAGE)) or read(PAGE) != text:
            faults.append(f'{PAGE} is not current: run tools/gen_compatibility.py')
    elif not faults:
        with open(os.path.join(TOP, PAGE), 'w', encoding='utf-8') as file:
            file.write(text)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())

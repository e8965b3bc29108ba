"""api_shapes.py: reads src/engine/api/shapes.inc, the API's description as the program knows it, for the tools and tests in Python.

    api = api_shapes.read()
    api.operations['PutItem'].input.members['TableName'].shape.max
"""
import json
import os
import re

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'src', 'engine', 'api', 'shapes.inc')
STRING = r'"((?:\\.|[^"\\])*)"'


class Member:
    def __init__(self, name, shape, required):
        self.name, self.shape, self.required = name, shape, required


class Shape:
    """type: 'structure', 'string' ... min, max: None where there is none. element: of a list or map. pattern: its text."""

    def __init__(self, name, kind, flags, low, high, empty, pattern):
        self.name, self.type, self.flags, self.empty, self.pattern = name, kind, flags, empty, pattern
        self.min = low if 'API_MIN' in flags else None
        self.max = high if 'API_MAX' in flags else None
        self.members, self.enum, self.element = {}, [], None


class Operation:
    def __init__(self, name, target, shape, flags):
        self.name, self.target, self.input, self.flags = name, target, shape, flags


class Api:
    def __init__(self, operations, shapes):
        self.operations, self.shapes = operations, shapes


def text(quoted):
    return json.loads('"' + quoted + '"')


def section(source, kind):
    return re.search(r'static const struct ' + kind + r' \w+\[\] = \{\n(.*?)\n\};', source, re.S)[1].split('\n')


def flags_of(words):
    return set() if words == '0' else set(words.split(' | '))


def read():
    with open(FILE, encoding='utf-8') as file:
        source = file.read()
    values = [text(re.search(STRING, line)[1]) for line in section(source, 'slice')]
    members = [re.fullmatch(r'    \{ S\(' + STRING + r'\), (\d+), (.+) \},', line) for line in section(source, 'api_member')]
    patterns = [text(re.search(STRING, line)[1]) for line in section(source, 'api_pattern')]
    row = re.compile(r'    /\* \d+ \*/ \{ ' + STRING + r', API_(\w+), (.+?), (\d+), (\d+), (-?\d+), (-?\d+), (?:NULL|' + STRING + r'), (\d+), 0x[0-9a-f]+ \},')
    shapes, links = [], []
    for line in section(source, 'api_shape'):
        name, kind, flags, first, count, low, high, empty, pattern = row.fullmatch(line).groups()
        shapes.append(Shape(name, kind.lower(), flags_of(flags), int(low), int(high), empty and text(empty),
                            patterns[int(pattern) - 1] if int(pattern) else None))
        links.append((int(first), int(count)))
    for shape, (first, count) in zip(shapes, links):
        if shape.type == 'structure':
            for member in members[first:first + count]:
                shape.members[text(member[1])] = Member(text(member[1]), shapes[int(member[2])], 'API_REQUIRED' in member[3])
        elif shape.type == 'string':
            shape.enum = values[first:first + count]
        elif shape.type in ('list', 'map'):
            shape.element = shapes[first]
    operations = {}
    for line in section(source, 'api_op'):
        name, target, shape, flags = re.fullmatch(r'    \{ S\(' + STRING + r'\), ' + STRING + r', (\d+), (.+) \},', line).groups()
        operations[name] = Operation(name, target, shapes[int(shape)], flags_of(flags))
    return Api(operations, shapes)

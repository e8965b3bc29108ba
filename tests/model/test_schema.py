"""test_schema.py: the JSON Schema that editors use is the one in the program, knows the names of docs/model.md, takes every
model that the program takes and refuses the usual mistakes.

The validator below knows the keywords that the schema uses and fails on any other, so that none goes unchecked.
"""
import glob
import json
import os
import re
import subprocess

import pytest
import yaml
from test_mutations import PROGRAM, SOURCES, TOP, check, damaged

with open(os.path.join(TOP, 'schema', 'onefold.schema.json'), encoding='utf-8') as f:
    SCHEMA = json.load(f)


class Core(yaml.SafeLoader):
    """YAML 1.2's core schema, as src/model/node.c reads it."""
    yaml_implicit_resolvers = {}


Core.add_implicit_resolver('tag:yaml.org,2002:null', re.compile(r'^(~|null|Null|NULL|)$'), ['~', 'n', 'N', ''])
Core.add_implicit_resolver('tag:yaml.org,2002:bool', re.compile(r'^(true|True|TRUE|false|False|FALSE)$'), list('tTfF'))
Core.add_implicit_resolver('tag:yaml.org,2002:float', re.compile(r'^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$'),
                           list('-0123456789'))


def load(text):
    return yaml.load(text, Loader=Core)


TYPES = {'string': lambda v: isinstance(v, str), 'boolean': lambda v: isinstance(v, bool),
         'number': lambda v: isinstance(v, float), 'integer': lambda v: isinstance(v, float) and v == int(v),
         'object': lambda v: isinstance(v, dict), 'array': lambda v: isinstance(v, list)}
SIMPLE = {
    'type': lambda v, s: any(TYPES[t](v) for t in (s if isinstance(s, list) else [s])),
    'const': lambda v, s: v == s,
    'enum': lambda v, s: v in s,
    'pattern': lambda v, s: not isinstance(v, str) or re.search(s, v) is not None,
    'minLength': lambda v, s: not isinstance(v, str) or len(v) >= s,
    'maxLength': lambda v, s: not isinstance(v, str) or len(v) <= s,
    'minimum': lambda v, s: not isinstance(v, float) or v >= s,
    'maximum': lambda v, s: not isinstance(v, float) or v <= s,
    'exclusiveMinimum': lambda v, s: not isinstance(v, float) or v > s,
    'minItems': lambda v, s: not isinstance(v, list) or len(v) >= s,
    'maxItems': lambda v, s: not isinstance(v, list) or len(v) <= s,
    'uniqueItems': lambda v, s: not isinstance(v, list) or len({json.dumps(x) for x in v}) == len(v),
    'minProperties': lambda v, s: not isinstance(v, dict) or len(v) >= s,
    'maxProperties': lambda v, s: not isinstance(v, dict) or len(v) <= s,
    'required': lambda v, s: not isinstance(v, dict) or all(n in v for n in s),
    'not': lambda v, s: bool(errors(v, s)),
    'oneOf': lambda v, s: sum(not errors(v, x) for x in s) == 1,
}
IGNORED = {'$schema', 'title', 'description', '$defs', 'properties'}


def errors(value, schema, at=''):
    """What is wrong with the value: a list of (path, keyword)."""
    out = []
    if schema is False:
        return [(at, 'false')]
    for word, rule in schema.items():
        if word == '$ref':
            out += errors(value, SCHEMA['$defs'][rule.split('/')[-1]], at)
        elif word == 'items':
            for i, x in enumerate(value if isinstance(value, list) else []):
                out += errors(x, rule, f'{at}/{i}')
        elif word == 'propertyNames':
            for name in value if isinstance(value, dict) else []:
                out += errors(name, rule, f'{at}/{name}')
        elif word == 'additionalProperties':
            known = schema.get('properties', {})
            for name, x in value.items() if isinstance(value, dict) else []:
                out += errors(x, known.get(name, rule), f'{at}/{name}')
        elif word not in IGNORED and not SIMPLE[word](value, rule):
            out.append((at, word))
    return out


def test_the_program_prints_it():
    out = subprocess.run([PROGRAM, 'model', 'schema'], stdout=subprocess.PIPE, timeout=60, check=True).stdout
    assert json.loads(out) == SCHEMA


@pytest.mark.parametrize('name,text', [(name, text) for name, text, _ in SOURCES])
def test_models_of_the_library_fit(name, text):
    assert errors(load(text), SCHEMA) == []


def test_models_of_the_tests_and_examples_fit():
    for path in glob.glob(os.path.join(TOP, '*', '*', '*', 'onefold.yaml')):
        with open(path, encoding='utf-8') as source:
            assert errors(load(source.read()), SCHEMA) == [], path


def test_what_the_program_takes_the_schema_takes(tmp_path):
    taken = 0
    for number in range(200):
        _, text, _ = damaged(number)
        path = tmp_path / 'onefold.yaml'
        path.write_bytes(re.sub(rb'(?m)^data:.*$', b'', text))
        if not check(str(path)):
            continue
        found = errors(load(path.read_bytes().decode('utf-8')), SCHEMA)
        assert found == [], (number, found)
        taken += 1
    assert taken > 20


MISTAKES = [('onefold: 1', 'onefold: 2'), ('table: shop', 'table: s'), ('entities:', 'entitys:'), ('type: number', 'type: numbr'),
            ('generate: ulid', 'generate: id'), ('limit: 20', 'limit: 0'), ('order: newest', 'order: new'), ('unique: [email]', 'unique: email'),
            ('timestamps: true', 'timestamps: 1'), ('by: [customerId]', 'by: customerId'), ('required: true', 'requird: true'),
            ('only: [orderId, status, total]', 'only: orderId'), ('{ of: Order, by: [customerId]', '{ by: [customerId]')]


@pytest.mark.parametrize('old,new', MISTAKES)
def test_mistakes_are_refused(old, new):
    text = SOURCES[0][1]
    assert old in text
    assert errors(load(text.replace(old, new)), SCHEMA)


def test_it_knows_every_name_of_the_manual():
    """The tables of docs/model.md, section by section, against the properties of the schema."""
    with open(os.path.join(TOP, 'docs', 'model.md'), encoding='utf-8') as source:
        text = source.read()
    parts = {'The whole file': SCHEMA, 'Entities': SCHEMA['$defs']['entity'], 'Attributes': SCHEMA['$defs']['attribute']['oneOf'][1],
             'Patterns': SCHEMA['$defs']['pattern']}
    for title, schema in parts.items():
        section = text.split(f'\n## {title}\n')[1].split('\n## ')[0].split('\n### ')[0]
        names = {n for row in re.findall(r'^\| (`.*?) \|', section, re.M) for n in re.findall(r'`(\w+)`', row)}
        assert names == set(schema['properties']), title

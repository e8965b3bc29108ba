"""test_renamed.py: no command knows a library pattern by name: with every entity, attribute, key, index and pattern renamed, and every
key's text changed, each model gives the same answers."""
import json
import os
import re

import pytest
from library import MODELS, Model, Onefold, answered, expected


class Renamer:
    """Other names for everything, given out in the order of first use."""

    def __init__(self):
        self.names = {}

    def __call__(self, kind, name):
        return self.names.setdefault((kind, name), f'{kind}{len(self.names) + 1}')

    def attribute(self, name):
        return self('a', name)

    def input(self, name):
        return '$' + self('a', name[1:]) if isinstance(name, str) and name.startswith('$') else name

    def template(self, text):
        """Holes renamed, and what begins with fixed text begins with other text, which keeps the order."""
        text = re.sub(r'\$\{(\w+)(:[0-9.]+)?\}', lambda m: f'${{{self.attribute(m[1])}{m[2] or ""}}}', text)
        return text if text.startswith('${') else 'q' + text

    def keys(self, keys):
        return {self('k', name): self.template(text) for name, text in keys.items()}

    def entry(self, keys):
        keys = dict(keys)
        shards = keys.pop('shards', None)
        out = self.keys(keys)
        if shards:
            out['shards'] = {**shards, 'of': self('k', shards['of']), 'by': self.attribute(shards['by'])}
        return out

    def entity(self, entity):
        out = dict(entity)
        out['key'] = self.keys(entity['key'])
        out['attributes'] = {self.attribute(name): what for name, what in entity['attributes'].items()}
        if 'index' in entity:
            out['index'] = {self('Index', name): self.entry(keys) for name, keys in entity['index'].items()}
        if 'copies' in entity:
            out['copies'] = [self.copy(copy) for copy in entity['copies']]
        return out

    def copy(self, copy):
        out = {**copy, 'key': self.keys(copy['key']), 'name': self('c', copy['name'])}
        if 'only' in copy:
            out['only'] = [self.attribute(name) for name in copy['only']]
        return out

    def conditions(self, conditions):
        def operands(value):
            if isinstance(value, dict):
                return {op: operands(v) for op, v in value.items()}
            return [self.input(v) for v in value] if isinstance(value, list) else self.input(value)
        if isinstance(conditions, list):
            return [self.attribute(name) for name in conditions]
        return {self.attribute(name): operands(value) for name, value in conditions.items()}

    def pattern(self, pattern):
        out = dict(pattern)
        for name in ('of', 'collection'):
            if name in pattern:
                out[name] = self('E', pattern[name])
        for name in ('by', 'where', 'filter'):
            if name in pattern:
                out[name] = self.conditions(pattern[name])
        if pattern.get('index', 'table') != 'table':
            out['index'] = self('Index', pattern['index'])
        if 'across' in pattern:
            out['across'] = self.conditions(pattern['across'])
        return out

    def model(self, doc):
        out = {**doc, 'table': 'renamed-' + doc['table'], 'data': 'data.yaml', 'entityAttribute': self('k', 'entity_type'),
               'schemaAttribute': self('k', 'schema_v')}
        keys = doc.get('keys', {'hash': 'PK', 'sort': 'SK'})
        out['keys'] = {side: self('k', name) for side, name in keys.items()}
        out['indexes'] = {self('Index', name): {side: self('k', key) for side, key in index.items()}
                          for name, index in doc['indexes'].items()}
        out['entities'] = {self('E', name): self.entity(entity) for name, entity in doc['entities'].items()}
        out['patterns'] = {self('p', name): self.pattern(pattern) for name, pattern in doc['patterns'].items()}
        if doc.get('timestamps'):
            out['timestamps'] = {'created': self.attribute('createdAt'), 'updated': self.attribute('updatedAt')}
        if 'ttl' in doc:
            out['ttl'] = self.attribute(doc['ttl'])
        out.pop('silence', None)
        return out

    def rows(self, rows):
        return {self('E', entity): [{self.attribute(k): v for k, v in row.items()} for row in items]
                for entity, items in rows.items()}

    def case(self, case):
        out = {k: v for k, v in case.items() if k in ('seed', 'number', 'note', 'page', 'pages', 'first', 'read')}
        return {**out, 'pattern': self('p', case['pattern']), 'answer': self.rows(case['answer']),
                'input': {self.attribute(k): v for k, v in case['input'].items()}}


def renamed(model, folder):
    """The model under other names, written to a folder; JSON is YAML too."""
    renamer = Renamer()
    document, data = renamer.model(model.document), renamer.rows(model.data)
    for name, content in (('onefold.yaml', document), ('data.yaml', data)):
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as f:
            json.dump(content, f, indent=1)
    return Model(os.path.join(folder, 'onefold.yaml'), [renamer.case(case) for case in model.answers], data, document)


def words(document):
    """Every name that a model gives: of entities, attributes, keys, indexes and patterns, wherever it is used."""
    found = {*document['entities'], *document['patterns'], *document.get('indexes', ())}
    for entity in document['entities'].values():
        found |= {*entity['key'], *entity['attributes'], *re.findall(r'\$\{(\w+)', json.dumps(entity))}
    for pattern in document['patterns'].values():
        found |= {*pattern.get('by', ()), *pattern.get('where', ()), *pattern.get('across', ())}
    return found


def test_nothing_keeps_its_name(tmp_path):
    for model in MODELS:
        other = renamed(model, str(tmp_path))
        assert not words(model.document) & words(other.document)
        assert not model.keys & other.keys
        assert not set(model.data) & set(other.data)


@pytest.mark.parametrize('model', MODELS, ids=repr)
def test_the_same_answers_under_other_names(model, tmp_path):
    other = renamed(model, str(tmp_path))
    onefold = Onefold(other, '--data', str(tmp_path / 'db')).fill()
    for case in other.cases:
        answer, items_read, pages = onefold.run(case)
        assert answered(other, answer) == expected(case), case.id
        assert case.read is None or items_read == case.read, case.id
        assert not case.pages or pages == case.pages, case.id

"""library.py: the pattern library as the tests see it: its models, their data, their cases, and the program that is tested."""
import glob
import json
import os
import re
import shutil
import subprocess
import tempfile
from decimal import Decimal

import yaml
from boto3.dynamodb.types import TypeDeserializer

from server import TOP, program

FOLDER = os.path.join(TOP, 'patterns')
FINDINGS = 3  # exit code of lint where it found something


class Loader(yaml.SafeLoader):
    """YAML as Onefold reads it: dates are text, and of the words only true and false are booleans."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith((':timestamp', ':bool'))]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver('tag:yaml.org,2002:bool', re.compile('true|false'), list('tf'))


def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as f:
        return yaml.load(f, Loader)


def text(value):
    """A value as it is typed after name=."""
    return {True: 'true', False: 'false'}[value] if isinstance(value, bool) else str(value)


class Case:
    """One case of an answers.yaml, with what is special in the model file it is asked of."""

    def __init__(self, model, number, content):
        self.model = model
        self.__dict__.update(dict.fromkeys(('seed', 'number', 'note', 'operation', 'index', 'keyCondition', 'descending',
                                            'read', 'page', 'pages', 'first')))
        self.__dict__.update(content)
        for stem, other in content.get('in', {}).items():
            if stem == model.stem:
                self.__dict__.update(other)
        whose = f'seed {self.seed} {self.number}' if self.seed else f'{model.name} {self.number or number + 1}'
        variant = '' if model.stem == 'onefold' else f' in {model.stem}'
        self.id = f'{whose}{variant} {self.pattern}{", " + self.note if self.note else ""}'
        self.inputs = [f'{name}={text(value)}' for name, value in self.input.items()]


class Model:
    """A model file with its data and cases."""

    def __init__(self, path, answers, data, document=None):
        self.path, self.stem = path, os.path.basename(path)[:-5]
        self.folder = os.path.dirname(path)
        self.name = os.path.basename(self.folder)
        self.document = document or read(path)
        self.table = self.document['table']
        self.data, self.answers = data, answers
        self.cases = [Case(self, n, content) for n, content in enumerate(answers)]

    def __repr__(self):
        return self.name if self.stem == 'onefold' else f'{self.name}/{self.stem}'

    @property
    def keys(self):
        """The attributes that the model writes into items besides the entity's own."""
        doc = self.document
        keys = set(doc.get('keys', {'hash': 'PK', 'sort': 'SK'}).values())
        for index in doc.get('indexes', {}).values():
            keys |= {index['hash'], index['sort']}
        return keys | {doc.get('entityAttribute', 'entity_type'), doc.get('schemaAttribute', 'schema_v')}

    @property
    def timestamps(self):
        stamps = self.document.get('timestamps')
        return set() if not stamps else {'createdAt', 'updatedAt'} if stamps is True else set(stamps.values())


def models():
    found = []
    for folder in sorted(glob.glob(os.path.join(FOLDER, '*', ''))):
        answers = read(folder, 'answers.yaml')['cases']
        for path in sorted(glob.glob(os.path.join(folder, '*.yaml'))):
            document = read(path)
            if isinstance(document, dict) and 'onefold' in document:
                found.append(Model(path, answers, read(folder, 'data.yaml'), document))
    return found


MODELS = models()
CASES = [case for model in MODELS for case in model.cases]


def model(name, stem='onefold'):
    return next(m for m in MODELS if m.name == name and m.stem == stem)


class Onefold:
    """The program on one model and one database: where is ('--data', DIR), ('--endpoint', URL) or nothing. env: added to the environment."""

    def __init__(self, model, *where, env=None):
        self.model, self.where, self.env = model, where, {**os.environ, **(env or {})}

    def __call__(self, *command, where=True, fails=False, code=0, json_out=True):
        line = [program(), *command, '--model', self.model.path, *(self.where if where else ())]
        if json_out:
            line.append('--json')
        done = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              check=False, env=self.env)
        out, err = done.stdout.decode(), done.stderr.decode()
        said = f'{" ".join(line)}\nexit {done.returncode}\n{out}{err}'
        if fails:
            assert 0 < done.returncode < 99, said
            return out + err
        assert done.returncode == code, said
        return json.loads(out) if json_out else out

    def about(self, *command, **options):
        """A command that needs no database."""
        return self(*command, where=False, **options)

    def lint(self):
        """What lint finds; it says by its exit code whether it did."""
        return self.about('model', 'lint', code=FINDINGS)['findings']

    def fill(self):
        """Makes the table and loads the sample data, from a copy: load remembers beside the file how far it is."""
        self('apply', '--yes')
        with tempfile.TemporaryDirectory() as folder:
            self('load', shutil.copy(os.path.join(self.model.folder, 'data.yaml'), folder))
        return self

    def run(self, case):
        """All pages of a case's answer: (answer by entity, items read, pages)."""
        answer, items_read, pages, after = {}, 0, 0, []
        limit = ['--limit', str(case.page)] if case.page else []
        while True:
            page = self('run', case.pattern, *case.inputs, *limit, *after)
            pages += 1
            items_read += page.pop('read')['items']
            token = page.pop('after', None)
            for entity, items in page.items():
                answer.setdefault(entity, []).extend(items)
            if case.first or not token:
                return answer, items_read, pages
            after = ['--after', token]

    def requests(self, case):
        """The raw requests of the first page, [{'operation': ..., 'request': {...}}]."""
        return self('run', case.pattern, *case.inputs, '--dry-run')


def changed(original, folder, change, *where):
    """The program on a copy of a model, with its data, in which change(document) has been done; JSON is YAML too."""
    document = json.loads(json.dumps(original.document))
    document['data'] = 'data.yaml'
    change(document)
    path = os.path.join(folder, 'changed.yaml')
    with open(path, 'w', encoding='utf-8') as f:
        json.dump(document, f, indent=1)
    shutil.copy(os.path.join(original.folder, 'data.yaml'), folder)
    return Onefold(Model(path, original.answers, original.data, document), *where)


def same(value):
    """A value with its numbers in one form, so that 1, 1.0 and Decimal('1') are equal."""
    if isinstance(value, dict):
        return {k: same(v) for k, v in value.items()}
    if isinstance(value, list):
        return [same(v) for v in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Decimal(str(value))
    return value


def attributes(model, items):
    """Items of the answer without what the model adds to them."""
    drop = model.keys | model.timestamps
    return [{k: same(v) for k, v in item.items() if k not in drop} for item in items]


def answered(model, answer):
    return {entity: attributes(model, items) for entity, items in answer.items() if items}


def expected(case):
    return {entity: [same(item) for item in items] for entity, items in case.answer.items()}


def plain(item):
    """An item as boto3's low-level client answers it, as plain values."""
    return {k: TypeDeserializer().deserialize(v) for k, v in item.items()}

"""test_shards.py: the worked values of docs/shards.md hold for its own snippets, in Python and in JavaScript.

tests/unit/test_model_shard.c asserts the same values of the C code; here is checked that it has all of them.
"""
import json
import os
import re
import shutil
import subprocess

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NODE = shutil.which('node', path=os.path.join(TOP, 'build', 'tools')) or shutil.which('node')


def document():
    with open(os.path.join(TOP, 'docs', 'shards.md'), encoding='utf-8') as f:
        return f.read()


def snippets(language):
    return '\n'.join(re.findall(r'```' + language + r'\n(.*?)```', document(), re.S))


def tables():
    """Each table as (names of its columns, rows), cells without their backquotes."""
    out = []
    for block in re.findall(r'(?:^\|.*\n)+', document(), re.M):
        rows = [[c.strip().strip('`') for c in line.strip().strip('|').split('|')] for line in block.splitlines()]
        out.append((rows[0], rows[2:]))
    return out


def table(*columns):
    found = [rows for names, rows in tables() if names == list(columns)]
    assert len(found) == 1, columns
    return found[0]


def calls():
    """(function, arguments, expected result) for every worked value."""
    out = []
    for _, text, _, of10, of16 in table('value', 'text', 'hash', 'of 10', 'of 16'):
        out += [('shard', [text, 10], of10), ('shard', [text, 16], of16)]
    for text, one, two in table('text', 'letters: 1', 'letters: 2'):
        out += [('letters', [text, 1], one), ('letters', [text, 2], two)]
    for value, form, result in table('value', 'format', 'shard'):
        out.append(('month', [json.loads(value), form], result))
    return out


def test_document_has_its_tables_and_snippets():
    assert len(calls()) > 40
    for language in ('javascript', 'python'):
        for name in ('shard', 'letters', 'month'):
            assert re.search(r'\b' + name + r'\(', snippets(language))


def test_python_snippets_give_the_worked_values():
    scope = {}
    exec(snippets('python'), scope)  # the document's own text is what is tested
    for name, arguments, expected in calls():
        assert scope[name](*arguments) == expected, (name, arguments)


def test_hashes_are_fnv_1a():
    for _, text, h, of10, of16 in table('value', 'text', 'hash', 'of 10', 'of 16'):
        x = 0x811c9dc5
        for byte in text.encode():
            x = (x ^ byte) * 0x01000193 & 0xffffffff
        assert (str(x), str(x % 10), str(x % 16)) == (h, of10, of16)


def test_javascript_snippets_give_the_worked_values():
    if not NODE:
        pytest.skip('there is no node: tools/bootstrap makes build/tools/node')
    program = snippets('javascript') + '\nconst f = { shard, letters, month };\n' + \
        'const calls = JSON.parse(process.argv[1]);\n' + \
        'console.log(JSON.stringify(calls.map(([name, args]) => f[name](...args))));\n'
    worked = calls()
    out = subprocess.run([NODE, '-e', program, json.dumps(worked)], stdout=subprocess.PIPE, check=True, timeout=60)
    for (name, arguments, expected), got in zip(worked, json.loads(out.stdout)):
        assert got == expected, (name, arguments)


def test_unit_test_asserts_the_same_values():
    with open(os.path.join(TOP, 'tests', 'unit', 'test_model_shard.c'), encoding='utf-8') as f:
        program = f.read()
    for _, text, h, _, _ in table('value', 'text', 'hash', 'of 10', 'of 16'):
        assert f'"{text}", {h}u' in program
    for text, one, two in table('text', 'letters: 1', 'letters: 2'):
        assert f'"{text}", "{one}", "{two}"' in program
    for value, _, result in table('value', 'format', 'shard'):
        assert f'"{value.strip(chr(34))}", "{result}"' in program

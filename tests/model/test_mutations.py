"""test_mutations.py: 500 damaged model files. Each gives an error with a place, or is a valid model that survives check,
docs, check; none crashes. The damage is random but the same in every run: a case is found again by its number.
"""
import glob
import json
import os
import random
import re
import shutil
import string
import subprocess

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get('OF_TEST_BIN') or os.path.join(TOP, 'build', 'onefold')
CASES = 500
SCALARS = ['', '~', 'true', '5', '-1.5e3', '"x"', "'${orderId}'", '[a, b]', '{ a: b }', '[]', '{}', '*alias', '&a x', '!!str x',
           '2026-05-10', '${', '$x', '#', '0', '99999999999999999999', '"\\u0000"', '\u00e9\u4e2d', '|', '>', '- x', '? y', '<<', '%']
BYTES = [b'\0', b'\xff', b'\xc3', b'\t', b'\r', b'\x1b', b'\xe2\x80\xa8', b'\xef\xbb\xbf', b'{', b'}', b'[', b']', b'"', b"'", b':', b'#',
         b'&', b'*', b'!', b'%', b'@', b'`', b',', b'\n', b'---\n', b'...\n', b': ', b'- ', b'${', b'  ']


def sources():
    """(name, text, folder with its sample data) of the manual's example and of the pattern library."""
    with open(os.path.join(TOP, 'docs', 'model.md'), encoding='utf-8') as f:
        example = re.search(r'```yaml\n(.*?)```', f.read(), re.S).group(1)
    out = [('docs', example.replace('data: data.yaml\n', ''), None)]
    for path in sorted(glob.glob(os.path.join(TOP, 'patterns', '*', '*.yaml'))):
        with open(path, encoding='utf-8') as f:
            text = f.read()
        if re.search(r'^onefold:', text, re.M):
            out.append((os.path.relpath(path, TOP), text, os.path.dirname(path)))
    return out


# ---- ways to damage a file: each takes lines (bytes) and a source of chance, and changes the lines ----

def delete_line(lines, chance):
    del lines[chance.randrange(len(lines))]


def double_line(lines, chance):
    i = chance.randrange(len(lines))
    lines.insert(i, lines[i])


def swap_lines(lines, chance):
    i, k = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[i], lines[k] = lines[k], lines[i]


def move_block(lines, chance):
    i = chance.randrange(len(lines))
    block = lines[i:i + chance.randint(1, 8)]
    del lines[i:i + len(block)]
    at = chance.randrange(len(lines) + 1)
    lines[at:at] = block


def indent(lines, chance):
    i = chance.randrange(len(lines))
    by = chance.choice([-4, -2, -1, 1, 2, 4])
    for k in range(i, min(len(lines), i + chance.choice([1, 1, 3, 10]))):
        stripped = lines[k].lstrip(b' ')
        lines[k] = b' ' * max(0, len(lines[k]) - len(stripped) + by) + stripped


def places(lines, pattern):
    return [(i, m) for i, line in enumerate(lines) for m in re.finditer(pattern, line)]


def change(lines, chance, pattern, new):
    found = places(lines, pattern)
    if found:
        i, m = chance.choice(found)
        lines[i] = lines[i][:m.start(1)] + new(m.group(1)) + lines[i][m.end(1):]


def other_scalar(lines, chance):
    """The value after a name becomes another kind of value."""
    change(lines, chance, rb':\s+([^\s{\[,][^,}\]\n]*)', lambda _: chance.choice(SCALARS).encode())


def other_value(lines, chance):
    """A whole value, with its list or map, becomes something else."""
    change(lines, chance, rb':\s+([{\[].*)$', lambda _: chance.choice(SCALARS).encode())


def misspell(lines, chance):
    def wrong(word):
        i = chance.randrange(len(word))
        how = chance.randrange(4)
        letter = chance.choice(string.ascii_letters).encode()
        if how == 0 and len(word) > 1:
            return word[:i] + word[i + 1:]
        if how == 1:
            return word[:i] + letter + word[i:]
        if how == 2:
            return word[:i] + letter + word[i + 1:]
        return word[:i] + word[i:i + 2][::-1] + word[i + 2:]
    change(lines, chance, rb'([A-Za-z_][A-Za-z0-9_]*)', wrong)


def other_word(lines, chance):
    """A word becomes another one of the same file: names that exist, in the wrong place."""
    words = [m.group(1) for _, m in places(lines, rb'([A-Za-z_][A-Za-z0-9_]*)')]
    if words:
        change(lines, chance, rb'([A-Za-z_][A-Za-z0-9_]*)', lambda _: chance.choice(words))


def other_number(lines, chance):
    change(lines, chance, rb'(\d+)', lambda _: chance.choice([b'0', b'-1', b'1e400', b'1000001', b'3.5', b'x', b'4294967296']))


def truncate(lines, chance):
    text = b'\n'.join(lines)
    lines[:] = text[:chance.randrange(len(text) + 1)].split(b'\n')


def put_bytes(lines, chance):
    i = chance.randrange(len(lines))
    k = chance.randrange(len(lines[i]) + 1)
    lines[i] = lines[i][:k] + chance.choice(BYTES) + lines[i][k:]


def drop_bytes(lines, chance):
    i = chance.randrange(len(lines))
    k = chance.randrange(len(lines[i]) + 1)
    lines[i] = lines[i][:k] + lines[i][k + chance.randint(1, 6):]


def line_ends(lines, chance):
    for i in range(len(lines)):
        if chance.random() < 0.5:
            lines[i] += b'\r'


WAYS = [delete_line, double_line, swap_lines, move_block, indent, other_scalar, other_value, misspell, other_word, other_number,
        truncate, put_bytes, drop_bytes, line_ends]
SOURCES = sources()


def damaged(number):
    """The bytes of case `number`, and the model it came from."""
    chance = random.Random(number)
    name, text, folder = SOURCES[number % len(SOURCES)]
    lines = text.encode().split(b'\n')
    # Every way comes first equally often; some files are damaged more than once.
    for way in [WAYS[number % len(WAYS)]] + chance.sample(WAYS, chance.choice([0, 0, 0, 1, 2])):
        if lines:
            way(lines, chance)
    return name, b'\n'.join(lines), folder


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=60, check=False)
    assert done.returncode >= 0, f'{arguments} died of signal {-done.returncode}: {done.stderr[-2000:]!r}'
    return done


def check(path):
    """True if the model is valid; otherwise every problem has a place inside the file, and words."""
    done = run('model', 'check', '--json', '--model', path)
    assert done.returncode in (0, 1, 3), (done.returncode, done.stderr[-2000:])
    problems = json.loads(done.stdout)['problems']
    assert bool(problems) == (done.returncode != 0), (done.returncode, problems, done.stderr)
    with open(path, 'rb') as f:
        # Every line break that YAML knows counts.
        count = len(re.findall(rb'\r\n|\r|\n|\xc2\x85|\xe2\x80[\xa8\xa9]', f.read())) + 1
    for problem in problems:
        assert problem['message'].strip()
        assert problem['line'] >= 1 and problem['column'] >= 1, problem
        assert problem['file'] != path or problem['line'] <= count + 1, problem
    return not problems


def test_the_models_are_valid_before_they_are_damaged(tmp_path):
    assert len(SOURCES) >= 2
    for name, text, folder in SOURCES:
        path = tmp_path / 'onefold.yaml'
        path.write_text(text, encoding='utf-8')
        if folder:
            shutil.copy(os.path.join(folder, 'data.yaml'), tmp_path / 'data.yaml')
        assert check(str(path)), name


@pytest.mark.parametrize('number', range(CASES))
def test_a_damaged_model_is_refused_with_a_place_or_works(number, tmp_path):
    _, text, folder = damaged(number)
    path = str(tmp_path / 'onefold.yaml')
    with open(path, 'wb') as f:
        f.write(text)
    if folder:
        shutil.copy(os.path.join(folder, 'data.yaml'), tmp_path / 'data.yaml')
    if not check(path):
        return
    docs = run('model', 'docs', '--model', path)
    assert docs.returncode == 0 and docs.stdout.startswith(b'#'), (docs.stderr, docs.stdout[:500])
    assert check(path)


def test_the_damage_is_of_all_kinds():
    """Not all cases may end the same way, or the test would say little."""
    texts = {damaged(n)[1] for n in range(CASES)}
    originals = {text.encode() for _, text, _ in SOURCES}
    assert len(texts - originals) > 0.95 * CASES

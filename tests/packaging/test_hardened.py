"""The program and the library as they were built: what makes a mistake in them harder to use is read in the files themselves."""
import glob
import os
import re
import subprocess

import pytest

PROGRAM = os.environ['OF_TEST_BIN']
LIBRARY = os.path.join(os.path.dirname(PROGRAM), 'src', 'lib', 'libonefold.so')
PROBE = b'\x48\x83\x0c\x24\x00'  # or qword [rsp], 0: a page of a large frame is touched before the next


def readelf(option, path):
    env = {**os.environ, 'LC_ALL': 'C'}
    return subprocess.run(['readelf', '-W', option, path], stdout=subprocess.PIPE, check=True, text=True, env=env).stdout


def code_of(path):
    """The bytes of .text."""
    found = re.search(r'\] \.text\s+PROGBITS\s+\w+ (\w+) (\w+)', readelf('-S', path))
    offset, size = (int(x, 16) for x in found.groups())
    with open(path, 'rb') as f:
        f.seek(offset)
        return f.read(size)


def missing(path, program):
    """What the file has not, of all it should have."""
    header, segments, dynamic, symbols = (readelf(o, path) for o in ('-h', '-l', '-d', '--dyn-syms'))
    code = code_of(path)
    flags = ' '.join(re.findall(r'\(FLAGS(?:_1)?\)\s+(.*)', dynamic))
    stack = re.search(r'GNU_STACK\s.*\s([RWE ]{3})\s', segments)
    has = {
        'an address that is chosen when it starts': 'DYN' in header and (not program or 'PIE' in flags),
        'relocations that are read-only, all of them': 'GNU_RELRO' in segments and ('BIND_NOW' in flags or 'NOW' in flags.split()),
        'a stack that is not executed': bool(stack) and 'E' not in stack.group(1),
        'no memory that is written and executed': not re.search(r'LOAD\s.*\sRWE\s', segments),
        'no relocations in its code': 'TEXTREL' not in dynamic,
        'guarded stack frames': '__stack_chk_fail' in symbols,
        'checked functions of the C library': len(re.findall(r'UND __\w+_chk(?:@|\s)', symbols)) >= 3,
    }
    if 'X86-64' in header:
        has['probed large frames'] = PROBE in code
    return [what for what, there in has.items() if not there]


@pytest.mark.parametrize('path', [PROGRAM, LIBRARY], ids=['program', 'library'])
def test_hardened(path):
    assert missing(path, path == PROGRAM) == []


def test_objects_are_ready_for_shadow_stacks():
    """In what we compile: the linker marks the program only if the C library's own parts are ready too, which they are not everywhere."""
    objects = glob.glob(PROGRAM + '.p/*.o')
    assert len(objects) > 20
    for path in objects:
        assert 'X86-64' not in readelf('-h', path) or 'SHSTK' in readelf('-n', path), path


def test_a_program_that_is_not_is_found(tmp_path):
    """Each of the checks can fail."""
    (tmp_path / 'a.c').write_text('#include <stdio.h>\n'
                                  'int main(int n, char **v) { char b[9000]; return snprintf(b, n, "%s", v[0]) + b[n]; }\n')
    subprocess.run(['cc', '-O2', '-o', 'a', 'a.c', '-no-pie', '-fno-pie', '-fno-stack-protector', '-fno-stack-clash-protection',
                    '-fcf-protection=none', '-U_FORTIFY_SOURCE', '-Wl,-z,norelro', '-Wl,-z,lazy', '-Wl,-z,execstack'],
                   cwd=tmp_path, check=True)
    found = missing(str(tmp_path / 'a'), True)
    assert len(found) >= 5 and not {'no memory that is written and executed', 'no relocations in its code'} & set(found), found

"""program_help.py: the commands that the program's help lists, those of a group one by one."""
import re
import subprocess


def _rows(program, *words):
    text = subprocess.run([program, 'help', *words], stdout=subprocess.PIPE, text=True, check=True).stdout
    if 'Commands:\n' not in text:
        return []
    return re.findall(r'^  (\w+(?: \w+)?) {2,}', text.split('Commands:\n')[1].split('\n\n')[0], re.M)


def command_names(program):
    """In the order of the overview, which names a group ('model') in one row."""
    return [name for row in _rows(program) for name in _rows(program, row) or [row]]

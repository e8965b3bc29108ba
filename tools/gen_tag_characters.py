#!/usr/bin/env python3
"""Writes src/engine/tag_characters.inc: the characters that tags may hold, from Python's Unicode tables.

usage: gen_tag_characters.py > tag_characters.inc

AWS's rule is [\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*: letters, separators and numbers of all scripts, and a few marks.
"""
import unicodedata

MARKS = set(map(ord, '_.:/=+-@'))


def ranges():
    """(first, last) of each run of characters that are allowed, in order."""
    found = []
    for c in range(0x110000):
        if c not in MARKS and unicodedata.category(chr(c))[0] not in 'LZN':
            continue
        if found and found[-1][1] == c - 1:
            found[-1][1] = c
        else:
            found.append([c, c])
    return found


def main():
    print('/* tag_characters.inc: letters, numbers, separators and a few marks, by Unicode %s. Written by'
          % unicodedata.unidata_version)
    print(' * tools/gen_tag_characters.py: do not edit. */')
    print('/* clang-format off */')
    print('static const struct range tag_characters[] = {')
    line = ''
    for first, last in ranges():
        entry = '{ 0x%x, 0x%x },' % (first, last)
        if len(line) + len(entry) > 94:
            print('   ' + line)
            line = ''
        line += ' ' + entry
    print('   ' + line)
    print('};')


if __name__ == '__main__':
    main()

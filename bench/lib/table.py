"""table.py: aligned tables for the terminal and for Markdown, and numbers as people read them."""


def thousands(value):
    return '-' if value is None else f'{value:,.0f}'


def times(value, digits=2):
    return '-' if value is None else f'{value:.{digits}f} x' if value < 9.95 else f'{value:.1f} x'


def milliseconds(us):
    if us is None:
        return '-'
    return f'{us / 1000:.2f} ms' if us < 99_950 else f'{us / 1000:.0f} ms'


def aligned(head, rows):
    """Lines; the first column to the left, the others to the right."""
    widths = [max(len(str(row[n])) for row in [head, *rows]) for n in range(len(head))]
    lines = []
    for row in [head, *rows]:
        cells = [str(cell).ljust(width) if n == 0 else str(cell).rjust(width) for n, (cell, width) in enumerate(zip(row, widths))]
        lines.append('  '.join(cells).rstrip())
    return lines


def markdown(head, rows, words=False):
    """words: all columns to the left."""
    lines = ['| ' + ' | '.join(head) + ' |', '|---|' + ('---|' if words else '---:|') * (len(head) - 1)]
    return lines + ['| ' + ' | '.join(str(cell) for cell in row) + ' |' for row in rows]

"""chart.py: bars and lines as SVG, for docs/performance: text, axes with units, readable on light and dark pages.

    svg = bars(title, note, groups, unit)         groups: [(label, [(series, value)])]
    svg = lines(title, note, series, x, y)        series: {name: [(x, y)]}; x, y: Axis

Colours are CSS variables which a dark page's media query changes; a picture has no background of its own.
"""
import math
from dataclasses import dataclass
from html import escape

WIDTH = 760
LEFT, RIGHT, TOP = 78, 24, 64
FONT = "-apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
# Told apart by people who see colours differently, and by lightness: ours first.
LIGHT = ('#0b6bcb', '#e07b00', '#7a3fb5', '#2a8f4f', '#b8335a', '#5d6b78', '#8a7a00', '#008b93')
DARK = ('#5fb0ff', '#ffab4a', '#c79bff', '#6fd596', '#ff89ac', '#aab7c4', '#e0cf55', '#5cd6dd')


@dataclass
class Axis:
    label: str
    log: bool = False
    zero: bool = True  # begins at zero; of no meaning with log


def style():
    light = ''.join(f'--c{n}:{colour};' for n, colour in enumerate(LIGHT))
    dark = ''.join(f'--c{n}:{colour};' for n, colour in enumerate(DARK))
    classes = ''.join(f'.f{n}{{fill:var(--c{n})}}.s{n}{{stroke:var(--c{n})}}' for n in range(len(LIGHT)))
    return ('<style>svg{--ink:#1d2328;--soft:#57606a;--grid:#d4dae0;' + light + '}'
            '@media(prefers-color-scheme:dark){svg{--ink:#e8edf2;--soft:#a3aeb9;--grid:#39424c;' + dark + '}}'
            f'text{{font:12px {FONT};fill:var(--ink)}}.t{{font-size:15px;font-weight:600}}.n,.a{{fill:var(--soft)}}'
            '.g{stroke:var(--grid);stroke-width:1}.l{fill:none;stroke-width:2.2}.goal{stroke:var(--soft);stroke-width:1.4;stroke-dasharray:5 4}'
            f'{classes}</style>')


def text(x, y, content, kind='', anchor='start', more=''):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}"{more}>{escape(content)}</text>'


def page(height, title, note, body):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" height="{height:.0f}" role="img" '
            f'aria-label="{escape(title)}">\n<title>{escape(title)}</title>\n{style()}\n'
            + text(16, 24, title, 't') + '\n' + text(16, 43, note, 'n') + '\n' + '\n'.join(body) + '\n</svg>\n')


def figure(value):
    """A number as people write it: 1,234 or 0.83 or 1.2 M."""
    if value >= 10_000_000 or (value >= 1_000_000 and value % 100_000 == 0):
        return f'{value / 1e6:g} M'
    if value >= 100:
        return f'{value:,.0f}'
    return f'{value:.3g}'


def step(span, most=6):
    """The width of a tick: 1, 2 or 5 times a power of ten."""
    rough = span / most if span > 0 else 1
    power = 10 ** math.floor(math.log10(rough))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)


def legend(names, y, x=LEFT):
    """A row of names with their colours; how many lines it took."""
    out, at, rows = [], x, 1
    for n, name in enumerate(names):
        wide = 32 + 6.9 * len(name)
        if at + wide > WIDTH - RIGHT and at > x:
            at, rows = x, rows + 1
        top = y + 18 * (rows - 1)
        out.append(f'<rect x="{at:.1f}" y="{top - 9:.1f}" width="11" height="11" rx="2" class="f{n % len(LIGHT)}"/>')
        out.append(text(at + 16, top + 1, name))
        at += wide
    return out, rows


def bars(title, note, groups, unit, left=190):
    """Horizontal bars in groups, a value at the end of each; a series keeps its colour in all groups."""
    names = []
    for _, values in groups:
        names += [name for name, _ in values if name not in names]
    body, rows = legend(names, TOP + 4, 16)
    y = TOP + 18 * rows + 8
    biggest = max((value for _, values in groups for _, value in values if value), default=1)
    tick = step(biggest)
    limit = math.ceil(biggest / tick) * tick
    scale = (WIDTH - left - RIGHT - 56) / limit
    start = y
    marks = []
    for label, values in groups:
        middle = y + 8 * len(values)
        marks.append(text(left - 10, middle + 4, label, '', 'end'))
        for name, value in values:
            n = names.index(name) % len(LIGHT)
            wide = (value or 0) * scale
            marks.append(f'<rect x="{left}" y="{y + 2:.1f}" width="{max(wide, 1):.1f}" height="12" rx="2" class="f{n}"/>')
            marks.append(text(left + wide + 6, y + 12, 'not measured' if value is None else figure(value), 'a'))
            y += 16
        y += 12
    for k in range(int(round(limit / tick)) + 1):
        x = left + k * tick * scale
        body.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{start - 4}" y2="{y - 6}" class="g"/>')
        body.append(text(x, y + 9, figure(k * tick), 'a', 'middle'))
    body += marks
    body.append(text(left, y + 30, unit, 'n'))
    return page(y + 42, title, note, body)


class Scale:
    """From a value to a place on the paper."""

    def __init__(self, axis, values, low, high, tight=False):
        """tight: from the smallest to the largest value, for an axis with marks of its own."""
        self.axis, self.low, self.high = axis, low, high
        if tight and max(values) > min(values):
            self.first, self.last = [math.log10(value) if axis.log else value for value in (min(values), max(values))]
            self.ticks = []
        elif axis.log:
            self.first, self.last = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
            self.last = max(self.last, self.first + 1)
            self.ticks = [10 ** k for k in range(self.first, self.last + 1)]
        else:
            first = 0 if axis.zero else min(values)
            tick = step(max(values) - first)
            self.first, self.last = math.floor(first / tick) * tick, math.ceil(max(values) / tick) * tick
            if self.last <= self.first:
                self.last = self.first + tick
            self.ticks = [self.first + k * tick for k in range(int(round((self.last - self.first) / tick)) + 1)]

    def place(self, value):
        at = math.log10(value) if self.axis.log else value
        return self.low + (at - self.first) / (self.last - self.first) * (self.high - self.low)


def lines(title, note, series, x, y, marks=(), goal=None):
    """A line with points for each series. marks: x values that get a tick of their own instead of the axis's; goal: (y, text)."""
    body, rows = legend(list(series), TOP + 4, 16)
    top, bottom = TOP + 18 * rows + 12, TOP + 18 * rows + 262
    points = [point for values in series.values() for point in values]
    across = Scale(x, [point[0] for point in points], LEFT + 26, WIDTH - RIGHT - 30, bool(marks))
    up = Scale(y, [point[1] for point in points] + ([goal[0]] if goal else []), bottom, top)
    for tick in up.ticks:
        at = up.place(tick)
        body.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" class="g"/>')
        body.append(text(LEFT - 8, at + 4, figure(tick), 'a', 'end'))
    for tick in marks or across.ticks:
        body.append(text(across.place(tick), bottom + 18, figure(tick), 'a', 'middle'))
    body.append(text((LEFT + WIDTH - RIGHT) / 2, bottom + 38, x.label, 'n', 'middle'))
    middle = (top + bottom) / 2
    body.append(text(20, middle, y.label, 'n', 'middle', f' transform="rotate(-90 20 {middle:.1f})"'))
    if goal:
        at = up.place(goal[0])
        body.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" class="goal"/>')
        body.append(text(WIDTH - RIGHT, at - 5, goal[1], 'n', 'end'))
    for n, values in enumerate(series.values()):
        colour = n % len(LIGHT)
        places = [(across.place(a), up.place(b), b) for a, b in sorted(values)]
        body.append(f'<polyline points="{" ".join(f"{a:.1f},{b:.1f}" for a, b, _ in places)}" class="l s{colour}"/>')
        for a, b, value in places:
            body.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.5" class="f{colour}"/>')
            body.append(text(a, b - 9, figure(value), 'a', 'middle'))
    return page(bottom + 52, title, note, body)

"""test_bench.py: that the benchmark runs, and that charts, goals and the page come out of its results as they should."""
import importlib.machinery
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BENCH = os.path.join(TOP, 'bench')
sys.path[:0] = [BENCH, os.path.join(BENCH, 'lib')]
import chart  # noqa: E402
import nginx  # noqa: E402
from endpoints import others  # noqa: E402
from goals import judge  # noqa: E402
from rounds import in_turn  # noqa: E402

HEAD = {'date': '2026-11-16 10:00 UTC', 'commit': 'abc', 'command': 'make bench', 'versions': {'onefold relaxed': 'onefold 0.1.0', 'wrk': 'wrk 4'},
        'machine': {'processor': 'P', 'cores': 2, 'memory_gb': 8, 'kernel': 'Linux', 'system': 'Debian', 'filesystem': 'ext4', 'load_before': 0}}


def row(workload, endpoint, throughput, kind='peer', **more):
    return {'section': 'headline', 'workload': workload, 'title': workload, 'size': 200, 'connections': 64, 'endpoint': endpoint, 'kind': kind,
            'file': 'file' in endpoint, 'throughput': throughput, 'p99': 1000, 'errors': 0, **more}


def http_results(get=80000):
    rows = [row('get', 'onefold relaxed', get, 'ours', wrong=0), row('get', 'nginx', 80000, 'web server'), row('get', 'dynoxide file', 8000),
            row('put', 'onefold full', 20000, 'ours', wrong=0), row('put', 'dynoxide memory', 9000), row('put', 'dynoxide file', 2000, errors=7)]
    return {'kind': 'http', **HEAD, 'rounds': 3, 'seconds': 2, 'rows': rows, 'missing': [{'name': 'dynalite file', 'why': 'not installed'}]}


def growth_results():
    measured = {'throughput': 1000, 'p50': 100.0, 'p99': 200.0}
    return {'kind': 'growth', **HEAD, 'scale': 1, 'rounds': 3, 'seconds': 2, 'troubles': [], 'items': {'10000': measured, '10000000': {**measured, 'p50': 150.0}},
            'indexes': {n: measured for n in ('0', '1', '5')}, 'connections': {'1': measured, '1000': measured},
            'collections': {n: {'first_page': 10.0, 'newest': 5.0} for n in ('100', '1000000')}, 'start_ms': {'empty': 4.0, '10000000': 12.0},
            'memory_mb': {'idle': 5.0, 'busy_anonymous': 30.0}, 'import_s': {'directory': 9.0, 'wire': 20.0}}


def verdicts(*contents):
    return {(goal.work, goal.wanted): goal.verdict() for goal in judge({content['kind']: content for content in contents})}


def test_a_short_run_checks_answers_and_leaves_results(tmp_path):
    """GetItem on our server, beside nginx where it is installed: else the table says that it is missing."""
    done = subprocess.run([os.path.join(BENCH, 'run'), '--only', 'get', '--seconds', '0.2', '--rounds', '1', '--quick', '--no-peers', '--quick-look', '--parts',
                           'http', '--results', str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=110,
                          env={**os.environ, 'BENCH_PEER': 'nobody=http://127.0.0.1:1', 'BENCH_WORK': str(tmp_path / 'work'),
                               'BENCH_PROGRAM': os.environ.get('OF_TEST_BIN', '')})
    assert done.returncode == 0, done.stdout
    found = json.loads((tmp_path / 'http.json').read_text())
    rows = {one['endpoint']: one for one in found['rows']}
    ours = rows['onefold relaxed']
    assert ours['throughput'] > 0 and ours['wrong'] == 0 and ours['errors'] == 0
    missing = {one['name'] for one in found['missing']}
    assert 'nobody' in missing and 'nobody: MISSING' in done.stdout
    has_nginx = shutil.which('nginx', path=os.environ.get('PATH', '') + ':/usr/sbin')
    if has_nginx:
        assert rows['nginx']['throughput'] > 0 and rows['nginx']['errors'] == 0
    assert ('nginx' in missing) == (not has_nginx)
    assert '0 wrong answers of ours' in done.stdout
    assert re.search(r'^  GetItem +[\d,]+', done.stdout, re.M)
    assert done.stdout.count('GetItem, round 1 of 1') == 1


@pytest.mark.skipif(not shutil.which('wrk'), reason='wrk is not installed')
def test_requests_are_signed_so_that_a_server_with_keys_takes_them(tmp_path):
    done = subprocess.run([os.path.join(BENCH, 'run'), '--only', 'get', '--seconds', '1', '--rounds', '1', '--quick', '--parts', 'signed', '--results', str(tmp_path)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=110,
                          env={**os.environ, 'BENCH_WORK': str(tmp_path / 'work'), 'BENCH_PROGRAM': os.environ.get('OF_TEST_BIN', '')})
    found = json.loads((tmp_path / 'signed.json').read_text())
    assert done.returncode == 0 and 'failed' not in found, done.stdout
    assert found['open']['throughput'] > 0 and found['keyed']['throughput'] > 0 and found['ratio'] > 0
    assert verdicts({'kind': 'signed', 'ratio': 0.6}) == {('GetItem, 200 B, signatures verified', 'at least 0.75 x without'): 'missed by 20 %'}


def test_progress_has_whole_minutes_and_a_line_per_round(capsys, monkeypatch):
    """Workloads of one block take turns within a round."""
    program = importlib.machinery.SourceFileLoader('bench_run', os.path.join(BENCH, 'run')).load_module()
    clock = iter([0.0, 1.0, 59.7, 60.0, 119.6])
    monkeypatch.setattr(program.time, 'monotonic', lambda: next(clock))
    tell = program.Progress()
    for text in ('Query, round 1 of 3: a', 'GSI Query, round 1 of 3: a', 'Query, round 1 of 3: b', 'Query, round 2 of 3: a'):
        tell(text)
    assert capsys.readouterr().err == '  0:01  Query, round 1 of 3\n  0:59  GSI Query, round 1 of 3\n  1:59  Query, round 2 of 3\n'


def test_an_endpoint_that_went_away_does_not_end_the_run(capsys):
    gone, = others('gone=http://127.0.0.1:1')
    gone.url = gone.address  # as if it had answered at first
    gone.stop()
    assert 'may be left in gone: http://127.0.0.1:1 does not answer' in capsys.readouterr().err


def test_goals_are_reached_or_missed_by_so_much():
    found = verdicts(http_results(), growth_results())
    assert found['GetItem, 200 B', 'at least 1.0 x nginx'] == 'reached'
    assert found['GetItem, 200 B', 'at least 8 x the fastest peer'] == 'reached'
    assert found['PutItem, full durability', 'at least 5 x the fastest peer that stores to a file'] == 'reached'
    assert found['Query, 20 items', 'at least 0.85 x nginx'] == 'not measured'
    assert found['GetItem p50, 10 M items against 10 k', 'at most 1.3 x'] == 'missed by 15 %'
    assert found['exec to first answer, 10 M items', 'under 10 ms'] == 'missed by 20 %'
    assert verdicts(http_results(get=60000))['GetItem, 200 B', 'at least 1.0 x nginx'] == 'missed by 25 %'
    assert not verdicts({**growth_results(), 'scale': 0.01})


def test_the_page_gets_tables_and_charts_and_keeps_its_prose(tmp_path):
    for content in (http_results(), growth_results()):
        (tmp_path / (content['kind'] + '.json')).write_text(json.dumps(content))
    page = tmp_path / 'performance.md'
    readme = tmp_path / 'README.md'
    readme.write_text('Top\n<!-- bench:summary -->\n<!-- end -->\n')
    kept = '<!-- bench:embedded -->\nas it was\n<!-- end -->\n'
    page.write_text('# Before\n\n<!-- bench:missed -->\n<!-- end -->\n<!-- bench:goals -->\nyesterday\n<!-- end -->\nBetween\n<!-- bench:http -->\n<!-- end -->\n<!-- bench:growth -->\n<!-- end -->\n' + kept)
    for _ in range(2):  # the second time changes nothing
        subprocess.run([os.path.join(BENCH, 'report'), '--results', str(tmp_path), '--page', str(page), '--readme', str(readme)], check=True, stdout=subprocess.PIPE)
        text = page.read_text()
        assert text.startswith('# Before\n') and 'Between' in text and 'yesterday' not in text and kept in text
        assert 'busy with other work' not in text
        assert text.count('| put |') == 1 and 'dynalite file (not installed)' in text
        assert '- GetItem p50, 10 M items against 10 k: at most 1.3 x is the goal, 1.50 x was measured: missed by 15 %.' in text
        assert 'dynoxide file, put, 200 B, 64 connections: 7 errors' in text
    assert '| PutItem, on disk before the answer | 20,000 | - | 2,000 | not measured |' in readme.read_text()
    assert '| GetItem, 200 B | 80,000 | 80,000 | 8,000 | not measured |' in readme.read_text()
    pictures = sorted(name for name in os.listdir(tmp_path / 'performance'))
    assert 'throughput.svg' in pictures and 'growth-items.svg' in pictures
    assert re.findall(r'\(performance/(.*?)\)', page.read_text()) and set(re.findall(r'\(performance/(.*?)\)', page.read_text())) == set(pictures)
    for name in pictures:
        ElementTree.fromstring((tmp_path / 'performance' / name).read_text())


def test_figures_of_a_busy_machine_are_called_that(tmp_path):
    (tmp_path / 'http.json').write_text(json.dumps({**http_results(), 'machine': {**HEAD['machine'], 'load_before': 1.5}}))
    page, readme = tmp_path / 'page.md', tmp_path / 'readme.md'
    page.write_text(''.join(f'<!-- bench:{name} -->\n<!-- end -->\n' for name in ('http', 'goals', 'missed')))
    readme.write_text('<!-- bench:summary -->\n<!-- end -->\n')
    subprocess.run([os.path.join(BENCH, 'report'), '--results', str(tmp_path), '--page', str(page), '--readme', str(readme)], check=True,
                   stdout=subprocess.PIPE)
    assert 'busy machine' in (tmp_path / 'page' / 'throughput.svg').read_text()
    for text in (page.read_text(), readme.read_text()):
        assert '**The machine was busy with other work (load 1.5 on 2 cores)' in text


def test_a_page_without_a_place_for_a_table_is_refused(tmp_path):
    (tmp_path / 'http.json').write_text(json.dumps(http_results()))
    page = tmp_path / 'page.md'
    page.write_text('nothing here\n')
    done = subprocess.run([os.path.join(BENCH, 'report'), '--results', str(tmp_path), '--page', str(page), '--readme', ''], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and 'no place for http, goals, missed' in done.stderr
    assert page.read_text() == 'nothing here\n'


def test_bars_are_as_long_as_their_values():
    svg = ElementTree.fromstring(chart.bars('T & <t>', 'note', [('a', [('one', 100), ('two', 50)]), ('b', [('two', None)])], 'per second'))
    space = '{http://www.w3.org/2000/svg}'
    widths = [float(r.get('width')) for r in svg.iter(space + 'rect') if r.get('height') == '12']
    assert widths[0] == pytest.approx(2 * widths[1], rel=0.01) and widths[2] == 1
    texts = [t.text for t in svg.iter(space + 'text')]
    assert 'T & <t>' in texts and 'not measured' in texts and 'per second' in texts


def test_lines_stand_where_their_axes_say():
    svg = ElementTree.fromstring(chart.lines('T', 'n', {'s': [(10, 1), (1000, 3), (100, 2)]}, chart.Axis('items', log=True), chart.Axis('ms')))
    line = next(svg.iter('{http://www.w3.org/2000/svg}polyline')).get('points').split()
    places = [tuple(map(float, point.split(','))) for point in line]
    assert places == sorted(places)  # by x
    assert places[1][0] - places[0][0] == pytest.approx(places[2][0] - places[1][0], abs=0.2)  # equal factors, equal distances
    assert places[0][1] - places[1][1] == pytest.approx(places[1][1] - places[2][1], abs=0.2)


def test_nginx_gives_long_answers_in_pieces():
    body = b'{"a":"' + b"it's \\\\ " * 1000 + b'"}'
    text = nginx.location('get', body)
    pieces = re.findall(r"set \$part\d+ '((?:[^'\\]|\\.)*)';", text)
    assert len(pieces) > 1 and all(len(piece) < 4096 for piece in pieces)
    assert ''.join(re.sub(r'\\(.)', r'\1', piece) for piece in pieces).encode() == body
    with pytest.raises(ValueError):
        nginx.location('get', b'$host')


def test_rounds_take_turns_and_a_failure_ends_only_its_own():
    from process import Failed
    order = []

    def good(number):
        order.append(('good', number))
        return {'throughput': 10 + number, 'errors': 0, 'wrong': 0}

    def bad(number):
        order.append(('bad', number))
        raise Failed('not today')
    rows = in_turn([({'endpoint': 'g'}, good), ({'endpoint': 'b'}, bad)], 3)
    assert order == [('good', 0), ('bad', 0), ('good', 1), ('good', 2)]
    assert rows[0]['throughput'] == 11 and rows[0]['rounds'] == [10, 11, 12]
    assert rows[1] == {'endpoint': 'b', 'failed': 'not today'}

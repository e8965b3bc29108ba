"""test_check.py: `onefold model check` as its users see it: places, exit codes, what it finds beyond the file itself."""
import json
import os
import subprocess

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get('OF_TEST_BIN') or os.path.join(TOP, 'build', 'onefold')

MODEL = '''onefold: 1
table: shop
indexes: { GSI1: { hash: GSI1PK, sort: GSI1SK } }
entities:
  Order:
    key: { PK: "C#${customerId}", SK: "ORDER#${orderId}" }
    index: { GSI1: { GSI1PK: "S#${status}", GSI1SK: "${total:06}" } }
    attributes:
      orderId: { generate: ulid }
      customerId: string
      status: { enum: [open, done] }
      total: { type: number, min: 0 }
patterns:
  ofCustomer: { of: Order, by: [customerId], order: newest }
  byStatus: { of: Order, by: [status], order: descending }
data: data.yaml
'''
DATA = '''Order:
  - { customerId: c1, status: open, total: 5 }
'''


@pytest.fixture
def check(tmp_path):
    def run(model=MODEL, data=DATA, *options):
        (tmp_path / 'onefold.yaml').write_text(model, encoding='utf-8')
        if data is not None:
            (tmp_path / 'data.yaml').write_text(data, encoding='utf-8')
        done = subprocess.run([PROGRAM, 'model', 'check', *(options or ['--json'])], cwd=tmp_path, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60, check=False)
        if options:
            return done
        problems = json.loads(done.stdout)['problems']
        assert (done.returncode != 0) == bool(problems)
        return [(os.path.basename(p['file']), p['line'], p['column'], p['message']) for p in problems]
    return run


def test_a_good_model_has_no_problems(check):
    assert check() == []


def test_newest_needs_a_key_that_goes_by_time(check):
    (file, line, column, message), = check(MODEL.replace('order: descending', 'order: newest'))
    assert (file, line, column) == ('onefold.yaml', 15, 47)
    assert message.startswith('pattern byStatus asks for the newest first')


def test_a_pattern_without_any_plan_is_not_an_error_of_the_file(check):
    assert check(MODEL.replace('by: [status], order: descending', 'by: [total], order: newest')) == []


def test_sample_data_is_checked_at_its_place(check):
    found = check(data=DATA + '  - { customerId: c2, status: lost, total: 5 }\n  - { customerId: c3, status: open, total: -1 }\n')
    assert [(f, n) for f, n, _, _ in found] == [('data.yaml', 3), ('data.yaml', 4)]
    (file, line, _, message), = check(data=DATA.replace('status', 'stats'))
    assert (file, line) == ('data.yaml', 2) and 'stats' in message


def test_data_that_is_not_there_is_an_error_of_the_model(check):
    (file, line, column, message), = check(MODEL.replace('data.yaml', '[data.yaml, more.yaml]'))
    assert (file, line, column) == ('onefold.yaml', 16, 19)
    assert 'more.yaml cannot be read' in message


def test_people_read_file_line_column_what_and_what_to_do(check):
    done = check(MODEL.replace('customerId: string', 'custmerId: string'), DATA, '--model', 'onefold.yaml')
    assert done.returncode == 1
    lines = done.stdout.decode().splitlines()
    assert lines[0] == 'onefold.yaml:6:16: Order has no attribute "customerId"'
    assert lines[1].strip() == 'did you mean "custmerId"?'

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellText, csv, decode, exampleFilter, pick, unknownNames } from '../src/output/table/decode';

const table = decode({
  version: 1,
  rows: 900,
  columns: [
    { name: 'x', number: true, digits: 2, values: [1.5, null, -3, '+Inf', 1.5] },
    { name: 'a name', number: false, values: ['b10', 'b9', '', 'say "hi", you', 'B10'] },
  ],
});

test('cells have the decimals of their column', () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((row) => cellText(table.columns[0]!, row)),
    ['1.50', '', '−3.00', '+Inf'],
  );
  assert.equal(cellText({ ...table.columns[0]!, exponent: true }, 0), '1.50e+0');
});

test('significant digits, notes and whole numbers of 64 bits', () => {
  const t = decode({
    version: 1,
    rows: 3,
    notes: ['read as: separator ";"'],
    columns: [
      { name: 'lr', number: true, digits: 6, significant: true, values: [2000, 0.0001, null] },
      { name: 'seed', number: true, digits: 0, values: ['9007199254740993', '9007199254740992', 5] },
    ],
  });
  assert.deepEqual(t.notes, ['read as: separator ";"']);
  assert.deepEqual(
    [0, 1, 2].map((row) => cellText(t.columns[0]!, row)),
    ['2000', '0.0001', ''],
  );
  assert.equal(cellText(t.columns[1]!, 0), '9007199254740993');
  assert.deepEqual(pick(t, '', { column: 1, down: false }), [2, 1, 0]);
  assert.deepEqual(pick(t, 'seed>6', null), [0, 1]);
});

test('rows are sorted with missing values last, equal ones in their order', () => {
  assert.deepEqual(pick(table, '', { column: 0, down: false }), [2, 0, 4, 3, 1]);
  assert.deepEqual(pick(table, '', { column: 1, down: true }).at(-1), 2);
  assert.deepEqual(pick(table, '', null), [0, 1, 2, 3, 4]);
});

test('filters compare columns and look for words', () => {
  assert.deepEqual(pick(table, 'x>0', null), [0, 3, 4]);
  assert.deepEqual(pick(table, 'b1 x=1.5', null), [0, 4]);
  assert.deepEqual(pick(table, '-3', null), [2]);
  assert.deepEqual(pick(table, '"hi"', null), [3]);
  assert.deepEqual(pick(table, 'y>0', null), []);
  assert.deepEqual(pick(table, '(', null), []);
});

test('a filter tells names that no column has from words', () => {
  assert.deepEqual(unknownNames('y>0 X>1 z=3', table), ['y', 'z']);
  assert.deepEqual(unknownNames('b1 (2) "y>0" x>0', table), []);
});

test('the example of a filter is one that this table answers', () => {
  assert.equal(exampleFilter(table), 'x>-3.00');
  const of = (...columns: unknown[]) => decode({ version: 1, rows: 3, columns });
  const texts = { name: 'arm', number: false, values: ['a b', 'pearl', 'tcl'] };
  assert.equal(
    exampleFilter(of({ name: 'env steps', number: true, digits: 0, values: [1, 2, 3] }, texts)),
    'arm=pearl',
  );
  assert.deepEqual(pick(of(texts), 'arm=pearl', null), [1]);
  assert.equal(exampleFilter(of({ name: 'a b', number: true, values: [1] })), '');
  assert.equal(exampleFilter(of()), '');
});

test('rows as CSV', () => {
  assert.equal(csv(table, [3, 2]), 'x,a name\n+Inf,"say ""hi"", you"\n-3,\n');
});

test('what is no table is refused', () => {
  for (const [wrong, want] of [
    [{ version: 2 }, /expected 1/],
    [{ version: 1 }, /no list of columns/],
    [null, /expected 1/],
    [
      {
        version: 1,
        columns: [
          { name: 'x', values: [1] },
          { name: 'y', values: [] },
        ],
      },
      /Column y of the table has 0 values/,
    ],
  ] as const) {
    assert.throws(() => decode(wrong), want);
  }
});

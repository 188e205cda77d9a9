import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codePoints, unitsOfCodePoints, unitsOfGoPosition } from '../src/model/positions';
import { findAll, replaceAll } from '../src/model/search';
import { KeySequence } from '../src/notebook/keys';
import { places } from '../src/output/places';

const query = (text: string, flags: Partial<{ caseSensitive: boolean; regexp: boolean; word: boolean }> = {}) => ({
  text,
  caseSensitive: false,
  regexp: false,
  word: false,
  ...flags,
});

test('code points and UTF-16 units', () => {
  const text = 'π := "𝛼β"';
  assert.equal(codePoints(text, text.length), [...text].length);
  for (let n = 0; n <= [...text].length; n++) {
    assert.equal(unitsOfCodePoints(text, n), [...text].slice(0, n).join('').length);
    assert.equal(codePoints(text, unitsOfCodePoints(text, n)), n);
  }
});

test("positions as Go's compiler counts them", () => {
  const text = 'a := 1\nπ𝛼 := x\n';
  const bytes = (s: string) => new TextEncoder().encode(s).length;
  assert.equal(unitsOfGoPosition(text, 1, 1), 0);
  assert.equal(unitsOfGoPosition(text, 2, 1), 7);
  assert.equal(unitsOfGoPosition(text, 2, bytes('π𝛼 := ') + 1), text.indexOf('x'));
  assert.equal(unitsOfGoPosition(text, 2, 999), 7 + 'π𝛼 := x'.length);
  assert.equal(unitsOfGoPosition(text, 99, 1), text.length);
});

test('search over cells', () => {
  const cells = ['Foo foo', 'food', 'a.b'];
  assert.equal(findAll(cells, query('foo')).length, 3);
  assert.equal(findAll(cells, query('foo', { caseSensitive: true })).length, 2);
  assert.equal(findAll(cells, query('foo', { word: true })).length, 2);
  assert.deepEqual(findAll(cells, query('.')), [{ cell: 2, from: 1, to: 2 }]);
  assert.deepEqual(findAll(cells, query('(', { regexp: true })), []);
  assert.deepEqual(findAll(cells, query('x*', { regexp: true })), []);
  assert.equal(findAll(['größe größer'], query('größe', { word: true })).length, 1);
});

test('replacing', () => {
  assert.equal(replaceAll('a a a', query('a'), '$1'), '$1 $1 $1');
  assert.equal(replaceAll('f(x, y)', query('f\\((\\w), (\\w)\\)', { regexp: true }), 'f($2, $1)'), 'f(y, x)');
  assert.equal(replaceAll('ab', query('(?<first>a)(b)', { regexp: true }), '$<first>$2$&$$'), 'abab$');
  assert.equal(replaceAll('aXbX', query('(?<=a)X', { regexp: true }), '-'), 'a-bX');
});

test('places in errors', () => {
  const found = (s: string) => places(s).map((p) => [s.slice(p.from, p.to), p.count, p.line, p.column]);
  assert.deepEqual(found('3:7: undefined: foo'), [['3:7', '', 3, 7]]);
  assert.deepEqual(found('cell 4:3:7: undefined'), [['cell 4:3:7', '4', 3, 7]]);
  assert.deepEqual(found('cell[4]:3:7'), [['cell[4]:3:7', '4', 3, 7]]);
  assert.deepEqual(found('near line 12 of this cell'), [['line 12', '', 12, 1]]);
  assert.deepEqual(found('main.go:12:3: x'), []);
  assert.deepEqual(found('at 12:30:15 today'), []);
});

test('two strokes make a pair only in quick succession', () => {
  const keys = new KeySequence();
  assert.deepEqual(keys.candidates('D', 0), ['D']);
  assert.deepEqual(keys.candidates('D', 300), ['D D', 'D']);
  keys.used();
  assert.deepEqual(keys.candidates('D', 400), ['D']);
  assert.deepEqual(keys.candidates('D', 5000), ['D']);
});

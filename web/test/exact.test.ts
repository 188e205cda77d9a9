import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withNumbersOf } from '../src/model/exact';

// JSON.parse is what a page does with a file: it rounds.
const edited = (text: string, edit: (v: never) => void = () => undefined) => {
  const content = JSON.parse(text) as never;
  edit(content);
  return withNumbersOf(text, content);
};
const indented = (text: string) => {
  const places: string[] = [];
  const strings = text.replace(/-?\d[\d.eE+-]*/g, (n) => `"${places.push(n) - 1}"`);
  return `${JSON.stringify(JSON.parse(strings), null, 1).replace(/"(\d+)"/g, (_, i) => places[Number(i)]!)}\n`;
};

test('numbers that JavaScript rounds or spells otherwise stay as the file has them', () => {
  const text =
    '{"metadata":{"seed":12345678901234567891,"small":-9007199254740993,"one":1.0,"e":1e5,"long":0.12345678901234567890123,"plain":7},"cells":[]}';
  assert.notEqual(`${JSON.stringify(JSON.parse(text), null, 1)}\n`, indented(text));
  assert.equal(edited(text), indented(text));
});

test('a number that was changed has its new value', () => {
  const text = '{"metadata":{"seed":12345678901234567891,"other":9007199254740993}}';
  assert.equal(
    edited(text, (v: { metadata: { seed: number } }) => {
      v.metadata.seed = 3;
    }),
    indented('{"metadata":{"seed":3,"other":9007199254740993}}'),
  );
});

test('cells that moved, came and went keep their numbers', () => {
  const cell = (id: string, n: string) => `{"id":"${id}","metadata":{"n":${n}}}`;
  const text = `{"cells":[${cell('a', '9007199254740993')},${cell('b', '9007199254740995')},${cell('c', '1.0')}]}`;
  const out = edited(text, (v: { cells: object[] }) => {
    const [a, b] = v.cells as [object, object];
    v.cells = [b, { id: 'new', metadata: { n: 9007199254740992 } }, a];
  });
  const want = [cell('b', '9007199254740995'), cell('new', '9007199254740992'), cell('a', '9007199254740993')];
  assert.equal(out, indented(`{"cells":[${want}]}`));
});

test('numbers within texts are texts', () => {
  const text = '{"a":"x 12345678901234567891 \\" 1.0","b":["1.0",1.0]}';
  assert.match(edited(text), /"a": "x 12345678901234567891 \\" 1.0"/);
  assert.match(edited(text), /"1.0",\n {2}1\.0/);
});

test('a file that was no JSON has no numbers to keep', () => {
  assert.equal(withNumbersOf('<<<<', { a: 1 }), '{\n "a": 1\n}\n');
  assert.equal(withNumbersOf('', { a: 1 }), '{\n "a": 1\n}\n');
});

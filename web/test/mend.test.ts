import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mends } from '../src/model/mend';

const cell = (source: string) => ({ cell_type: 'markdown', id: source, metadata: {}, source: [source] });
const file = (...sources: string[]) =>
  `${JSON.stringify({ cells: sources.map(cell), metadata: { x: 1 }, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
const utf8 = (text: string) => new TextEncoder().encode(text);
const sourcesOf = (text: string) =>
  (JSON.parse(text) as { cells: { source: string[] }[] }).cells.map((c) => c.source.join(''));

/** A file in which a line was changed on two sides. */
const conflict = (mine: string, theirs: string, base = '') =>
  file('a', 'MARK', 'z').replace(
    '    "MARK"\n',
    `<<<<<<< HEAD\n    "${mine}"\n${base}=======\n    "${theirs}"\n>>>>>>> branch\n`,
  );

for (const [what, text] of [
  ['a conflict', conflict('m', 't')],
  ['with the common ancestor', conflict('m', 't', '||||||| 1234\n    "old"\n')],
  ['in two places', conflict('m', 't').replace('    "z"\n', '    "z"\n<<<<<<< HEAD\n,""\n=======\n>>>>>>> branch\n')],
  ['with Windows line ends', conflict('m', 't').replaceAll('\n', '\r\n')],
  ['padded with zero bytes', conflict('m', 't') + '\0'.repeat(9)],
] as const)
  test(`the sides of ${what}`, () => {
    const [mine, theirs, ...more] = mends(utf8(text));
    assert.deepEqual(more, []);
    assert.match(mine!.wrong, /a merge that did not end/);
    assert.deepEqual([mine!.label, theirs!.label], ['Take HEAD everywhere', 'Take branch everywhere']);
    assert.deepEqual(sourcesOf(mine!.text)[1], 'm');
    assert.deepEqual(sourcesOf(theirs!.text)[1], 't');
  });

test('a side that is no notebook is not offered', () => {
  const broken = conflict('m', 't"');
  assert.deepEqual(
    mends(utf8(broken)).map((m) => m.label),
    ['Take HEAD everywhere'],
  );
});

test('marks within a text are no conflict', () => {
  assert.deepEqual(mends(utf8('<<<<<<< HEAD\nnot closed\n')), []);
  assert.deepEqual(mends(utf8('=======\n')), []);
});

test('a file that was cut anywhere gives its whole cells', () => {
  const whole = file('a', 'b "quoted" } ]', 'c\\');
  const ends = [...whole.matchAll(/^ {2}\}/gm)].map((m) => m.index + 3);
  for (let at = 1; at < ends[2]!; at++) {
    const made = mends(utf8(whole.slice(0, at)));
    const cells = ends.filter((e) => e <= at).length;
    assert.equal(made.length, cells ? 1 : 0, `cut at ${at}`);
    if (cells) assert.deepEqual(sourcesOf(made[0]!.text), ['a', 'b "quoted" } ]', 'c\\'].slice(0, cells));
  }
});

test('zero bytes at the end go', () => {
  const [made] = mends(utf8(file('a') + '\0'.repeat(4096)));
  assert.match(made!.wrong, /4096 zero bytes/);
  assert.equal(made!.text, file('a'));
});

for (const [what, bytes, text] of [
  ['Latin-1', Uint8Array.from(file('caf?'), (c) => (c === '?' ? 0xe9 : c.charCodeAt(0))), 'café'],
  ['UTF-16', new Uint8Array(Uint16Array.from('\ufeff' + file('π'), (c) => c.charCodeAt(0)).buffer), 'π'],
] as const)
  test(`${what} becomes UTF-8`, () => {
    const [made] = mends(bytes);
    assert.equal(made!.label, 'Save it as UTF-8');
    assert.deepEqual(sourcesOf(made!.text), [text]);
  });

test('of what is something else nothing is made', () => {
  for (const text of ['', 'hello', '{"a":1}', '{"cells":[]}}', '[1,2', file('a') + '}'])
    assert.deepEqual(mends(utf8(text)), [], text);
});

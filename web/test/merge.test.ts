import assert from 'node:assert/strict';
import { test } from 'node:test';
import { merge } from '../src/model/merge';
import { type CellJson, type NotebookJson, toFile } from '../src/model/nbformat';
import { Notebook } from '../src/model/notebook';

const cell = (id: string, source = id, more: Partial<CellJson> = {}): CellJson => ({
  id,
  cell_type: 'code',
  source,
  metadata: {},
  outputs: [],
  execution_count: null,
  ...more,
});
const nb = (...cells: (CellJson | string)[]): NotebookJson => ({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: {},
  cells: cells.map((c) => (typeof c === 'string' ? cell(c) : c)),
});
const shown = (n: NotebookJson) => n.cells.map((c) => (c.source === c.id ? c.id : `${c.id}=${c.source}`)).join(' ');
const stream = (text: string) => [{ output_type: 'stream' as const, name: 'stdout' as const, text }];

// For each: base, mine, theirs, what they make together, and which cells clash.
const cases: [string, NotebookJson, NotebookJson, NotebookJson, string, string][] = [
  ['nobody changed anything', nb('a', 'b'), nb('a', 'b'), nb('a', 'b'), 'a b', ''],
  ['they changed a cell', nb('a', 'b'), nb('a', 'b'), nb('a', cell('b', 'x')), 'a b=x', ''],
  ['I changed a cell', nb('a', 'b'), nb(cell('a', 'x'), 'b'), nb('a', 'b'), 'a=x b', ''],
  ['each changed one', nb('a', 'b'), nb(cell('a', 'x'), 'b'), nb('a', cell('b', 'y')), 'a=x b=y', ''],
  ['both changed one alike', nb('a'), nb(cell('a', 'x')), nb(cell('a', 'x')), 'a=x', ''],
  ['both changed one', nb('a', 'b'), nb(cell('a', 'x'), 'b'), nb(cell('a', 'y'), 'b'), 'a=x b', 'a=y'],
  ['both inserted', nb('a', 'b'), nb('a', 'm', 'b'), nb('a', 'b', 't'), 'a m b t', ''],
  ['both inserted in one place', nb('a', 'b'), nb('a', 'm', 'b'), nb('a', 't', 'b'), 'a m t b', ''],
  ['both inserted at the top', nb('a'), nb('m', 'a'), nb('t', 'a'), 'm t a', ''],
  ['they deleted', nb('a', 'b'), nb('a', 'b'), nb('a'), 'a', ''],
  ['I deleted', nb('a', 'b'), nb('a'), nb('a', 'b'), 'a', ''],
  ['they deleted what I changed', nb('a', 'b'), nb('a', cell('b', 'x')), nb('a'), 'a b=x', ''],
  ['I deleted what they changed', nb('a', 'b'), nb('a'), nb('a', cell('b', 'x')), 'a b=x', ''],
  ['they moved', nb('a', 'b', 'c'), nb('a', 'b', cell('c', 'x')), nb('c', 'a', 'b'), 'c=x a b', ''],
  ['I moved', nb('a', 'b', 'c'), nb('c', 'a', 'b'), nb('a', 'b', cell('c', 'x')), 'c=x a b', ''],
  ['their program made new ids', nb('a', 'b'), nb('a', 'b'), nb(cell('n', 'a'), cell('m', 'b')), 'a b', ''],
  [
    'new ids and a change',
    nb('a', 'b'),
    nb('a', cell('b', 'mine')),
    nb(cell('n', 'theirs'), cell('m', 'b')),
    'n=theirs b=mine',
    '',
  ],
  ['they emptied the file', nb('a', 'b'), nb('a', cell('b', 'x')), nb(), 'b=x', ''],
];
for (const [what, base, mine, theirs, want, clashes] of cases)
  test(`merge: ${what}`, () => {
    const made = merge(base, mine, theirs);
    assert.equal(shown(made.notebook), want);
    assert.equal(shown({ ...base, cells: made.clashes }), clashes);
  });

test('outputs, metadata and type are followed apart from the text', () => {
  const base = nb(cell('a', 'a', { metadata: { x: 1 } }), 'b');
  const mine = nb(cell('a', 'mine', { metadata: { x: 1 } }), cell('b', 'b', { outputs: stream('mine') }));
  const theirs = nb(
    cell('a', 'a', { metadata: { x: 2 }, outputs: stream('theirs'), execution_count: 4 }),
    cell('b', 'b', { outputs: stream('theirs'), execution_count: 5 }),
  );
  const { notebook, clashes, taken } = merge(base, mine, theirs);
  const [a, b] = notebook.cells as [CellJson, CellJson];
  assert.deepEqual([a.source, a.metadata.x, a.outputs, a.execution_count], ['mine', 2, stream('theirs'), 4]);
  assert.deepEqual(b.outputs, stream('mine')); // what ran here is newer than what the page has not seen
  assert.deepEqual([clashes, taken], [[], ['a']]);
  assert.equal(merge(base, mine, { ...theirs, metadata: { language: 'x' } }).notebook.metadata.language, 'x');
});

test('a notebook becomes what was merged: cells stay, and one undo takes it back', () => {
  const book = new Notebook(nb('a', 'b'));
  const [a, b] = book.cells;
  const base = structuredClone(book.toJson());
  a!.setSource('mine');
  book.become(merge(base, book.toJson(), nb('new', 'a', cell('b', 'theirs'))).notebook);
  assert.equal(shown(book.toJson()), 'new a=mine b=theirs');
  assert.deepEqual([book.cells[1], book.cells[2]], [a, b]);
  book.undo();
  assert.equal(shown(book.toJson()), 'a=mine b');
});

// Whoever changes what, whatever nobody else has touched is in the result: ten thousand random pairs of edits.
test('no text is lost', () => {
  let seed = 1;
  const random = (n: number) => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return (seed >> 8) % n;
  };
  for (let round = 0; round < 10_000; round++) {
    const base = nb(...Array.from({ length: random(5) }, (_, i) => `c${i}`));
    const edit = (who: string): NotebookJson => {
      const cells = base.cells.map((c) => ({ ...c }));
      for (let k = random(3); k >= 0; k--) {
        const at = random(cells.length + 1);
        const what = random(4);
        if (what === 0) cells.splice(at, 0, cell(`${who}${round}-${k}`));
        else if (what === 1 && cells[at]) cells[at]!.source = `${who}-text-${k}`;
        else if (what === 2 && cells[at]) cells.splice(at, 1);
        else if (what === 3 && cells[at]) cells.push(...cells.splice(at, 1));
      }
      return nb(...cells);
    };
    const [mine, theirs] = [edit('m'), edit('t')];
    const { notebook, clashes } = merge(base, mine, theirs);
    const there = new Set([...notebook.cells, ...clashes].map((c) => c.source));
    const was = new Map(base.cells.map((c) => [c.id, c.source]));
    for (const c of [...mine.cells, ...theirs.cells])
      if (was.get(c.id) !== c.source) assert.ok(there.has(c.source), `${round}: ${c.source} is lost`);
    const ids = notebook.cells.map((c) => c.id);
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(toFile(notebook));
  }
});

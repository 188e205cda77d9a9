import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type DataOutput,
  inLines,
  joined,
  NotebookFormatError,
  parseNotebook,
  splitLines,
  toFile,
} from '../src/model/nbformat';
import { Notebook } from '../src/model/notebook';

const file = {
  cells: [
    {
      cell_type: 'markdown',
      id: 'a',
      metadata: { tags: ['x'] },
      source: ['# Title\n', 'text'],
      attachments: { 'p.png': { 'image/png': 'AAAA' } },
    },
    {
      cell_type: 'code',
      id: 'b',
      metadata: {},
      source: 'x := 1\nx',
      execution_count: 3,
      outputs: [
        { output_type: 'stream', name: 'stdout', text: ['1\n', '2\n'] },
        {
          output_type: 'execute_result',
          execution_count: 3,
          metadata: {},
          data: { 'text/plain': ['1'], 'application/json': ['not', 'lines'] },
        },
        { output_type: 'error', ename: 'Panic', evalue: 'oh', traceback: ['a', 'b'] },
      ],
    },
    { cell_type: 'raw', id: 'c', metadata: {}, source: '' },
  ],
  metadata: { kernelspec: { name: 'nacre' } },
  nbformat: 4,
  nbformat_minor: 5,
};

/** A notebook as its file has it. */
interface FileForm {
  cells: { source: string[]; outputs: { data: Record<string, unknown> }[] }[];
}

test('a file survives reading and writing', () => {
  const written = inLines(toFile(parseNotebook(structuredClone(file)))) as unknown as FileForm;
  assert.deepEqual(written.cells[0], file.cells[0]);
  assert.deepEqual(written.cells[1]!.source, ['x := 1\n', 'x']);
  assert.deepEqual(written.cells[1]!.outputs[0], file.cells[1]!.outputs![0]);
  assert.deepEqual(written.cells[1]!.outputs[1]!.data['application/json'], ['not', 'lines']);
  assert.deepEqual(written.cells[1]!.outputs[2], file.cells[1]!.outputs![2]);
  assert.deepEqual(parseNotebook(written), parseNotebook(file));
});

test('older files get ids, doubled ids are told apart', () => {
  const nb = parseNotebook({
    nbformat: 4,
    nbformat_minor: 2,
    metadata: {},
    cells: [
      { cell_type: 'code', source: '' },
      { cell_type: 'code', id: 'z', source: '' },
      { cell_type: 'code', id: 'z', source: '' },
    ],
  });
  assert.equal(new Set(nb.cells.map((c) => c.id)).size, 3);
  assert.ok(nb.cells.every((c) => /^[a-zA-Z0-9_-]{1,64}$/.test(c.id)));
  assert.equal(nb.nbformat_minor, 2);
});

for (const [name, value, message] of [
  ['no object', [], /not a JSON object/],
  ['format 3', { nbformat: 3, worksheets: [] }, /format 3; expected 4/],
  ['format 5', { nbformat: 5, cells: [] }, /newer program/],
  ['no cells', { nbformat: 4 }, /no list of cells/],
] as [string, unknown, RegExp][]) {
  test(`${name} is refused`, () =>
    assert.throws(
      () => parseNotebook(value),
      (e) => e instanceof NotebookFormatError && message.test(e.message),
    ));
}

/** What the file of a notebook must keep, by what it is an example of. */
const oddities: Record<string, unknown> = {
  'a cell of an unknown type': { cell_type: 'sql', id: 'a', metadata: { x: 1 }, query: 'q', source: 's' },
  'a cell that is null': null,
  'a cell that is a list': ['a', { b: 1 }],
  'a cell that is a text': 'text',
  'a field that is unknown': { cell_type: 'markdown', id: 'a', metadata: {}, source: 's', news: [1] },
  'no metadata': { cell_type: 'markdown', id: 'a', source: 's' },
  'metadata of null': { cell_type: 'raw', id: 'a', metadata: null, source: 's' },
  'a source of null': { cell_type: 'raw', id: 'a', metadata: {}, source: null },
  'no source': { cell_type: 'code', id: 'a', metadata: {}, outputs: [], execution_count: null },
  'a source of odd things': { cell_type: 'raw', id: 'a', metadata: {}, source: ['a', 5] },
  'no outputs': { cell_type: 'code', id: 'a', metadata: {}, source: 's' },
  'a count that is a text': { cell_type: 'code', id: 'a', metadata: {}, source: '', outputs: [], execution_count: '1' },
  'attachments of code': { cell_type: 'code', id: 'a', metadata: {}, source: '', outputs: [], attachments: { a: {} } },
  ...Object.fromEntries(
    [
      null,
      5,
      { output_type: 'hologram', data: { x: [1] } },
      { output_type: 'stream', name: 'log', text: 'a' },
      { output_type: 'stream', name: 'stdout', text: 3 },
      { output_type: 'stream', text: 'a', metadata: { x: 1 } },
      { output_type: 'display_data', data: 'x' },
      { output_type: 'display_data', data: { 'text/plain': ['a', 5] }, metadata: {} },
      { output_type: 'execute_result', data: {}, metadata: {} },
      { output_type: 'error', ename: 'E', evalue: 'v' },
      { output_type: 'error', ename: 'E', evalue: 'v', traceback: [1], more: {} },
    ].map((o) => [
      `an output ${JSON.stringify(o)}`,
      { cell_type: 'code', id: 'a', metadata: {}, source: 's', execution_count: null, outputs: [o] },
    ]),
  ),
};

/** A notebook with its texts joined, as the server does. */
const joinedLines = (v: unknown): unknown =>
  JSON.parse(JSON.stringify(v), (key, x) =>
    (key === 'source' || key === 'text' || key.startsWith('text/')) &&
    Array.isArray(x) &&
    x.every((l) => typeof l === 'string')
      ? x.join('')
      : x,
  );
const through = (v: unknown, edit: (nb: Notebook) => void = () => undefined) => {
  const nb = new Notebook(parseNotebook(structuredClone(v)));
  edit(nb);
  return joinedLines(toFile(structuredClone(nb.toJson())));
};

for (const [what, cell] of Object.entries(oddities)) {
  const odd = { cells: [cell], metadata: { x: 1 }, nbformat: 4, nbformat_minor: 3, news: 1 };
  test(`a page keeps ${what}`, () => {
    assert.deepEqual(through(odd), odd);
    const edited = through(odd, (nb) => nb.cells[0]!.setSource('other')) as { cells: { source: string }[] };
    assert.equal(edited.cells[0]!.source, 'other');
    if (typeof cell === 'object' && cell && !Array.isArray(cell))
      assert.deepEqual(edited.cells[0], { ...cell, source: 'other' });
  });
}

test('what is missing from a notebook stays missing', () => {
  for (const text of ['{"nbformat":4,"cells":[]}', '{"nbformat":4,"cells":[],"metadata":null,"nbformat_minor":"x"}'])
    assert.deepEqual(through(JSON.parse(text)), JSON.parse(text));
});

test('a cell whose type is changed loses what its type does not have', () => {
  const cell = { cell_type: 'code', id: 'a', metadata: {}, source: 's', outputs: [], execution_count: 1, news: 1 };
  const nb = { cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 };
  const changed = through(nb, (n) => n.setType([n.cells[0]!], 'markdown')) as { cells: unknown[] };
  assert.deepEqual(changed.cells[0], { cell_type: 'markdown', id: 'a', metadata: {}, source: 's', news: 1 });
});

test('a page keeps notebooks made up at random', () => {
  for (let seed = 1; seed <= 500; seed++) {
    let state = seed;
    const below = (n: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * n);
    };
    const pick = <T>(...list: T[]): T => list[below(list.length)]!;
    const value = (depth: number): unknown => {
      const kind = below(depth > 0 ? 8 : 5);
      if (kind < 2) return pick('', 'a', 'code', 'a\nb', 'stream', '\ud83d', '__x');
      if (kind === 2) return pick(null, true, false);
      if (kind < 5) return pick(0, 1.5, -3, 2 ** 60);
      if (kind === 5) return Array.from({ length: below(4) }, () => value(depth - 1));
      const m: Record<string, unknown> = {};
      for (let i = below(6); i > 0; i--)
        m[
          pick(
            'cell_type',
            'metadata',
            'source',
            'outputs',
            'execution_count',
            'text',
            'name',
            'data',
            'text/plain',
            'x',
          )
        ] = value(depth - 1);
      return m;
    };
    const cells = Array.from({ length: below(4) }, (_, i) => {
      const v = value(4);
      if (typeof v !== 'object' || !v || Array.isArray(v)) return v;
      return { ...v, id: `c${i}`, ...(below(3) ? { cell_type: pick('code', 'markdown', 'raw') } : {}) };
    });
    const nb = joinedLines({
      cells,
      metadata: pick<unknown>({}, { x: 1 }, null, 5),
      nbformat: 4,
      nbformat_minor: below(9),
    });
    assert.deepEqual(through(nb), nb, `seed ${seed}`);
  }
});

test('display ids of a running kernel stay out of the file', () => {
  const nb = parseNotebook({
    nbformat: 4,
    metadata: {},
    cells: [
      {
        cell_type: 'code',
        source: '',
        outputs: [{ output_type: 'display_data', data: {}, metadata: {}, transient: { display_id: 'd' } }],
      },
    ],
  });
  assert.equal((nb.cells[0]!.outputs![0] as DataOutput).displayId, 'd');
  assert.deepEqual(Object.keys((toFile(nb) as unknown as FileForm).cells[0]!.outputs[0]!).sort(), [
    'data',
    'metadata',
    'output_type',
  ]);
});

test('lines join and split', () => {
  for (const text of ['', 'a', 'a\n', '\n\n', 'a\nb', 'a\r\nb']) assert.equal(joined(splitLines(text)), text);
});

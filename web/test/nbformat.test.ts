import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DataOutput, joined, NotebookFormatError, parseNotebook, splitLines, toFile } from '../src/model/nbformat';

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
  const written = toFile(parseNotebook(structuredClone(file))) as unknown as FileForm;
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
  assert.equal(nb.nbformat_minor, 5);
});

for (const [name, value, message] of [
  ['no object', [], /not a JSON object/],
  ['format 3', { nbformat: 3, worksheets: [] }, /format 3; expected 4/],
  ['format 5', { nbformat: 5, cells: [] }, /newer program/],
  ['no cells', { nbformat: 4 }, /no list of cells/],
  ['a strange cell', { nbformat: 4, cells: [{ cell_type: 'sql' }] }, /Cell 1 has the type "sql"/],
] as [string, unknown, RegExp][]) {
  test(`${name} is refused`, () =>
    assert.throws(
      () => parseNotebook(value),
      (e) => e instanceof NotebookFormatError && message.test(e.message),
    ));
}

test('broken outputs do not stop a notebook from opening', () => {
  const nb = parseNotebook({
    nbformat: 4,
    metadata: {},
    cells: [
      {
        cell_type: 'code',
        source: 7,
        metadata: null,
        outputs: [
          null,
          { output_type: 'future' },
          { output_type: 'stream', text: 3 },
          { output_type: 'display_data', data: 'x' },
        ],
      },
    ],
  });
  assert.equal(nb.cells[0]!.source, '');
  assert.deepEqual(
    nb.cells[0]!.outputs!.map((o) => o.output_type),
    ['stream', 'display_data'],
  );
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

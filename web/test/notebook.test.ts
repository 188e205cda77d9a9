import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsFromJson, cellsToJson } from '../src/model/clipboard';
import { headingLevel, hiddenByFolding, sectionEnd, titleOf } from '../src/model/headings';
import { sameText } from '../src/model/merge';
import { type Cell, Notebook } from '../src/model/notebook';
import type { CellType, StreamOutput } from '../src/model/nbformat';

const make = (...sources: string[]) =>
  new Notebook({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: sources.map((source, i) => ({
      id: `c${i}`,
      cell_type: (source.startsWith('#') ? 'markdown' : 'code') as CellType,
      source,
      metadata: {},
      outputs: [],
      execution_count: null,
    })),
  });
const text = (nb: Notebook) => nb.cells.map((c) => c.source);

test('cells come back in order, however often one goes to and fro', () => {
  const nb = make('a', 'b', 'c', 'd');
  nb.remove([nb.cells[1]!, nb.cells[2]!]);
  nb.insert(0, nb.make('code', 'x'));
  nb.move([nb.cells[0]!], 1);
  assert.deepEqual(text(nb), ['a', 'x', 'd']);
  for (let i = 0; i < 2; i++) {
    while (nb.undo());
    assert.deepEqual(text(nb), ['a', 'b', 'c', 'd']);
    while (nb.redo());
    assert.deepEqual(text(nb), ['a', 'x', 'd']);
  }
});

test('undo never takes typed text away', () => {
  const nb = make('a');
  nb.setType([nb.cells[0]!], 'markdown');
  nb.cells[0]!.setSource('typed afterwards', 'editor');
  nb.undo();
  assert.equal(nb.cells[0]!.type, 'code');
  assert.equal(nb.cells[0]!.source, 'typed afterwards');
});

test('text typed after a merge comes back with redo', () => {
  const nb = make('a', 'b');
  nb.merge(nb.cells.slice());
  assert.deepEqual(text(nb), ['a\nb']);
  nb.cells[0]!.setSource('a\nb!', 'editor');
  nb.undo();
  assert.deepEqual(text(nb), ['a', 'b']);
  nb.redo();
  assert.deepEqual(text(nb), ['a\nb!']);
});

test('a split cell keeps its outputs in the last part', () => {
  const nb = make('one\ntwo\nthree');
  const cell = nb.cells[0]!;
  cell.addOutput({ output_type: 'stream', name: 'stdout', text: 'x' });
  nb.split(cell, [4, 8]);
  assert.deepEqual(text(nb), ['one', 'two', 'three']);
  assert.equal(nb.cells[2], cell);
  assert.equal(cell.outputs.length, 1);
  nb.undo();
  assert.deepEqual(text(nb), ['one\ntwo\nthree']);
});

test('a notebook is never without a cell', () => {
  const nb = make('a');
  nb.remove(nb.cells.slice());
  assert.deepEqual(text(nb), ['']);
});

test('moving stops at the ends', () => {
  const nb = make('a', 'b');
  assert.equal(nb.move([nb.cells[0]!], -1), false);
  assert.equal(nb.move([nb.cells[1]!], 1), false);
});

test('streams of one name run together, others do not', () => {
  const [cell] = make('x').cells as [Cell];
  for (const [name, text] of [
    ['stdout', 'a'],
    ['stdout', 'b'],
    ['stderr', 'c'],
    ['stdout', 'd'],
  ] as const)
    cell.addOutput({ output_type: 'stream', name, text });
  assert.deepEqual(
    cell.outputs.map((o) => (o as StreamOutput).text),
    ['ab', 'c', 'd'],
  );
});

test('clear_output with wait keeps the old until the new is there', () => {
  const [cell] = make('x').cells as [Cell];
  cell.addOutput({ output_type: 'stream', name: 'stdout', text: 'old' });
  cell.clearOutputs(true);
  assert.equal(cell.outputs.length, 1);
  cell.addOutput({ output_type: 'stream', name: 'stdout', text: 'new' });
  assert.deepEqual(cell.outputs, [{ output_type: 'stream', name: 'stdout', text: 'new' }]);
});

test('sections end at the next heading of their level or above', () => {
  const nb = make('# A', 'x', '## B', 'y', '### C', 'z', '## D', '# E', 'w');
  assert.equal(sectionEnd(nb.cells, 0), 7);
  assert.equal(sectionEnd(nb.cells, 2), 6);
  nb.cells[2]!.metadata.heading_collapsed = true;
  assert.deepEqual(hiddenByFolding(nb.cells).map(Number), [0, 0, 0, 1, 1, 1, 0, 0, 0]);
});

test('a number sign in a code fence is no heading', () => {
  assert.equal(headingLevel({ type: 'markdown', source: '```\n# no\n```\ntext' }), 0);
  assert.equal(headingLevel({ type: 'markdown', source: 'text\n\n## yes' }), 2);
  assert.equal(headingLevel({ type: 'code', source: '# no' }), 0);
  assert.equal(headingLevel({ type: 'markdown', source: '#no' }), 0);
});

test('copied cells get new ids; other text on the clipboard is no cell', () => {
  const json = make('a', '# b').cells.map((c) => c.toJson());
  const back = cellsFromJson(cellsToJson(json))!;
  assert.deepEqual(
    back.map((c) => c.source),
    ['a', '# b'],
  );
  assert.ok(back.every((c) => !json.some((j) => j.id === c.id)));
  for (const other of ['', 'x := 1', '{"type":"else"}', '[1]', 'null']) assert.equal(cellsFromJson(other), null);
});

test('outputs do not count as a change of text', () => {
  const nb = make('a', 'b');
  const before = structuredClone(nb.toJson());
  nb.cells[0]!.addOutput({ output_type: 'stream', name: 'stdout', text: 'x' });
  assert.ok(sameText(before, nb.toJson()));
  nb.cells[0]!.setSource('A');
  assert.ok(!sameText(before, nb.toJson()));
});

test('cells go before any other, and back with one undo', () => {
  const nb = make('a', 'b', 'c', 'd');
  nb.moveTo(nb.cells.slice(1, 3), 4);
  assert.deepEqual(text(nb), ['a', 'd', 'b', 'c']);
  nb.moveTo([nb.cells[3]!], 0);
  assert.deepEqual(text(nb), ['c', 'a', 'd', 'b']);
  nb.moveTo(nb.cells.slice(1, 3), 2);
  assert.deepEqual(text(nb), ['c', 'a', 'd', 'b']);
  nb.undo();
  nb.undo();
  assert.deepEqual(text(nb), ['a', 'b', 'c', 'd']);
});

test('the outline names a cell by its heading or its first line that says something', () => {
  const title = (type: CellType, source: string) => titleOf({ type, source });
  assert.equal(title('markdown', 'text\n\n## *Two* [links](a.html)\n'), 'Two links');
  assert.equal(title('markdown', 'only text'), 'only text');
  assert.equal(title('code', 'import (\n\t"fmt"\n)\n\n// Train it.\nx := 1'), 'Train it.');
  assert.equal(title('code', 'import "fmt"\nfmt.Println()'), 'fmt.Println()');
  assert.equal(title('code', 'import "fmt"'), 'import "fmt"');
  assert.equal(title('code', ''), 'empty');
});

test('a change of several cells is the next to be undone in each of them, until one is edited further', () => {
  const nb = make('a', 'b', 'c');
  const [a, b, c] = nb.cells as [Cell, Cell, Cell];
  nb.transact([a, b], () => {
    a.setSource('A');
    b.setSource('B');
  });
  assert.deepEqual([nb.lastStepIn(a, 'undo'), nb.lastStepIn(b, 'undo'), nb.lastStepIn(c, 'undo')], [true, true, false]);
  a.setSource('AA', 'editor');
  assert.equal(nb.lastStepIn(a, 'undo'), false);
  a.setSource('A', 'editor');
  assert.ok(nb.lastStepIn(a, 'undo') && nb.undo());
  assert.deepEqual(text(nb), ['a', 'b', 'c']);
  assert.equal(nb.lastStepIn(a, 'undo'), false);
  assert.ok(nb.lastStepIn(b, 'redo') && nb.redo());
  assert.deepEqual(text(nb), ['A', 'B', 'c']);
});

test('a file without cells stays one until something is written', () => {
  const nb = make();
  assert.deepEqual(text(nb), ['']);
  assert.deepEqual(nb.toJson().cells, []);
  let edits = 0;
  nb.edited.on(() => edits++);
  nb.cells[0]!.setSource('x');
  assert.equal(edits, 1);
  assert.equal(nb.toJson().cells.length, 1);
  nb.cells[0]!.setSource('');
  assert.deepEqual(nb.toJson().cells, []);
  nb.insert(1, nb.make('code'));
  assert.equal(nb.toJson().cells.length, 2);
  assert.equal(make('').toJson().cells.length, 1);
});

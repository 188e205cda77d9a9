import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Brush, Brushing, brushOf } from '../src/output/brush';
import { controlsOf, decimals, moved } from '../src/output/control/decode';
import { fields } from '../src/model/json';
import type { Output } from '../src/model/nbformat';
import { Cell } from '../src/model/notebook';

const mime = 'application/vnd.nacre.control+json';
const slider = {
  version: 1,
  id: 'control cell-7/target/speed',
  kind: 'slider',
  label: 'target/speed',
  value: 1,
  initial: 0.5,
  low: 0,
  high: 2,
  step: 0.05,
};

test('a kernel gets the controls of a cell by what follows the cell in their id', () => {
  const outputs = [
    { output_type: 'display_data' as const, metadata: {}, data: { [mime]: slider } },
    { output_type: 'stream' as const, name: 'stdout' as const, text: 'x' },
  ];
  assert.deepEqual(controlsOf(outputs), { 'target/speed': { kind: 'slider', initial: 0.5, value: 1 } });
  assert.deepEqual(
    controlsOf([
      { ...outputs[0]!, data: { [mime]: { id: 7 } } } as Output,
      { ...outputs[0]!, data: { [mime]: null } } as Output,
    ]),
    {},
  );
});

test('a control that no kernel has changes in all its forms, or not at all', () => {
  const data = moved({ [mime]: slider, 'text/plain': 'old', 'text/html': 'old' }, 1.5)!;
  assert.equal(fields(data[mime]).value, 1.5);
  assert.equal(data['text/plain'], 'target/speed: 1.5');
  assert.equal(moved({ [mime]: slider }, '<b>'), null);
  assert.equal(moved({ [mime]: { ...slider, kind: 'button' } }, 1), null);
});

test('a slider has the decimals of its start and step', () => {
  assert.deepEqual(
    [decimals(0, 1), decimals(0, 0.05), decimals(0.125, 1), decimals(-1e6, 0.1), decimals(0, 1 / 3)],
    [0, 2, 3, 1, 8],
  );
});

test('views of one link share a selection, and none hears itself', () => {
  const heard: string[] = [];
  const [a, b, alone] = ['a', 'b', 'alone'].map((name) => new Brushing(() => heard.push(name))) as [
    Brushing,
    Brushing,
    Brushing,
  ];
  a.join('run');
  b.join('run');
  alone.join('');
  a.select(['x']);
  assert.deepEqual([heard, [...b.selected!], alone.selected], [['b'], ['x'], null]);
  a.select(['x']); // the same again is no change
  b.select(null);
  assert.deepEqual([heard, a.selected], [['b', 'a'], null]);
  a.select([]); // nothing is none
  assert.equal(brushOf('run').selected, null);
  b.leave();
  a.select(['y']);
  assert.deepEqual(heard, ['b', 'a']);
  const brush = new Brush();
  alone.join(brush);
  alone.join(''); // one that was given stays
  brush.select(['z'], {});
  assert.deepEqual([heard.at(-1), alone.has('z'), alone.has('y')], ['alone', true, false]);
});

test('the tag of a reactive cell stands beside others', () => {
  const cell = new Cell({ id: 'a', cell_type: 'code', source: '', metadata: { tags: ['parameters'] } });
  cell.setReactive(true);
  assert.deepEqual([cell.metadata.tags, cell.reactive], [['parameters', 'reactive'], true]);
  cell.setReactive(false);
  assert.deepEqual([cell.metadata.tags, cell.reactive], [['parameters'], false]);
  cell.metadata.tags = '%';
  cell.setReactive(false);
  assert.equal(cell.metadata.tags, undefined);
});

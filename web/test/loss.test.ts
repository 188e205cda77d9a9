import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cell } from '../src/model/notebook';
import { type Loss, numbers, progressOf, sentences } from '../src/notebook/loss';

const cell = (count: number | null, outputs: object[] = []) =>
  new Cell({
    id: `c${count}`,
    cell_type: 'code',
    source: 'x',
    metadata: {},
    execution_count: count,
    outputs: outputs as never,
  });
const progress = (share: unknown) => ({
  output_type: 'display_data',
  data: { 'text/plain': 'update 61 of 100' },
  metadata: { nacre: { share } },
});

test('cells by their numbers', () => {
  const of = (...counts: (number | null)[]) => numbers(counts.map((c) => cell(c)));
  assert.equal(of(), '');
  assert.equal(of(4), '4');
  assert.equal(of(2, 1), '1, 2');
  assert.equal(of(7, 1, 2, 3, 5, null), '1–3, 5, 7');
});

test('the share of a training is that of the last output that has one', () => {
  assert.equal(progressOf([]), null);
  assert.equal(progressOf([progress(0.2), progress(0.61), { output_type: 'stream' }] as never)?.share, 0.61);
  assert.equal(progressOf([progress('half'), progress(7)] as never), null);
  const of = (nacre: object) => progressOf([{ output_type: 'display_data', data: {}, metadata: { nacre } }] as never);
  assert.deepEqual(of({ share: 0.5, left: 61, uses: '1.9 of 2 cores', paused: true }), {
    share: 0.5,
    left: 61,
    uses: '1.9 of 2 cores',
    paused: true,
  });
  assert.deepEqual(of({ share: 0.5, left: '61', uses: 3, paused: 1 }), {
    share: 0.5,
    left: 0,
    uses: '',
    paused: false,
  });
});

test('what the page says', () => {
  const loss = (l: Partial<Loss>): string =>
    sentences({ why: 'signal: killed', server: false, ended: null, ran: [], waited: [], ...l });
  assert.equal(
    loss({ server: true, ended: cell(4, [progress(0.619)]), ran: [cell(1), cell(2), cell(3)], waited: [cell(5)] }),
    'The server was started again; the kernel ended with it while cell 4 ran. Its training was at 61 % and goes on ' +
      'from its last checkpoint when the cell runs again. What cells 1–3 defined is gone. 1 cell that waited did not ' +
      'run. Text and outputs are safe.',
  );
  assert.equal(
    loss({ ended: cell(2), ran: [cell(1)] }),
    'The kernel ended while cell 2 ran: signal: killed. What cell 1 defined is gone. Text and outputs are safe.',
  );
});

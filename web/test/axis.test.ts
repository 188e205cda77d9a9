import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axis } from '../src/output/chart/axis';
import { format } from '../src/output/format';

test('numbers of figures have one minus', () => {
  for (const [v, want] of [
    [-1.5, '−1.5'],
    [-0.00002, '−2.0e−5'],
    [-12000, '−12k'],
    [-2500000, '−2.5M'],
    [0.0005, '5.0e−4'],
    [-0, '0'],
    [null, '–'],
  ] as const)
    assert.equal(format(v), want);
});

test('an axis of a single value has it inside, between different ticks', () => {
  for (const lo of [0, 0.3, 1, -3.5, -0.004, 2e-9, 12000, 1234567]) {
    for (const hi of [lo, lo + Math.abs(lo) * Number.EPSILON]) {
      for (const log of lo > 0 ? [false, true] : [false]) {
        const a = axis({ label: '', log, categories: [] }, [lo, hi], 5, false);
        const share = a.share(lo),
          texts = new Set(a.ticks.map((t) => t.text));
        assert.ok(share > 0.2 && share < 0.8, `${lo} lies at ${share}`);
        assert.ok(texts.size > 1 && texts.size === a.ticks.length, `ticks around ${lo}: ${[...texts].join(' ')}`);
      }
    }
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deliveries } from '../src/protocol/deliveries';

test('messages are taken once, in order, from wherever the page begins', () => {
  const d = new Deliveries();
  assert.equal(d.after, 0);
  assert.deepEqual(
    [7, 8, 8, 0, 9, 7].map((n) => d.take(n)),
    ['next', 'next', 'seen', 'next', 'next', 'seen'],
  );
  assert.equal(d.after, 9);
});

test('a gap is noticed, asked for once, and filled', () => {
  const d = new Deliveries();
  d.take(1);
  assert.equal(d.take(3), 'gap');
  assert.equal(d.ask(), true);
  assert.equal(d.take(4), 'gap');
  assert.equal(d.ask(), false);
  assert.equal(d.after, 1);
  assert.deepEqual(
    [2, 3, 4, 5].map((n) => d.take(n)),
    ['next', 'next', 'next', 'next'],
  );
  assert.equal(d.take(9), 'gap');
  assert.equal(d.ask(), true);
});

test('a connection that broke off while it was asked asks again', () => {
  const d = new Deliveries();
  d.take(1);
  d.take(3);
  assert.equal(d.ask(), true);
  d.connecting();
  assert.equal(d.take(4), 'gap');
  assert.equal(d.ask(), true);
});

test('what the server keeps no more is in the document', () => {
  const d = new Deliveries();
  d.take(1);
  assert.equal(d.take(500), 'gap');
  d.skip(600);
  assert.deepEqual(
    [500, 600, 601].map((n) => d.take(n)),
    ['seen', 'seen', 'next'],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Info } from '../src/embeddings/api';
import { union } from '../src/embeddings/colouring';
import { blur, contour } from '../src/embeddings/contours';
import { decodeTile, needed, Tiles } from '../src/embeddings/tiles';
import { readState, writeState } from '../src/embeddings/view';

test('a tile is read as it is written', () => {
  const b = new ArrayBuffer(4 + 4 * 2 * 4),
    v = new DataView(b);
  v.setUint32(0, 2, true);
  [7, 9].forEach((row, i) => v.setUint32(4 + 4 * i, row, true));
  [1.5, -2, 0.25, 8, 3, 4].forEach((x, i) => v.setFloat32(12 + 4 * i, x, true));
  const t = decodeTile(b, 1);
  assert.deepEqual([...t.rows, ...t.x, ...t.y, ...t.columns[0]!], [7, 9, 1.5, -2, 0.25, 8, 3, 4]);
  assert.throws(() => decodeTile(b, 2), /36 bytes; expected 44/);
  assert.throws(() => decodeTile(new ArrayBuffer(2), 0), /2 bytes/);
});

const info: Info = {
  name: '',
  points: 9,
  square: [0, 0, 8],
  columns: [],
  vectors: false,
  tiles: [
    [0, 0, 0, 4],
    [1, 0, 0, 2],
    [1, 1, 1, 2],
    [2, 3, 3, 1],
  ],
};

test('a view needs the tiles that it touches, down to a size', () => {
  assert.deepEqual(needed(info, { x0: 0, y0: 0, x1: 8, y1: 8 }, 30, 300), ['0/0/0']);
  assert.deepEqual(needed(info, { x0: 0, y0: 0, x1: 8, y1: 8 }, 60, 300), ['0/0/0', '1/0/0', '1/1/1']);
  assert.deepEqual(needed(info, { x0: 5, y0: 5, x1: 8, y1: 8 }, 900, 300), ['0/0/0', '1/1/1', '2/3/3']);
});

test('tiles are fetched once, a few at a time, and failures end it', async () => {
  let asked = 0,
    came = 0,
    problem = '';
  const tiles = new Tiles(
    0,
    async (z) => {
      asked++;
      if (z > 8) throw new Error('gone');
      return new ArrayBuffer(4);
    },
    () => {
      came++;
    },
    (e) => {
      problem = e.message;
    },
  );
  const keys = Array.from({ length: 9 }, (_, z) => `${z}/0/0`);
  assert.equal(tiles.have(keys).length, 0);
  assert.equal(asked, 6);
  tiles.have(keys);
  assert.equal(asked, 6);
  await new Promise((r) => setTimeout(r, 5));
  assert.equal(came, 6);
  assert.equal(tiles.have(keys).length, 6);
  await new Promise((r) => setTimeout(r, 5));
  assert.equal(tiles.have([...keys, '9/0/0']).length, 9);
  assert.equal(tiles.waiting, 1);
  await new Promise((r) => setTimeout(r, 5));
  assert.equal(problem, 'gone');
});

test('the contour of a cone is a circle', () => {
  const size = 41,
    field = Float32Array.from(
      { length: size * size },
      (_, k) => 20 - Math.hypot((k % size) - 20, Math.floor(k / size) - 20),
    );
  const pieces = contour(field, size, 10);
  assert.ok(pieces.length > 100);
  let length = 0;
  for (let i = 0; i < pieces.length; i += 4) {
    assert.ok(Math.abs(Math.hypot(pieces[i]! - 20.5, pieces[i + 1]! - 20.5) - 10) < 0.05);
    length += Math.hypot(pieces[i]! - pieces[i + 2]!, pieces[i + 1]! - pieces[i + 3]!);
  }
  assert.ok(Math.abs(length - 20 * Math.PI) < 0.3, `a circle of ${length}`);
});

test('smoothing keeps the sum and spreads evenly', () => {
  const counts = new Uint32Array(31 * 31);
  counts[15 * 31 + 15] = 1000;
  const b = blur(counts, 31, 2);
  assert.ok(Math.abs(b.reduce((x, y) => x + y, 0) - 1000) < 0.01);
  assert.ok(Math.abs(b[15 * 31 + 17]! / b[15 * 31 + 15]! - Math.exp(-0.5)) < 1e-5);
  assert.equal(b[13 * 31 + 15], b[15 * 31 + 17]);
});

test('a colour means the same in every layout', () => {
  assert.deepEqual(
    union([
      { name: 'c', names: ['a', 'b'], count: [1, 2], lo: 0, hi: 0 },
      { name: 'c', names: ['b', 'd'], count: [3, 4], lo: 0, hi: 0 },
    ]),
    { name: 'c', names: ['a', 'b', 'd'], count: [1, 5, 4], lo: 0, hi: 0 },
  );
  assert.deepEqual(
    union([
      { name: 'c', lo: -1, hi: 2 },
      { name: 'c', lo: 0, hi: 5 },
    ]),
    { name: 'c', lo: -1, hi: 5 },
  );
  assert.equal(union([]), undefined);
});

test('a link shows the same again', () => {
  const state = {
    open: ['a b/c', 'd#PEARL, seed 1'],
    colour: 'label',
    hidden: ['x=1'],
    link: '',
    contours: true,
    of: 1,
    query: {
      polygon: [
        [0.5, 1],
        [2, 3],
        [4, 5],
      ] as [number, number][],
    },
    places: [[1, 2, 3] as [number, number, number], null],
  };
  assert.deepEqual(readState(writeState(state)), state);
  assert.equal(readState('?select={').query, null);
  assert.deepEqual(readState('?at=1,2&at=1,2,0').places, [null, null]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeEmbedding } from '../src/output/embedding/decode';
import { PointGrid, PointPainter, shuffledOrder } from '../src/output/embedding/paint';
import { taskColours } from '../src/output/embedding/palette';
import { figures } from '../src/output/embedding/stats';
import { align } from '../src/output/curves/align';

const base64 = (v: ArrayBufferView) => Buffer.from(v.buffer, v.byteOffset, v.byteLength).toString('base64');
// The example of docs/kernel.md.
const example = {
  version: 1,
  title: 'TCL-PEARL',
  n: 3,
  encoding: 'float32',
  points: 'AAAAAAAAgD8AAABAAABAQAAAgEAAAKBA',
  scale: null,
  labels: [0, 0, 1],
  label_names: ['task 0', 'task 1'],
  hover: ['a', 'b', 'c'],
  vectors: null,
};

test('the documented example', () => {
  const e = decodeEmbedding(example);
  assert.deepEqual([...e.x], [0, 2, 4]);
  assert.deepEqual([...e.y], [1, 3, 5]);
  assert.deepEqual([...e.task], [0, 0, 1]);
  assert.deepEqual(e.hover, ['a', 'b', 'c']);
});

test('quantised points lie in their range', () => {
  const e = decodeEmbedding({
    version: 1,
    n: 2,
    encoding: 'uint16',
    points: base64(Uint16Array.of(0, 65535, 65535, 0)),
    scale: { x: [-1, 3], y: [10, 20] },
    labels: null,
  });
  assert.deepEqual([...e.x], [-1, 3]);
  assert.deepEqual([...e.y], [20, 10]);
});

for (const [what, change, message] of [
  ['version', { version: 2 }, /version 2; expected 1/],
  ['length', { n: 4 }, /24 bytes; expected 32/],
  ['encoding', { encoding: 'bfloat' }, /"bfloat"; expected/],
  ['labels', { labels: [0] }, /3 points and 1 labels/],
  ['not finite', { n: 1, labels: null, points: base64(Float32Array.of(1, NaN)) }, /point 0 is \(1, NaN\)/],
] as [string, object, RegExp][]) {
  test(`a wrong ${what} is named`, () => assert.throws(() => decodeEmbedding({ ...example, ...change }), message));
}

test('centroid figures of a square', () => {
  // Two tasks, centroids (0, 0) and (10, 0); every point one away from its own.
  const rows = [1, 0, -1, 0, 11, 0, 9, 0],
    task = [0, 0, 1, 1];
  const all = figures(rows, 2, task, 3, Uint8Array.of(1, 1, 1, 1));
  assert.deepEqual([all.within, all.between, all.ratio], [1, 10, 10]);
  assert.equal(all.tasks.length, 2);
  const some = figures(rows, 2, task, 3, Uint8Array.of(1, 0, 1, 1));
  assert.deepEqual(
    some.tasks.map((t) => [...t.centroid]),
    [
      [1, 0],
      [10, 0],
    ],
  );
  assert.equal(some.within, 2 / 3);
  const one = figures(rows, 2, task, 3, Uint8Array.of(1, 1, 0, 0));
  assert.ok(Number.isNaN(one.between) && Number.isNaN(one.ratio));
  assert.ok(Number.isNaN(figures(rows, 2, task, 3, new Uint8Array(4)).within));
});

test('figures among vectors of more dimensions', () => {
  const f = figures([0, 0, 0, 0, 3, 4], 3, [0, 1], 2, Uint8Array.of(1, 1));
  assert.deepEqual([f.within, f.between], [0, 5]);
});

test('the grid finds what a search over all points finds', () => {
  let state = 7;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const x = Float32Array.from({ length: 5000 }, random),
    y = Float32Array.from({ length: 5000 }, () => random() * 3);
  const grid = new PointGrid(x, y);
  for (let k = 0; k < 300; k++) {
    const px = random() * 1.2 - 0.1,
      py = random() * 3.2 - 0.1;
    let best = -1,
      at = 0.05 ** 2;
    for (let i = 0; i < x.length; i++) {
      const d = (x[i]! - px) ** 2 + (y[i]! - py) ** 2;
      if (d <= at) {
        best = i;
        at = d;
      }
    }
    assert.equal(grid.nearest(px, py, 0.05), best);
  }
  assert.equal(new PointGrid(Float32Array.of(2), Float32Array.of(2)).nearest(2, 2, 1), 0);
  assert.equal(new PointGrid(new Float32Array(0), new Float32Array(0)).nearest(0, 0, 1), -1);
});

test('the order of drawing holds every point once', () => {
  assert.deepEqual(
    [...shuffledOrder(1000)].sort((a, b) => a - b),
    Array.from({ length: 1000 }, (_, i) => i),
  );
  assert.deepEqual(shuffledOrder(10), shuffledOrder(10));
});

test('numbers get a scale, words get colours, and thirty tasks differ', () => {
  const names = Array.from({ length: 30 }, (_, i) => `velocity ${i / 10}`);
  const e = decodeEmbedding({ ...example, label_names: names });
  assert.equal(e.tasks[7]!.value, 0.7);
  const words = decodeEmbedding({ ...example, label_names: ['push', 'reach-2'] });
  assert.deepEqual(
    words.tasks.map((t) => t.value),
    [null, null],
  );
  for (const dark of [false, true]) {
    const colours = taskColours(new Array(30).fill(null), dark).map(String);
    assert.equal(new Set(colours).size, 30);
  }
});

test('curves over different steps share one axis', () => {
  assert.deepEqual(
    align([
      { name: 'a', x: [0, 2], y: [1, null] },
      { name: 'b', x: [1, 2], y: [5, 6], low: [4, 5], high: [6, 7] },
    ]),
    [
      [0, 1, 2],
      [1, null, null],
      [null, 5, 6],
      [null, 4, 5],
      [null, 6, 7],
    ],
  );
});

test('a scene that is panned is the scene painted at the other place', () => {
  const n = 400;
  let state = 3;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const scene = {
    x: Float32Array.from({ length: n }, () => Math.floor(160 * random()) - 30),
    y: Float32Array.from({ length: n }, () => Math.floor(130 * random()) - 100),
    group: Uint16Array.from({ length: n }, (_, i) => i % 3),
    order: shuffledOrder(n),
    colours: [
      [200, 10, 10],
      [10, 200, 10],
      [10, 10, 200],
    ] as [number, number, number][],
    paper: [250, 251, 252] as [number, number, number],
    radius: 1.7,
    alpha: 0.7,
    level: new Uint8Array(n).fill(2),
  };
  // What putImageData writes: the part of the image that falls on the canvas, here all of it.
  const canvas = () => {
    const context = {
      canvas: { width: 100, height: 80 },
      shown: new Uint32Array(0),
      createImageData: (width: number, height: number) => ({
        width,
        height,
        data: new Uint8ClampedArray(4 * width * height),
      }),
      putImageData(
        image: { width: number; data: Uint8ClampedArray },
        left: number,
        top: number,
        dirtyX: number,
        dirtyY: number,
        width: number,
        height: number,
      ) {
        assert.deepEqual([left + dirtyX, top + dirtyY, width, height], [0, 0, 100, 80]);
        const pixels = new Uint32Array(image.data.buffer);
        this.shown = Uint32Array.from(
          { length: 8000 },
          (_, k) => pixels[(dirtyY + Math.floor(k / 100)) * image.width + dirtyX + (k % 100)]!,
        );
      },
    };
    return context;
  };
  const moved = canvas(),
    painter = new PointPainter();
  for (const [dx, dy] of [
    [0, 0],
    [13, -9],
    [25, 20],
    [-25, -20],
    [60, 3],
  ] as [number, number][]) {
    painter.paint(moved as never, scene, { scale: 1, dx, dy });
    const fresh = canvas();
    new PointPainter().paint(fresh as never, scene, { scale: 1, dx, dy });
    assert.deepEqual(moved.shown, fresh.shown, `at ${dx}, ${dy}`);
  }
  scene.x.fill(50);
  painter.forget();
  const before = moved.shown;
  painter.paint(moved as never, scene, { scale: 1, dx: 60, dy: 3 });
  assert.notDeepEqual(moved.shown, before);
});

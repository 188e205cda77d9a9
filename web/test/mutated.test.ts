import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode as decodeChart } from '../src/output/chart/decode';
import { decode as decodeControl } from '../src/output/control/decode';
import { decodeEmbedding } from '../src/output/embedding/decode';
import { decodeRollout } from '../src/output/rollout/decode';
import { decode as decodeScrubber } from '../src/output/scrubber/decode';
import { decode as decodeTable, pick } from '../src/output/table/decode';
import { fields } from '../src/model/json';
import { parseNotebook } from '../src/model/nbformat';

const base64 = (array: ArrayBufferView) => Buffer.from(array.buffer).toString('base64');

const samples: [string, (v: unknown) => unknown, object][] = [
  [
    'embedding',
    decodeEmbedding,
    {
      version: 1,
      n: 2,
      encoding: 'float32',
      points: base64(Float32Array.of(0, 1, 2, 3)),
      labels: [0, 1],
      label_names: ['a 1', 'b 2'],
      hover: ['x', 'y'],
      title: 't',
      vectors: { dim: 1, data: base64(Float32Array.of(5, 6)) },
    },
  ],
  [
    'small embedding',
    decodeEmbedding,
    { version: 1, n: 1, encoding: 'uint16', points: base64(Uint16Array.of(1, 2)), scale: { x: [0, 1], y: [0, 1] } },
  ],
  [
    'rollout',
    decodeRollout,
    {
      format: 'nacre-rollout',
      version: 1,
      title: 't',
      meshes: [
        {
          name: 'm',
          count: 3,
          low: [0, 0, 0],
          step: [1, 1, 1],
          vertices: base64(Uint16Array.of(0, 0, 7, 2, 0, 7, 0, 4, 7)),
          faces: base64(Uint16Array.of(0, 1, 2)),
        },
      ],
      episodes: [
        {
          name: 'e',
          label: 'l',
          interval: 0.05,
          frames: 1,
          grid: 1,
          moving: [0],
          poses: base64(Float32Array.of(0, 0, 0, 1, 0, 0, 0)),
          view: { target: [0, 0, 1], distance: 4, azimuth: 0, elevation: 0, angle: 30, follow: 0 },
          solids: [{ name: 'm', kind: 'mesh', size: [0, 0, 0], color: [1, 1, 1, 1], pose: [0, 0, 0, 1, 0, 0, 0] }],
        },
      ],
    },
  ],
  [
    'chart',
    decodeChart,
    {
      version: 1,
      title: 't',
      x: { label: 'x' },
      y: { label: 'y' },
      names: ['a'],
      panels: [{ title: 'p', marks: [{ kind: 'line', series: 0, x: [0, 1], y: [1, 2] }], references: [] }],
    },
  ],
  [
    'slider',
    decodeControl,
    { version: 1, id: 'control a/b', kind: 'slider', label: 'b', value: 1, initial: 1, low: 0, high: 2, step: 0.1 },
  ],
  [
    'choice',
    decodeControl,
    { version: 1, id: 'control a/b', kind: 'select', label: 'b', value: 1, initial: 0, options: ['x', 'y'] },
  ],
  [
    'scrubber',
    decodeScrubber,
    { version: 1, title: 't', curves: null, checkpoints: [{ name: 'a', at: 0, embedding: {}, rollout: null }] },
  ],
  [
    'table',
    (v) => {
      const t = decodeTable(v);
      return pick(t, '', { column: 0, down: true });
    },
    {
      version: 1,
      rows: 2,
      columns: [
        { name: 'a', number: true, values: [1, 2], digits: 1 },
        { name: 'b', values: ['x', 'y'] },
      ],
    },
  ],
  [
    'notebook',
    parseNotebook,
    {
      nbformat: 4,
      nbformat_minor: 5,
      metadata: {},
      cells: [
        {
          id: 'a',
          cell_type: 'code',
          metadata: {},
          source: ['x'],
          outputs: [{ output_type: 'stream', name: 'stdout', text: ['a'] }],
        },
      ],
    },
  ],
];

const strange = [
  null,
  undefined,
  -1,
  0,
  0.5,
  1e9,
  2 ** 53,
  NaN,
  Infinity,
  '',
  '%',
  'AAAA',
  '\ud800',
  [],
  [null],
  {},
  { length: 1e9 },
  true,
  Array.from({ length: 50 }, () => '['),
];

/** The places of a value: paths of keys. */
function places(v: unknown, path: string[] = []): string[][] {
  return Object.entries(fields(v)).flatMap(([k, part]) => [[...path, k], ...places(part, [...path, k])]);
}

function mutated(sample: object, path: string[], value: unknown): object {
  const copy = structuredClone(sample);
  let at = fields(copy);
  for (const key of path.slice(0, -1)) at = fields(at[key]);
  if (value === undefined) delete at[path.at(-1)!];
  else at[path.at(-1)!] = value;
  return copy;
}

/** A sequence that looks random and is the same every time. */
function numbers(seed: number): (n: number) => number {
  return (n) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * n);
  };
}

test('what outputs and files may hold costs an error, and neither time nor memory', () => {
  const draw = numbers(1);
  for (const [name, decode, sample] of samples) {
    assert.ok(decode(structuredClone(sample)), name);
    const all = places(sample);
    const attempt = (v: unknown, what: string) => {
      const began = process.cpuUsage(),
        before = process.memoryUsage();
      try {
        decode(v);
      } catch (e) {
        assert.ok(
          e instanceof Error && !/Invalid (typed )?array length|out of memory|call stack/i.test(e.message),
          `${name}, ${what}: ${e}`,
        );
      }
      const used = process.memoryUsage();
      const grown = used.arrayBuffers + used.heapUsed - before.arrayBuffers - before.heapUsed;
      assert.ok(grown < 64e6, `${name}, ${what}: ${grown} bytes of memory`);
      assert.ok(process.cpuUsage(began).user < 5e6, `${name}, ${what}: took long`);
    };
    for (const path of all)
      for (const [i, value] of strange.entries())
        attempt(mutated(sample, path, value), `${path.join('.')} is number ${i}`);
    for (let k = 0; k < 2000; k++) {
      let v = sample;
      for (let times = 1 + draw(4); times > 0; times--)
        v = mutated(v, all[draw(all.length)]!, strange[draw(strange.length)]);
      attempt(v, `mutation ${k}`);
    }
    for (const value of strange) attempt(value, 'in its place');
  }
});

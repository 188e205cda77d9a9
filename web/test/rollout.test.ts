import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eyeOf, followed, panned, turned, unchanged } from '../src/output/rollout/camera';
import { decodeRollout, type Episode } from '../src/output/rollout/decode';
import { creased } from '../src/output/rollout/normals';

const base64 = (array: ArrayBufferView) => Buffer.from(array.buffer).toString('base64');

/** A ball that rolls 0.5 m a frame along x, over a floor; a triangle lies beside it. */
function rolling(frames: number) {
  const poses = Float32Array.from(
    { length: 7 * frames },
    (_, i) => [0.5 * Math.floor(i / 7), 2, 0.1, 1, 0, 0, 0][i % 7]!,
  );
  return {
    format: 'nacre-rollout',
    version: 1,
    title: 'rolling',
    meshes: [
      {
        name: 'triangle',
        count: 3,
        low: [0, 0, -1],
        step: [1, 0.5, 0],
        vertices: base64(Uint16Array.of(0, 0, 7, 2, 0, 7, 0, 4, 7)),
        faces: base64(Uint16Array.of(0, 1, 2)),
      },
    ],
    episodes: [
      {
        name: 'ball',
        label: 'first',
        interval: 0.05,
        frames,
        grid: 1,
        moving: [1],
        poses: base64(poses),
        view: { target: [0, 0, 1], distance: 4, azimuth: -90, elevation: 0, angle: 30, follow: 1 },
        solids: [
          { name: 'floor', kind: 'plane', size: [0, 0, 0], color: [0.9, 0.9, 0.9, 1], pose: [0, 0, 0, 1, 0, 0, 0] },
          { name: 'ball', kind: 'sphere', size: [0.1, 0, 0], color: [0.3, 0.4, 0.7, 1], pose: [0, 2, 0.1, 1, 0, 0, 0] },
          { name: 'mark', kind: 'mesh', size: [0, 0, 0], color: [0, 1, 0, 1], sign: true, pose: [0, 0, 0, 1, 0, 0, 0] },
        ],
        reward: Array.from({ length: frames - 1 }, (_, t) => t),
        success: Array.from({ length: frames - 1 }, (_, t) => (t >= 2 ? 1 : 0)),
      },
    ],
  };
}

type Rolling = ReturnType<typeof rolling>;

test('a rollout is decoded', () => {
  const r = decodeRollout(rolling(5));
  const e = r.episodes[0]!;
  assert.deepEqual([...e.meshes[0]!.vertices], [0, 0, -1, 2, 0, -1, 0, 2, -1]);
  assert.deepEqual([...e.poses.slice(21, 28)], [1.5, 2, Math.fround(0.1), 1, 0, 0, 0]);
  assert.deepEqual(
    [r.title, e.label, e.success, e.reward!.length, e.solids[2]!.sign],
    ['rolling', 'first', 2, 4, true],
  );
});

test('what is wrong with a rollout is said', () => {
  const bad: [(v: Rolling) => void, RegExp][] = [
    [
      (v) => {
        v.version = 2;
      },
      /version 2 of a rollout; expected .*"version": 1/,
    ],
    [
      (v) => {
        v.format = 'nacre-film/1';
      },
      /This is no rollout/,
    ],
    [
      (v) => {
        v.episodes = [];
      },
      /no episodes/,
    ],
    [
      (v) => {
        v.episodes[0]!.frames = 6;
      },
      /poses have 140 bytes; expected 168/,
    ],
    [
      (v) => {
        v.episodes[0]!.moving = [3];
      },
      /Solid 3 of the rollout moves and there are 3/,
    ],
    [
      (v) => {
        v.episodes[0]!.reward.pop();
      },
      /list of rewards is .*; expected 4 numbers/,
    ],
    [
      (v) => {
        v.episodes[0]!.solids[1]!.kind = 'blob';
      },
      /solid ball is of kind "blob"/,
    ],
    [
      (v) => {
        Object.assign(v.episodes[0]!.solids[2]!, { mesh: 1 });
      },
      /solid mark has mesh 1 of 1/,
    ],
    [
      (v) => {
        v.episodes[0]!.view.follow = 9;
      },
      /follows solid 9 of 3/,
    ],
    [
      (v) => {
        v.episodes[0]!.interval = 0;
      },
      /time between frames is 0/,
    ],
    [
      (v) => {
        v.meshes[0]!.faces = base64(Uint16Array.of(0, 1, 3));
      },
      /mesh triangle has a face with vertex 3 of 3/,
    ],
    [
      (v) => {
        v.meshes[0]!.vertices = '*';
      },
      /mesh triangle, vertices are not base64/,
    ],
    [
      (v) => {
        v.episodes[0]!.poses = base64(new Float32Array(35).fill(NaN));
      },
      /a pose that is no number/,
    ],
  ];
  for (const [spoil, message] of bad) {
    const v = rolling(5);
    spoil(v);
    assert.throws(() => decodeRollout(v), message);
  }
});

// An even motion stays what it is when it is smoothed, up to its ends.
test('the camera goes with an even motion', () => {
  const path = followed(decodeRollout(rolling(40)).episodes[0]!);
  for (let t = 0; t < 40; t++) {
    assert.ok(Math.abs(path[2 * t]! - 0.5 * t) < 1e-5, `frame ${t}: ${path[2 * t]}`);
    assert.equal(path[2 * t + 1], 0);
  }
});

test('the camera stands where azimuth, elevation and distance say', () => {
  const e = decodeRollout(rolling(3)).episodes[0] as Episode;
  const near = (got: number[], want: number[]) =>
    got.forEach((v, k) => assert.ok(Math.abs(v - want[k]!) < 1e-9, `${got} is not ${want}`));
  near(eyeOf(e, unchanged(), 0, 0).eye, [0, -4, 1]);
  near(eyeOf(e, { ...unchanged(), turn: 90, zoom: 0.5 }, 3, 1).eye, [5, 1, 1]);
  near(eyeOf(e, { ...unchanged(), tilt: 30 }, 0, 0).eye, [0, -4 * Math.cos(Math.PI / 6), 3]);
  // What lies in the target's plane is moved by the whole picture's height: 2·4·tan 15° metres, to the right.
  near(eyeOf(e, panned(unchanged(), e, 1, 0), 0, 0).target, [-8 * Math.tan(Math.PI / 12), 0, 1]);
  assert.equal(turned(unchanged(), e, 0, 1e6).tilt, 89);
});

test('normals are sharp on a cube and round on a sphere', () => {
  const corners = [
    [0, 0, 0],
    [1, 0, 0],
    [1, 1, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 0, 1],
    [1, 1, 1],
    [0, 1, 1],
  ];
  const quads = [
    [0, 3, 2, 1],
    [4, 5, 6, 7],
    [0, 1, 5, 4],
    [2, 3, 7, 6],
    [1, 2, 6, 5],
    [0, 4, 7, 3],
  ];
  const cube = creased({
    name: '',
    vertices: Float32Array.from(corners.flat()),
    faces: Uint32Array.from(quads.flatMap(([a, b, c, d]) => [a!, b!, c!, a!, c!, d!])),
  });
  for (let i = 0; i < cube.normals.length; i += 3) {
    const n = [...cube.normals.slice(i, i + 3)].map(Math.abs).sort();
    assert.deepEqual(n, [0, 0, 1]);
  }
  const vertices: number[] = [],
    faces: number[] = [];
  const rows = 16;
  for (let i = 0; i <= rows; i++) {
    for (let j = 0; j < 2 * rows; j++) {
      const a = (Math.PI * i) / rows,
        b = (Math.PI * j) / rows;
      vertices.push(Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a));
      const k = i * 2 * rows + j,
        right = i * 2 * rows + ((j + 1) % (2 * rows));
      if (i < rows) faces.push(k, k + 2 * rows, right, right, k + 2 * rows, right + 2 * rows);
    }
  }
  const ball = creased({ name: '', vertices: Float32Array.from(vertices), faces: Uint32Array.from(faces) });
  for (let i = 0; i < ball.normals.length; i += 3) {
    if (Math.abs(ball.positions[i + 2]!) > 0.999) continue; // at the poles triangles are degenerate
    const along = [0, 1, 2].reduce((s, k) => s + ball.normals[i + k]! * ball.positions[i + k]!, 0);
    assert.ok(along > 0.99, `${along}`);
  }
});

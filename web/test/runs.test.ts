import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Listing, Run } from '../src/runs/api';
import { readFileSync } from 'node:fs';
import { band, chart, configurations, copies, points, smooth } from '../src/runs/curves';
import { at, note, overSeeds, student } from '../src/runs/seedmean';
import { seeds } from '../src/runs/seeds';
import { ago, duration, percent, shortened } from '../src/runs/words';
import { differences, filter, grouped, type Row, Runs, sorted, value } from '../src/runs/model';

const run = (path: string, more: Partial<Run> = {}): Run => ({
  path,
  group: 'g',
  algorithm: 'pearl',
  title: 'PEARL',
  family: 'point-goal',
  preset: 'quick/point-goal',
  seed: 1,
  state: 'finished',
  iterations: 3,
  env_steps: 3000,
  updates: 30,
  share: 1,
  seconds: 10,
  left: 0,
  latest: { adapted_return: -5 },
  device: 'cpu',
  started: '2026-01-01T00:00:00Z',
  changed: '2026-01-02T00:00:00Z',
  note: { text: '', tags: [], revision: 0 },
  version: 1,
  identity: path,
  ...more,
});
const listing = (runs: Run[], more: Partial<Listing> = {}): Listing => ({
  version: 1,
  total: runs.length,
  runs,
  root: '/',
  columns: [],
  shape: 'a',
  values: {},
  waiting: [],
  failed: [],
  starts: true,
  making: [],
  ...more,
});
const take = (...runs: Run[]) => {
  const r = new Runs();
  r.take(listing(runs));
  return r;
};

test('only what has changed is new', () => {
  const r = take(run('a'), run('b'));
  assert.deepEqual([...r.take(listing([run('b', { version: 2 })], { version: 2, removed: ['a', 'x'] }))].sort(), [
    'a',
    'b',
  ]);
  assert.deepEqual([...r.rows.keys()], ['b']);
  assert.equal(r.version, 2);
});

test('settings that differ become columns', () => {
  const r = new Runs();
  r.take(
    listing([run('a'), run('b')], {
      columns: ['pearl.latent', 'pearl.init'],
      values: { a: ['7', '"oyster"'], b: ['5', ''] },
    }),
  );
  assert.deepEqual(r.all().slice(-2), [
    { key: 'set.pearl.latent', label: 'pearl.latent', number: true },
    { key: 'set.pearl.init', label: 'pearl.init', number: false },
  ]);
  assert.equal(value(r.rows.get('a')!, 'set.pearl.latent'), 7);
  assert.equal(value(r.rows.get('a')!, 'set.pearl.init'), 'oyster');
  assert.equal(value(r.rows.get('b')!, 'set.pearl.init'), undefined);
});

test('filters', () => {
  const r = take(
    run('x/one', { seed: 1, note: { text: 'odd', tags: ['good', 'odd one'], revision: 1 } }),
    run('x/two', { seed: 12, state: 'running', latest: {} }),
    run('y', { seed: 2, algorithm: 'rl2', title: 'RL²' }),
  );
  const found = (text: string) =>
    [...r.rows.values()]
      .filter(filter(text, r.all()))
      .map((x) => x.path)
      .join(' ');
  for (const [text, want] of Object.entries({
    '': 'x/one x/two y',
    'x/': 'x/one x/two',
    'X/ two': 'x/two',
    'state=running': 'x/two',
    'state!=running': 'x/one y',
    'seed>1': 'x/two y',
    'seed=12': 'x/two',
    'Seed<=2': 'x/one y',
    'tag=good': 'x/one',
    'tag=goo': '',
    'return>-6': 'x/one y',
    'nothing=3': '',
    odd: 'x/one',
    'rl²': 'y',
    'seed>x': '',
  }))
    assert.equal(found(text), want, text);
});

test('order and groups', () => {
  const rows = [
    ...take(
      run('r10', { seed: 2, latest: { kl: 3 } }),
      run('r9', { seed: 1, latest: {} }),
      run('r1', { seed: 2, latest: { kl: -1 } }),
    ).rows.values(),
  ];
  const order = (key: string, down: boolean, of: Row[] = rows) =>
    sorted(of, { key, down })
      .map((r) => r.path)
      .join(' ');
  assert.equal(order('path', false), 'r1 r9 r10');
  assert.equal(order('latest.kl', true), 'r10 r1 r9');
  assert.equal(order('latest.kl', false), 'r1 r10 r9');
  assert.equal(order('seed', true), 'r1 r10 r9');
  assert.deepEqual(
    [...grouped(rows, 'seed')].map(([k, v]) => [k, v.length]),
    [
      ['2', 2],
      ['1', 1],
    ],
  );
});

test('two thousand runs are filtered and sorted at once', () => {
  const r = take(
    ...Array.from({ length: 2000 }, (_, i) =>
      run(`runs/seed${i}`, { seed: i, latest: { adapted_return: (i * 7919) % 2003 } }),
    ),
  );
  const rows = sorted([...r.rows.values()].filter(filter('seed>999 return>=1000', r.all())), {
    key: 'latest.adapted_return',
    down: true,
  });
  assert.ok(
    rows.length > 400 &&
      rows.every((x, i) => x.seed > 999 && (!i || rows[i - 1]!.latest.adapted_return! >= x.latest.adapted_return!)),
  );
});

test('smoothing keeps constants and starts at the first value', () => {
  assert.deepEqual(
    smooth([3, 3, 3], 0.9).map((v) => v.toFixed(9)),
    ['3.000000000', '3.000000000', '3.000000000'],
  );
  assert.equal(smooth([1, 2], 0.5)[0], 1);
  const c = {
    path: 'a',
    column: 'kl',
    steps: [1, 2, 3],
    updates: [10, 20, 30],
    seconds: [0, 1, 2],
    values: [1, 'NaN', 5],
  };
  assert.deepEqual(points(c, 'updates', 0), { x: [10, 30], y: [1, 5] });
});

interface SeedCase {
  name: string;
  seeds: { x: number[]; y: (number | null)[] }[];
  x: number[];
  mean: number[];
  lo: number[];
  hi: number[];
  n: number[];
  breaks: number[];
}
const seedCases: SeedCase[] = JSON.parse(readFileSync('../analysis/stats/testdata/seeds.json', 'utf8')).cases;

test('the mean over seeds is that of the table of cases', () => {
  assert.ok(seedCases.length >= 20);
  for (const c of seedCases) {
    const m = overSeeds(c.seeds);
    assert.deepEqual([m.x, m.n, m.breaks], [c.x, c.n, c.breaks], c.name);
    for (const what of ['mean', 'lo', 'hi'] as const) {
      assert.equal(m[what].length, c[what].length, `${c.name}: ${what}`);
      c[what].forEach((w, i) =>
        assert.ok(
          Math.abs(m[what][i]! - w) <= 1e-8 * (1 + Math.abs(w)),
          `${c.name}: ${what} ${i} is ${m[what][i]}, want ${w}`,
        ),
      );
    }
  }
});

test('of many places evenly spaced ones are taken', () => {
  const lines = [0, 1, 2].map((k) => {
    const x = Array.from({ length: 5000 }, (_, i) => 3 * i + k);
    return { x, y: x };
  });
  const m = overSeeds(lines);
  assert.deepEqual([m.x.length, m.x[0], m.x.at(-1), m.breaks], [2000, 1, 14998, []]);
  assert.ok(m.x.every((x, i) => Math.abs(m.mean[i]! - x) < 1e-8));
});

test('what is said of a mean', () => {
  const said = (...x: number[][]) => note(overSeeds(x.map((x) => ({ x, y: x.map(() => 0) }))), 'steps');
  assert.equal(said([1, 2], [1, 2]), '');
  const large = [1e308, 1].map((v) => ({ x: [1, 2], y: [v, 3] }));
  assert.equal(
    note(overSeeds(large), 'steps'),
    'values beyond 1e+300 are left out: 1, the first at 1 steps; values of 1 of 2 seeds from 1 steps on are not drawn before 2',
  );
  assert.equal(said([1, 2], [3, 4]), 'no mean is drawn: no place has values of 2 of the 2 seeds');
  assert.equal(
    said([8400, 10400, 12400], [10000, 12000], [10000, 12000, 14000]),
    'values of 1 of 3 seeds from 8400 steps on are not drawn before 10000; the mean ends at 12400 steps with 2 of 3 seeds; values of 1 of 3 seeds up to 14000 steps are not drawn',
  );
  assert.equal(said([0, 8], [0, 8], [4, 8]), 'the mean begins at 0 steps with 2 of 3 seeds');
  assert.ok(said([0, 1], [0, 1], [5, 6], [5, 6]).endsWith('it breaks off where fewer than 2 of 4 seeds have values'));
  assert.ok(Math.abs(student(60) - 2.000297822) < 1e-8);
});

test('bands', () => {
  assert.equal(at([0, 10], [0, 5], 4), 2);
  assert.equal(at([3], [7], 9), 7);
  const two = band(
    [
      { x: [0, 1, 4], y: [0, 0, 0] },
      { x: [1, 2], y: [1, 3] },
    ],
    'steps',
  );
  assert.deepEqual(
    [two.line.x, two.line.lo, two.line.hi, two.said],
    [
      [1, 2],
      [0, 0],
      [1, 3],
      'values of 1 of 2 seeds from 0 environment steps on are not drawn before 1; values of 1 of 2 seeds up to 4 environment steps are not drawn',
    ],
  );
  assert.deepEqual(band([], 'steps').line.x, []);
  const gap = band(
    [
      [0, 1],
      [0, 1],
      [5, 6],
      [5, 6],
    ].map((x) => ({ x: x.map((v) => 3600 * v), y: x })),
    'seconds',
  );
  const of = { name: 'g', arm: 'g', panel: 'push', thin: false };
  const drawn = chart([{ ...of, ...gap.line }], 'return', 'seconds', ['said']) as Drawn;
  assert.deepEqual(
    [drawn.panels[0]!.marks.map((m) => m.x), drawn.notes],
    [
      [
        [0, 1],
        [5, 6],
      ],
      ['said'],
    ],
  );
});

interface Drawn {
  names: string[];
  panels: { title: string; marks: { name: string; series: number; x: number[] }[] }[];
  notes: string[];
}

test('a panel for each family, a colour for each arm, means before runs', () => {
  const line = (name: string, arm: string, panel: string, thin: boolean) => ({
    ...{ name, arm, panel, thin, x: [0, 1], y: [1, 2], lo: [], hi: [], breaks: [] },
  });
  const drawn = chart(
    [line('PEARL (2)', 'PEARL', 'push', false), line('a', 'PEARL', 'push', true), line('b', 'TCL', 'goal', false)],
    'return',
    'steps',
  ) as Drawn;
  assert.deepEqual(drawn.names, ['PEARL', 'TCL']);
  assert.deepEqual(
    drawn.panels.map((p) => [p.title, ...p.marks.map((m) => [m.name, m.series])]),
    [
      ['goal', ['b', 1]],
      ['push', ['a', 0], ['PEARL (2)', 0]],
    ],
  );
});

test('runs are told apart by the settings that differ', () => {
  const r = new Runs();
  const runs = [run('a'), run('b'), run('c', { family: 'push' }), run('d')];
  const values = { a: ['3', '1', '0.1'], b: ['7', '2', '0.1'], c: ['9', '1', '0.1'], d: ['3', '3', '0.1'] };
  r.take(listing(runs, { columns: ['pearl.latent', 'seed', 'pearl.lr_q'], values }));
  assert.deepEqual(
    [...differences([...r.rows.values()])],
    [
      ['a', 'latent 3'],
      ['b', 'latent 7'],
      ['d', 'latent 3'],
      ['c', ''],
    ],
  );
});

test('copies and configurations', () => {
  const rows = [
    ...take(
      run('a', { identity: 'pearl 1' }),
      run('b', { identity: 'pearl 2' }),
      run('c', { identity: 'pearl 1', family: 'push' }),
    ).rows.values(),
  ];
  assert.deepEqual(
    copies(rows, () => null)?.map((r) => r.path),
    ['a', 'c'],
  );
  assert.equal(
    copies(rows.slice(0, 2), () => null),
    null,
  );
  const logs = [
    ...take(
      run('a', { identity: 'seed 1', numbers: 'x' }),
      run('b', { identity: 'seed 2', numbers: 'y' }),
      run('c', { identity: 'seed 3', numbers: 'x' }),
    ).rows.values(),
  ];
  assert.deepEqual(
    copies(logs, () => null)?.map((r) => r.path),
    ['a', 'c'],
  );
  // Logs that begin alike are copies only if they go on alike, as far as both go.
  const alike = [
    ...take(
      ...['a', 'b', 'c'].map((p, k) => run(p, { state: 'log', identity: `seed ${k}`, numbers: 'x' })),
    ).rows.values(),
  ];
  const curves = (...values: number[][]) => {
    const made = values.map((v, k) => ({ path: alike[k]!.path, column: 'y', steps: v.map((_, i) => i), values: v }));
    const of = new Map(made.map((c) => [c.path, { ...c, updates: [], seconds: [] }]));
    return copies(alike, (r) => of.get(r.path) ?? null)?.map((r) => r.path) ?? null;
  };
  assert.deepEqual(curves([1, 2, 3], [1, 2, 4], [1, 2, 5]), null);
  assert.deepEqual(curves([1, 2, 3], [1, 2, 4], [1, 2, 4, 9]), ['b', 'c']);
  assert.deepEqual([configurations(rows), configurations(rows.slice(0, 2))], [2, 1]);
});

test('seeds', () => {
  for (const [text, want] of Object.entries({
    '': [],
    ' 3': [3],
    '1-4': [1, 2, 3, 4],
    '1, 5,5': [1, 5],
    '4-1': null,
    x: null,
    '1-999': null,
    '1,': null,
  }))
    assert.deepEqual(seeds(text), want, text);
});

test('words', () => {
  assert.deepEqual([percent(0.58), percent(0.999), percent(1)], ['58 %', '99 %', '100 %']);
  assert.deepEqual([ago(0, 65_000), ago(0, 5000), ago(0, 3 * 86_400_000)], ['1 min ago', 'now', '3 d ago']);
  assert.deepEqual([duration(59.6), duration(3599), duration(7260)], ['1 min 0 s', '59 min 59 s', '2 h 1 min']);
  assert.deepEqual(shortened(['a/b/x', 'a/b/y/z']), ['x', 'y/z']);
  assert.deepEqual(shortened(['a/x', 'b/x']), ['a/x', 'b/x']);
  assert.deepEqual(shortened(['a/x']), ['a/x']);
});

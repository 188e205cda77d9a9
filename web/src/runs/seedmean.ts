// The mean over seeds, by the rule that docs/tables.md states; Go's stats.OverSeeds computes the same, and both are tested
// against analysis/stats/testdata/seeds.json.

export interface Points {
  x: number[];
  y: (number | null)[];
}
export interface SeedMean {
  x: number[];
  mean: number[];
  lo: number[];
  hi: number[];
  n: number[];
  breaks: number[];
  seeds: number;
  starts: number[];
  ends: number[];
  /** The places of finite values that do not count because they are too large. */
  beyond: number[];
}

interface Ordered {
  x: number[];
  y: number[];
}

/** Values beyond this, and beyond it below zero, count in no mean: with it intervals are finite and can be drawn. */
const largest = 1e300;

/** A mean is computed at no more places than these. */
const most = 2000;

/** The mean of the lines of several seeds; one seed alone is its own line, without an interval. */
export function overSeeds(lines: Points[]): SeedMean {
  const used = lines.map(ordered).filter((l) => l.x.length > 0);
  const starts = used.map((l) => l.x[0]!).sort((a, b) => a - b),
    ends = used.map((l) => l.x.at(-1)!).sort((a, b) => a - b);
  const beyond = lines.flatMap((l) =>
    l.x.filter((_, i) => Number.isFinite(l.y[i]) && Math.abs(l.y[i] as number) > largest),
  );
  const ordinary = { seeds: used.length, starts, ends, beyond };
  const out: SeedMean = { x: [], mean: [], lo: [], hi: [], n: [], breaks: [], ...ordinary };
  if (used.length === 1) return { ...out, x: used[0]!.x, mean: used[0]!.y, n: used[0]!.x.map(() => 1) };
  [out.x, out.breaks] = places(used, starts, ends);
  for (const x of out.x) {
    const values = used.filter((l) => l.x[0]! <= x && x <= l.x.at(-1)!).map((l) => at(l.x, l.y, x));
    const [mean, lo, hi] = interval(values);
    out.mean.push(mean);
    out.lo.push(lo);
    out.hi.push(hi);
    out.n.push(values.length);
  }
  return out;
}

/** The points with a finite place and value in the order of their places, of equal ones the last. */
function ordered(l: Points): Ordered {
  const out: Ordered = { x: [], y: [] };
  const kept = l.x
    .map((_, i) => i)
    .filter((i) => Number.isFinite(l.x[i]) && typeof l.y[i] === 'number' && Math.abs(l.y[i] as number) <= largest);
  kept.sort((i, j) => l.x[i]! - l.x[j]! || i - j);
  kept.forEach((i, k) => {
    if (k + 1 < kept.length && l.x[kept[k + 1]!] === l.x[i]) return;
    out.x.push(l.x[i]!);
    out.y.push(l.y[i] as number);
  });
  return out;
}

/** The value of a line at a place between its ends. */
export function at(x: number[], y: number[], place: number): number {
  let lo = 0,
    hi = x.length - 1;
  while (hi - lo > 1) {
    const m = (lo + hi) >> 1;
    if (x[m]! <= place) lo = m;
    else hi = m;
  }
  if (x[lo] === place || hi <= lo) return y[lo]!;
  if (x[hi] === place) return y[hi]!;
  return y[lo]! + ((place - x[lo]!) / (x[hi]! - x[lo]!)) * (y[hi]! - y[lo]!);
}

/** How many of the seeds a mean needs. */
const needed = (seeds: number) => Math.max(2, Math.ceil(seeds / 2));

/** Where there is a mean, and the indices of places to which none leads from the place before. */
function places(lines: Ordered[], starts: number[], ends: number[]): [number[], number[]] {
  const need = needed(lines.length);
  const enough = (from: number, to: number) => count(starts, (s) => s <= from) - count(ends, (e) => e < to) >= need;
  const all = [...new Set(lines.flatMap((l) => l.x))].sort((a, b) => a - b).filter((x) => enough(x, x));
  const x: number[] = [],
    breaks: number[] = [];
  let broken = false,
    next = 0;
  all.forEach((place, k) => {
    broken ||= k > 0 && !enough(all[k - 1]!, place);
    if (all.length > most && k < Math.floor((next * (all.length - 1)) / (most - 1))) return;
    next++;
    if (broken) breaks.push(x.length);
    x.push(place);
    broken = false;
  });
  return [x, breaks];
}

/** How many of sorted numbers a condition holds for that holds up to one of them. */
function count(sorted: number[], holds: (v: number) => boolean): number {
  let lo = 0,
    hi = sorted.length;
  while (lo < hi) {
    const m = (lo + hi) >> 1;
    if (holds(sorted[m]!)) lo = m + 1;
    else hi = m;
  }
  return lo;
}

/** The mean of one value a seed with its interval: Student's at 95 % of three and more, the range of two. */
function interval(v: number[]): [number, number, number] {
  const n = v.length,
    mean = v.reduce((a, b) => a + b, 0) / n;
  if (n === 2) return [mean, Math.min(...v), Math.max(...v)];
  let squares = v.reduce((a, b) => a + (b - mean) ** 2, 0),
    unit = 1;
  if (!Number.isFinite(squares)) {
    unit = Math.max(...v.map(Math.abs));
    squares = v.reduce((a, b) => a + (b / unit - mean / unit) ** 2, 0);
  }
  const half = (student(n - 1) * Math.sqrt(squares / (n - 1)) * unit) / Math.sqrt(n);
  return [mean, mean - half, mean + half];
}

/** Student's t at 97.5 % for 1 to 30 degrees of freedom. */
const t975 = [
  12.7062047362, 4.3026527297, 3.1824463053, 2.7764451052, 2.5705818356, 2.4469118511, 2.3646242516, 2.3060041352,
  2.2621571628, 2.228138852, 2.2009851601, 2.1788128297, 2.1603686565, 2.1447866879, 2.1314495456, 2.1199052992,
  2.1098155778, 2.1009220402, 2.0930240544, 2.0859634473, 2.0796138447, 2.0738730679, 2.0686576104, 2.0638985616,
  2.0595385528, 2.0555294386, 2.0518305165, 2.0484071418, 2.0452296421, 2.0422724563,
];

/** Student's t at 97.5 %; beyond the table Fisher's expansion about the normal quantile, right to seven digits there. */
export function student(freedom: number): number {
  if (freedom <= t975.length) return t975[freedom - 1]!;
  const z = 1.959963984540054,
    v = freedom;
  return (
    z +
    (z ** 3 + z) / (4 * v) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * v ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * v ** 3) +
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / (92160 * v ** 4)
  );
}

/** Says where seeds are missing from a mean, as Go's SeedMean.Note does; empty where none is. */
export function note(m: SeedMean, unit: string): string {
  const parts = [noteSeeds(m, unit)];
  if (m.beyond.length)
    parts.unshift(`values beyond 1e+300 are left out: ${m.beyond.length}, the first at ${plain(m.beyond[0]!)} ${unit}`);
  return parts.filter((p) => p).join('; ');
}

function noteSeeds(m: SeedMean, unit: string): string {
  if (m.seeds < 2) return '';
  if (!m.x.length) return `no mean is drawn: no place has values of ${needed(m.seeds)} of the ${m.seeds} seeds`;
  const parts: string[] = [],
    first = m.x[0]!,
    last = m.x.at(-1)!,
    n = m.n.at(-1)!;
  if (m.n[0]! < m.seeds && m.starts.at(-1)! > first + 0.05 * (last - first))
    parts.push(`the mean begins at ${plain(first)} ${unit} with ${m.n[0]} of ${m.seeds} seeds`);
  const before = m.starts.filter((start) => start < first - 0.05 * (last - first)).length;
  if (before)
    parts.push(
      `values of ${before} of ${m.seeds} seeds from ${plain(m.starts[0]!)} ${unit} on are not drawn before ${plain(first)}`,
    );
  if (n < m.seeds) parts.push(`the mean ends at ${plain(last)} ${unit} with ${n} of ${m.seeds} seeds`);
  const beyond = m.ends.filter((end) => end > last + 0.05 * (last - first)).length;
  if (beyond)
    parts.push(`values of ${beyond} of ${m.seeds} seeds up to ${plain(m.ends.at(-1)!)} ${unit} are not drawn`);
  if (m.breaks.length) parts.push(`it breaks off where fewer than ${needed(m.seeds)} of ${m.seeds} seeds have values`);
  return parts.join('; ');
}

const plain = (x: number) => (Number.isInteger(x) ? x.toFixed(0) : String(Number(x.toPrecision(6))));

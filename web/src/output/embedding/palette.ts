// Colours for tasks.

export type Rgb = [number, number, number];

// Twelve hues of similar lightness, neighbours far apart; readable on white and on near-black.
const hues: Rgb[] = [
  [58, 110, 176], [222, 125, 52], [64, 145, 96], [190, 70, 84], [124, 96, 172], [146, 104, 84],
  [214, 124, 176], [112, 124, 132], [172, 158, 54], [52, 156, 172], [98, 76, 54], [134, 176, 72],
];

// Knots of viridis (van der Walt and Smith, 2015), evenly spaced.
const viridis: Rgb[] = [
  [68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137], [53, 183, 121], [110, 206, 88], [181, 222, 43], [253, 231, 37],
];

/** A colour of the sequential scale at t in [0, 1]. */
export function sequential(t: number): Rgb {
  const at = Math.min(1, Math.max(0, t)) * (viridis.length - 1);
  const i = Math.min(viridis.length - 2, Math.floor(at));
  const f = at - i;
  return [0, 1, 2].map((k) => Math.round(viridis[i]![k]! * (1 - f) + viridis[i + 1]![k]! * f)) as Rgb;
}

/** One colour per task. Tasks that are numbers (velocities, angles) get their place on one scale, others get hues. */
export function taskColours(values: (number | null)[], dark: boolean): Rgb[] {
  const known = values.filter((v): v is number => v !== null);
  if (known.length === values.length && values.length > hues.length) {
    const lo = Math.min(...known), hi = Math.max(...known);
    return known.map((v) => sequential(hi > lo ? 0.05 + 0.85 * (v - lo) / (hi - lo) : 0.5));
  }
  return values.map((_, i) => {
    const base = hues[i % hues.length]!;
    const shift = Math.floor(i / hues.length) % 3;
    const towards = shift === 0 ? 0 : shift === 1 ? 0.4 : -0.35;
    const lift = towards + (dark ? 0.18 : 0);
    return base.map((c) => Math.round(lift >= 0 ? c + (255 - c) * lift : c * (1 + lift))) as Rgb;
  });
}

export const css = (c: Rgb) => `rgb(${c[0]} ${c[1]} ${c[2]})`;

// Colours for tasks.

import { knots, palette, paletteOnDark, type Rgb } from '../colours';

export type { Rgb };

/** A colour of the sequential scale at t in [0, 1]. */
export function sequential(t: number): Rgb {
  const at = Math.min(1, Math.max(0, t)) * (knots.length - 1);
  const i = Math.min(knots.length - 2, Math.floor(at));
  const f = at - i;
  return [0, 1, 2].map((k) => Math.round(knots[i]![k]! * (1 - f) + knots[i + 1]![k]! * f)) as Rgb;
}

/** One colour per task. Tasks that are numbers (velocities, angles) get their place on one scale, others a colour each. */
export function taskColours(values: (number | null)[], dark: boolean): Rgb[] {
  const known = values.filter((v): v is number => v !== null);
  if (known.length === values.length && values.length > palette.length) {
    const lo = Math.min(...known),
      hi = Math.max(...known);
    return known.map((v) => sequential(hi > lo ? 0.05 + (0.85 * (v - lo)) / (hi - lo) : 0.5));
  }
  return values.map((_, i) => {
    const base = (dark ? paletteOnDark : palette)[i % palette.length]!;
    const shift = Math.floor(i / palette.length) % 3;
    const lift = shift === 0 ? 0 : shift === 1 ? 0.4 : -0.35;
    return base.map((c) => Math.round(lift >= 0 ? c + (255 - c) * lift : c * (1 + lift))) as Rgb;
  });
}

export const css = (c: Rgb) => `rgb(${c[0]} ${c[1]} ${c[2]})`;

// Numbers as the plots and the playback say them.

/** A number in few characters: 1200000 → 1.2M, 0.000012 → 1.2e-5. */
export function format(v: number | null | undefined): string {
  if (v === null || v === undefined || !Number.isFinite(v)) return '–';
  const a = Math.abs(v);
  if (a !== 0 && a < 1e-3) return v.toExponential(1);
  if (a >= 1e6) return +(v / 1e6).toPrecision(4) + 'M';
  if (a >= 1e4) return +(v / 1e3).toPrecision(4) + 'k';
  return String(+v.toPrecision(4));
}

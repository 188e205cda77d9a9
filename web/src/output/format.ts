// Numbers as the plots and the playback say them.

/** A number in few characters, with a true minus as all numbers of figures have: 1200000 → 1.2M, −0.000012 → −1.2e−5. */
export function format(v: number | null | undefined): string {
  if (v === null || v === undefined || !Number.isFinite(v)) return '–';
  if (v < 0) return '−' + format(-v);
  if (v > 0 && v < 1e-3) return v.toExponential(1).replace('-', '−');
  if (v >= 1e12) return `${+(v / 10 ** Math.floor(Math.log10(v))).toPrecision(3)}e${Math.floor(Math.log10(v))}`;
  if (v >= 1e9) return +(v / 1e9).toPrecision(4) + 'G';
  if (v >= 1e6) return +(v / 1e6).toPrecision(4) + 'M';
  if (v >= 1e4) return +(v / 1e3).toPrecision(4) + 'k';
  return String(+v.toPrecision(4));
}

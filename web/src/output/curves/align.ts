// Curves over one axis.

export type Column = (number | null)[];
export interface Series {
  name: string;
  /** Lines of one group have one colour; where there is a mean, the others are thin. */
  group?: string;
  mean?: boolean;
  x: number[];
  y: Column;
  low?: Column;
  high?: Column;
}

/** All series over the union of their x, as the plot needs them: x, then y (and low, high) of each. */
export function align(series: Series[]): [number[], ...Column[]] {
  const xs = [...new Set(series.flatMap((s) => s.x))].sort((a, b) => a - b);
  const at = new Map(xs.map((x, i) => [x, i]));
  const column = (x: number[], v: Column): Column => {
    const out: Column = new Array(xs.length).fill(null);
    v.forEach((y, i) => {
      out[at.get(x[i]!)!] = Number.isFinite(y) ? y : null;
    });
    return out;
  };
  return [
    xs,
    ...series.flatMap((s) => [column(s.x, s.y), ...(s.low && s.high ? [column(s.x, s.low), column(s.x, s.high)] : [])]),
  ];
}

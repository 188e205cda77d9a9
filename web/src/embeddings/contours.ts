// Lines of equal density over a grid of counts.

/** Counts smoothed by a normal curve of so many cells. */
export function blur(counts: ArrayLike<number>, size: number, sigma: number): Float32Array {
  const half = Math.ceil(3 * sigma);
  const weight = Array.from({ length: 2 * half + 1 }, (_, k) => Math.exp(-(((k - half) / sigma) ** 2) / 2));
  const sum = weight.reduce((a, b) => a + b, 0);
  const pass = (from: ArrayLike<number>, step: number, line: number): Float32Array => {
    const out = new Float32Array(size * size);
    for (let j = 0; j < size; j++)
      for (let i = 0; i < size; i++) {
        let v = 0;
        for (let k = -half; k <= half; k++)
          if (i + k >= 0 && i + k < size) v += weight[k + half]! * from[j * line + (i + k) * step]!;
        out[j * line + i * step] = v / sum;
      }
    return out;
  };
  return pass(pass(counts, 1, size), size, 1);
}

/** Pieces of the line at a height, each as x, y, x, y in cells: marching squares over the centres of the cells. */
export function contour(field: Float32Array, size: number, height: number): number[] {
  const out: number[] = [];
  const cross = (a: number, b: number) => (height - a) / (b - a);
  for (let j = 0; j + 1 < size; j++)
    for (let i = 0; i + 1 < size; i++) {
      const a = field[j * size + i]!,
        b = field[j * size + i + 1]!,
        c = field[(j + 1) * size + i + 1]!,
        d = field[(j + 1) * size + i]!;
      const kind = (a > height ? 1 : 0) | (b > height ? 2 : 0) | (c > height ? 4 : 0) | (d > height ? 8 : 0);
      if (kind === 0 || kind === 15) continue;
      const bottom = () => [i + cross(a, b), j],
        right = () => [i + 1, j + cross(b, c)],
        top = () => [i + cross(d, c), j + 1],
        left = () => [i, j + cross(a, d)];
      const line = (from: number[], to: number[]) =>
        out.push(from[0]! + 0.5, from[1]! + 0.5, to[0]! + 0.5, to[1]! + 0.5);
      switch (kind) {
        case 1:
        case 14:
          line(left(), bottom());
          break;
        case 2:
        case 13:
          line(bottom(), right());
          break;
        case 3:
        case 12:
          line(left(), right());
          break;
        case 4:
        case 11:
          line(right(), top());
          break;
        case 6:
        case 9:
          line(bottom(), top());
          break;
        case 7:
        case 8:
          line(left(), top());
          break;
        case 5:
          line(left(), bottom());
          line(right(), top());
          break;
        case 10:
          line(bottom(), right());
          line(left(), top());
          break;
      }
    }
  return out;
}

/** Heights at which lines are drawn: shares of the highest place, each twice the one before. */
export const shares = [0.04, 0.08, 0.16, 0.32, 0.64];

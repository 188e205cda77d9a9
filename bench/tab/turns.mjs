// Which calls a round makes, and how far what the libraries compute is from float64.
import { norm, work } from './programs.mjs';

/** All that can be called, forth in even rounds and back in odd ones, so that each follows each. */
export function order(made, round) {
  const calls = ['product', 'critic', 'oyster', 'metaworld'].flatMap((what) => Object.keys(made).filter((l) => made[l][what]).map((l) => [l, what]));
  return round % 2 ? calls.reverse() : calls;
}

/** How often a call computes one thing, by device: the clocks of processor time tick slowly. */
export const repeats = {
  wasm: { product: 20, critic: 3, oyster: 1, metaworld: 1 },
  webgpu: { product: 4, critic: 1, oyster: 1 },
};

/** Calls one so many times and returns the seconds of one computation by the clock. */
export async function timed(library, what, times) {
  const start = performance.now();
  for (let k = 0; k < times; k++) await library[what]();
  return (performance.now() - start) / 1e3 / times;
}

/**
 * The largest difference of each library, relative to the largest element, the loss and the gradient's norm; it warms them up
 * too.
 */
export async function judge(made, { product, loss, norm: length }) {
  const largest = product.reduce((m, v) => Math.max(m, Math.abs(v)), 0), off = {}, devices = {}, of = { ...work };
  for (const [name, library] of Object.entries(made)) {
    devices[name] = library.device;
    const c = await library.product(), q = await library.critic();
    off[name] = {
      product: product.reduce((worst, want, k) => Math.max(worst, Math.abs(c[1009 * k] - want) / largest), 0),
      critic: Math.max(Math.abs(q.loss / loss - 1), Math.abs((q.norm ?? norm(q.gradient)) / length - 1)),
    };
    for (const [size, { work, off: by }] of Object.entries(library.updates ?? {})) {
      off[name][size] = by;
      of[size] = work;
    }
  }
  return { off, devices, work: of };
}

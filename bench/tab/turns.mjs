// Which calls a round makes, and how far what the libraries compute is from float64.

/** All that can be called, forth in even rounds and back in odd ones, so that each follows each. */
export function order(made, round) {
  const calls = ['product', 'critic', 'oyster', 'metaworld'].flatMap((what) => Object.keys(made).filter((l) => made[l][what]).map((l) => [l, what]));
  return round % 2 ? calls.reverse() : calls;
}

/** How often a call computes one thing: the clocks of processor time tick slowly. */
export const repeats = { product: 20, critic: 3, oyster: 1, metaworld: 1 };

/** Calls one and returns the seconds of one computation by the clock. */
export async function timed(library, what) {
  const start = performance.now();
  for (let k = 0; k < repeats[what]; k++) await library[what]();
  return (performance.now() - start) / 1e3 / repeats[what];
}

/** The largest difference of each library, relative to the largest element and to the loss; it warms them up too. */
export async function judge(made, { product, loss }) {
  const largest = product.reduce((m, v) => Math.max(m, Math.abs(v)), 0), off = {};
  for (const [name, library] of Object.entries(made)) {
    const c = await library.product();
    off[name] = {
      product: product.reduce((worst, want, k) => Math.max(worst, Math.abs(c[1009 * k] - want) / largest), 0),
      critic: Math.abs((await library.critic()) / loss - 1),
    };
    if (library.oyster) Object.assign(off[name], { oyster: library.oysterOff, metaworld: library.metaworldOff });
  }
  return { off };
}

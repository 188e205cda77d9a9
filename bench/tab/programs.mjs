// What each library computes, alike in Node and in a worker of a page. Of each: product(), a matrix product, and critic(),
// the loss of a critic and its gradient, which is what most of an update is; both return once the result can be read.

export const rows = 4096;
export const inner = 300;
export const sizes = [31, 300, 300, 300, 1];

/** Multiplications and additions of each. The first layer's inputs need no gradient. */
export const work = {
  product: 2 * rows * inner * inner,
  critic: sizes.slice(1).reduce((sum, n, i) => sum + 2 * rows * sizes[i] * n * (i ? 3 : 2), 0),
};

/** The numbers all are given: uniform in ±scale, the same for every library. */
function numbers(count, seed, scale = 1) {
  let s = seed;
  return Float32Array.from({ length: count }, () => scale * (((s = (Math.imul(s, 1664525) + 1013904223) >>> 0) / 2 ** 31) - 1));
}
export const problem = {
  a: numbers(rows * inner, 1),
  b: numbers(inner * inner, 2),
  x: numbers(rows * sizes[0], 3),
  y: numbers(rows, 4),
  weights: sizes.slice(1).map((n, i) => numbers(sizes[i] * n, 5 + i, Math.sqrt(3 / sizes[i]))),
};

/** The product and the loss in float64, to judge the libraries by: every 1009th element, and the loss. */
export function expected() {
  const product = [];
  for (let e = 0; e < rows * inner; e += 1009) {
    const i = Math.floor(e / inner), j = e % inner;
    let sum = 0;
    for (let k = 0; k < inner; k++) sum += problem.a[i * inner + k] * problem.b[k * inner + j];
    product.push(sum);
  }
  let loss = 0;
  for (let r = 0; r < rows; r++) {
    let h = problem.x.subarray(r * sizes[0], (r + 1) * sizes[0]);
    problem.weights.forEach((w, l) => {
      const n = sizes[l + 1], out = new Float64Array(n);
      for (let k = 0; k < sizes[l]; k++) for (let j = 0; j < n; j++) out[j] += h[k] * w[k * n + j];
      h = l < problem.weights.length - 1 ? out.map((v) => Math.max(v, 0)) : out;
    });
    loss += (h[0] - problem.y[r]) ** 2 / rows;
  }
  return { product, loss };
}

async function jax({ module }) {
  const { numpy: np, nn, init, defaultDevice, jit, valueAndGrad } = await import(module);
  await init('wasm');
  defaultDevice('wasm');
  const array = (data, ...shape) => np.array(data).reshape(shape);
  const a = array(problem.a, rows, inner), b = array(problem.b, inner, inner);
  const x = array(problem.x, rows, sizes[0]), y = array(problem.y, rows, 1);
  const params = problem.weights.flatMap((w, i) => [array(w, sizes[i], sizes[i + 1]), np.zeros([sizes[i + 1]])]);
  const layers = problem.weights.length;
  const multiply = jit((u, v) => np.matmul(u, v));
  const gradient = jit(valueAndGrad((p, u, v) => {
    let h = u;
    for (let i = 0; i < layers; i++) {
      h = np.matmul(h, p[2 * i]).add(p[2 * i + 1]);
      if (i < layers - 1) h = nn.relu(h);
    }
    return np.mean(np.square(h.sub(v)));
  }));
  return {
    product: async () => multiply(a.ref, b.ref).data(),
    critic: async () => {
      const [loss, g] = gradient(params.map((p) => p.ref), x.ref, y.ref);
      for (const p of g) await p.data();
      return (await loss.data())[0];
    },
  };
}

async function tensorflow({ tf, wasmFolder }) {
  tf.wasm.setWasmPaths(wasmFolder);
  await tf.setBackend('wasm');
  await tf.ready();
  const a = tf.tensor2d(problem.a, [rows, inner]), b = tf.tensor2d(problem.b, [inner, inner]);
  const x = tf.tensor2d(problem.x, [rows, sizes[0]]), y = tf.tensor2d(problem.y, [rows, 1]);
  const params = problem.weights.flatMap((w, i) => [tf.tensor2d(w, [sizes[i], sizes[i + 1]]), tf.zeros([sizes[i + 1]])]);
  const layers = problem.weights.length;
  const gradient = tf.valueAndGrads((...p) => {
    let h = x;
    for (let i = 0; i < layers; i++) {
      h = tf.add(tf.matMul(h, p[2 * i]), p[2 * i + 1]);
      if (i < layers - 1) h = tf.relu(h);
    }
    return tf.mean(tf.square(tf.sub(h, y)));
  });
  return {
    product: async () => {
      const c = tf.matMul(a, b), data = await c.data();
      c.dispose();
      return data;
    },
    critic: async () => {
      const { value, grads } = gradient(params), loss = (await value.data())[0];
      for (const g of grads) await g.data();
      tf.dispose([value, grads]);
      return loss;
    },
  };
}

/** The program of bench/tab/program, which Go's script has started: it has the yardstick's update besides. */
async function nacre({ go, bytes }) {
  globalThis.nacreProblem = { ...problem, rows, inner, sizes };
  const ready = new Promise((done) => { globalThis.nacreReady = done; });
  const { instance } = await WebAssembly.instantiate(bytes, go.importObject);
  void go.run(instance);
  const program = await ready;
  // The others copy their result out of their memory once; here the runner has done so.
  const product = async () => new Float32Array(instance.exports.mem.buffer, await program.product(), rows * inner);
  return { ...program, product };
}

export const libraries = { 'nacre': nacre, 'jax-js': jax, 'TensorFlow.js': tensorflow };

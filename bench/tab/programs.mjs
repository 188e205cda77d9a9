// What each library computes, alike in Node and in a worker of a page. Of each: its device; product(), a matrix product; and
// critic(), the loss of a critic with its gradient, or with the gradient's norm, which is what most of an update is. Both
// return once the result can be read.

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

/** In float64, to judge the libraries by: every 1009th element of the product, the loss, and the norm of its gradient. */
export function expected() {
  const product = [];
  for (let e = 0; e < rows * inner; e += 1009) {
    const i = Math.floor(e / inner), j = e % inner;
    let sum = 0;
    for (let k = 0; k < inner; k++) sum += problem.a[i * inner + k] * problem.b[k * inner + j];
    product.push(sum);
  }
  const last = problem.weights.length - 1, widths = sizes.slice(1);
  const weights = widths.map((n, l) => new Float64Array(sizes[l] * n)), biases = widths.map((n) => new Float64Array(n));
  let loss = 0;
  for (let r = 0; r < rows; r++) {
    const inputs = [Float64Array.from(problem.x.subarray(r * sizes[0], (r + 1) * sizes[0]))];
    problem.weights.forEach((w, l) => {
      const n = sizes[l + 1], out = new Float64Array(n);
      for (let k = 0; k < sizes[l]; k++) for (let j = 0; j < n; j++) out[j] += inputs[l][k] * w[k * n + j];
      inputs.push(l < last ? out.map((v) => Math.max(v, 0)) : out);
    });
    const off = inputs[last + 1][0] - problem.y[r];
    loss += off ** 2 / rows;
    let slope = Float64Array.of(2 * off / rows);
    for (let l = last; l >= 0; l--) {
      const n = sizes[l + 1], w = problem.weights[l], before = new Float64Array(sizes[l]);
      for (let j = 0; j < n; j++) biases[l][j] += slope[j];
      for (let k = 0; k < sizes[l]; k++) {
        const x = inputs[l][k];
        if (x === 0) continue; // a ReLU's, whose slope is zero too
        let sum = 0;
        for (let j = 0; j < n; j++) {
          weights[l][k * n + j] += x * slope[j];
          sum += slope[j] * w[k * n + j];
        }
        before[k] = sum;
      }
      slope = before;
    }
  }
  return { product, loss, norm: norm([...weights, ...biases]) };
}

/** The norm of all numbers of some arrays. */
export function norm(arrays) {
  let sum = 0;
  for (const a of arrays) for (const v of a) sum += v * v;
  return Math.sqrt(sum);
}

async function jax({ module, device }) {
  const { numpy: np, nn, init, defaultDevice, jit, valueAndGrad } = await import(module);
  if (!(await init(device)).includes(device)) throw new Error(`jax-js has no device ${device} here`);
  defaultDevice(device);
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
    device: a.device,
    product: async () => multiply(a.ref, b.ref).data(),
    critic: async () => {
      const [loss, g] = gradient(params.map((p) => p.ref), x.ref, y.ref);
      const [[value], ...all] = await Promise.all([loss, ...g].map((v) => v.data()));
      return { loss: value, gradient: all };
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
    device: tf.getBackend(),
    product: async () => {
      const c = tf.matMul(a, b), data = await c.data();
      c.dispose();
      return data;
    },
    critic: async () => {
      const { value, grads } = gradient(params), all = await Promise.all([value, ...grads].map((v) => v.data()));
      tf.dispose([value, grads]);
      return { loss: all[0][0], gradient: all.slice(1) };
    },
  };
}

/** The program of bench/tab/program, which Go's script has started: it has the benchmark's update besides. */
async function nacre({ go, bytes, device, updates }) {
  globalThis.nacreProblem = { ...problem, rows, inner, sizes, device, updates };
  const ready = new Promise((done) => { globalThis.nacreReady = done; });
  const { instance } = await WebAssembly.instantiate(bytes, go.importObject);
  void go.run(instance);
  const program = await ready;
  if (program.problem) throw new Error(program.problem);
  // The others copy their result out of their memory once; here the runner has done so.
  const product = async () => {
    const at = await program.product(); // the memory may be another then
    return new Float32Array(instance.exports.mem.buffer, at, rows * inner);
  };
  return { ...program, product };
}

const libraries = { 'nacre': nacre, 'jax-js': jax, 'TensorFlow.js': tensorflow };
const on = { wasm: Object.keys(libraries), webgpu: ['nacre', 'jax-js'] };

/** The libraries on a device, wasm or webgpu, each made with what resources has for it; ours makes updates of some sizes. */
export async function make(device, updates, resources) {
  const made = {};
  for (const name of on[device]) made[name] = await libraries[name]({ device, updates, ...(await resources[name]()) });
  return made;
}

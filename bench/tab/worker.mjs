// Measures the libraries in a worker of a page. One message asks, one answers.
import { expected, make } from './programs.mjs';
import { judge, order, repeats, timed } from './turns.mjs';

const resources = {
  'nacre': async () => {
    await import('/program/wasm_exec.js');
    return { go: new globalThis.Go(), bytes: await (await fetch('/program/program.wasm')).arrayBuffer() };
  },
  'jax-js': async () => ({ module: '/node_modules/@jax-js/jax/dist/index.js' }),
  'TensorFlow.js': async () => {
    await import('/node_modules/@tensorflow/tfjs/dist/tf.min.js');
    await import('/node_modules/@tensorflow/tfjs-backend-wasm/dist/tf-backend-wasm.min.js');
    return { tf: globalThis.tf, wasmFolder: '/node_modules/@tensorflow/tfjs-backend-wasm/dist/' };
  },
};

let made, times;
const answers = {
  async start({ device, updates }) {
    made = await make(device, updates, resources);
    times = repeats[device];
    return { ...(await judge(made, expected())), repeats: times };
  },
  order: async ({ round }) => order(made, round),
  call: async ({ library, what }) => timed(made[library], what, times[what]),
};

onmessage = async ({ data }) => {
  try {
    postMessage({ value: await answers[data.kind](data) });
  } catch (e) {
    postMessage({ problem: String(e?.stack ?? e) });
  }
};
postMessage({ value: 'ready' });

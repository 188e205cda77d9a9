// Measures the libraries in a worker of a page. One message asks, one answers.
import { expected, libraries, work } from './programs.mjs';
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

const made = {};
const answers = {
  async start() {
    for (const name of Object.keys(libraries)) made[name] = await libraries[name](await resources[name]());
    return { ...(await judge(made, expected())), work: { ...work, oyster: made.nacre.oysterWork, metaworld: made.nacre.metaworldWork }, repeats };
  },
  order: async ({ round }) => order(made, round),
  call: async ({ library, what }) => timed(made[library], what),
};

onmessage = async ({ data }) => {
  try {
    postMessage({ value: await answers[data.kind](data) });
  } catch (e) {
    postMessage({ problem: String(e?.stack ?? e) });
  }
};
postMessage({ value: 'ready' });

// Builds the parts of the browser's MuJoCo, which is an optional package.
//
// Emscripten's bindings in @mujoco/mujoco make functions from text, which a strict content-security policy forbids. While the
// worker is bundled these two places are given closures that do the same, as Emscripten does when it is built with
// DYNAMIC_EXECUTION=0. The package's version is pinned; if the text is not found the build fails.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const replacements = [
  [
    `      let [args, invokerFnBody] = createJsInvoker(argTypes, isClassMethodFunc, returns, isAsync);
      var invokerFn = new Function(...args, invokerFnBody)(...closureArgs);
`,
    `      var invokerFn = function (...given) {
        checkArgCount(given.length, minArgs, expectedArgCount, humanName, throwBindingError);
        const destructors = needsDestructorStack ? [] : null;
        const wired = isClassMethodFunc ? [argTypes[1].toWireType(destructors, this)] : [];
        const first = isClassMethodFunc ? 1 : 2;
        for (let i = 2; i < argCount; i++) wired.push(argTypes[i].toWireType(destructors, given[i - 2]));
        const result = cppInvokerFunc(cppTargetFunc, ...wired);
        if (needsDestructorStack) runDestructors(destructors);
        else for (let i = first; i < argCount; i++) argTypes[i].destructorFunction?.(wired[i - first]);
        if (returns) return argTypes[0].fromWireType(result);
      };
`,
  ],
  [
    `      var invokerFunction = new Function(...params, functionBody)(...args);
`,
    `      var invokerFunction = (obj, func, destructorsRef, at) => {
        const given = types.map((t) => {
          const value = t.readValueFromPointer(at);
          at += t.argPackAdvance;
          return value;
        });
        const result = kind === 1 ? new func(...given) : kind === 0 ? func.call(obj, ...given) : func.call(...given);
        if (!retType.isVoid) return emval_returnValue(retType, destructorsRef, result);
      };
`,
  ],
];

const withoutEval = {
  name: 'without-eval',
  setup(b) {
    b.onLoad({ filter: /@mujoco[\\/]mujoco[\\/]mujoco\.js$/ }, ({ path }) => {
      let contents = readFileSync(path, 'utf8');
      for (const [from, to] of replacements) {
        if (contents.split(from).length !== 2)
          throw new Error(`${path} is not the version whose bindings embind.mjs knows`);
        contents = contents.replace(from, () => to);
      }
      return { contents, loader: 'js' };
    });
  },
};

/**
 * Writes the scripts that use MuJoCo, and the program compressed, into dist/static; returns their names, the program's bytes and
 * its version, or null without the package.
 */
export async function mujoco(options) {
  const path = 'node_modules/@mujoco/mujoco/mujoco.wasm';
  if (!existsSync(path)) {
    console.log('front end without MuJoCo: the optional npm package @mujoco/mujoco is absent');
    return null;
  }
  const { version } = JSON.parse(readFileSync('node_modules/@mujoco/mujoco/package.json', 'utf8'));
  const program = readFileSync(path);
  const packed = gzipSync(program, { level: 9 });
  const wasm = `mujoco-${createHash('sha256').update(program).digest('hex').slice(0, 12)}.wasm.gz`;
  writeFileSync(join('dist/static', wasm), packed);
  const result = await build({
    ...options,
    entryPoints: { 'mujoco-worker': 'src/worker/mujoco.ts', physics: 'src/worker/physics.ts' },
    outdir: 'dist/static',
    format: 'esm',
    splitting: true,
    minify: true,
    entryNames: '[name]-[hash]',
    chunkNames: 'mujoco-[hash]',
    metafile: true,
    plugins: [withoutEval],
    external: ['module', 'fs', 'path', 'url', 'crypto'], // what it uses under Node
  });
  const script = (entry) =>
    basename(Object.entries(result.metafile.outputs).find(([, o]) => o.entryPoint === entry)[0]);
  return {
    worker: script('src/worker/mujoco.ts'),
    physics: script('src/worker/physics.ts'),
    wasm,
    bytes: packed.length,
    version,
  };
}

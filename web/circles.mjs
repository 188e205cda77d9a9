// Finds files that import each other in a circle, imports of types alone and those at run time included: such files cannot be
// read one after the other. `node circles.mjs src` prints the circles and fails where there are any. (The bundler's own
// graph has no imports of types.)
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { argv, exit } from 'node:process';
import { pathToFileURL } from 'node:url';

const specifier = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g;

/** The source without comments. */
const code = (text) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');

/** The files that each TypeScript file below a folder imports. */
export function graph(folder) {
  const below = (dir) =>
    readdirSync(dir, { withFileTypes: true }).flatMap((e) =>
      e.isDirectory() ? below(join(dir, e.name)) : [normalize(join(dir, e.name))],
    );
  const files = below(folder).filter((f) => f.endsWith('.ts') && !f.endsWith('.d.ts'));
  const found = (from, to) =>
    [`${to}.ts`, `${to}/index.ts`, to]
      .map((f) => normalize(join(dirname(from), f)))
      .find((f) => f.endsWith('.ts') && existsSync(f));
  return new Map(
    files.map((f) => [
      f,
      [...new Set([...code(readFileSync(f, 'utf8')).matchAll(specifier)].map((m) => found(f, m[1])).filter(Boolean))],
    ]),
  );
}

/** The circles of a graph, each as the files one passes until the first comes again; one for every strongly connected part. */
export function circles(imports) {
  const out = [],
    index = new Map(),
    low = new Map(),
    stack = [];
  const visit = (file) => {
    index.set(file, index.size);
    low.set(file, index.get(file));
    stack.push(file);
    for (const next of imports.get(file) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(file, Math.min(low.get(file), low.get(next)));
    }
    if (low.get(file) !== index.get(file)) return;
    const part = stack.splice(stack.indexOf(file));
    if (part.length > 1 || imports.get(file)?.includes(file)) out.push(way(imports, file, new Set(part)));
  };
  for (const file of imports.keys()) if (!index.has(file)) visit(file);
  return out;
}

/** The shortest way from a file back to itself within a part of the graph. */
function way(imports, start, part) {
  const before = new Map();
  for (const queue = [start]; queue.length; ) {
    const file = queue.shift();
    for (const next of imports.get(file) ?? []) {
      if (!part.has(next) || before.has(next)) continue;
      before.set(next, file);
      if (next !== start) {
        queue.push(next);
        continue;
      }
      const path = [start];
      for (let f = file; f !== start; f = before.get(f)) path.unshift(f);
      return [start, ...path];
    }
  }
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  const found = circles(graph(argv[2] ?? 'src'));
  for (const c of found) console.error(`a circle of imports: ${c.join(' → ')}`);
  exit(found.length ? 1 : 0);
}

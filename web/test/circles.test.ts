import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { circles, graph } from '../circles.mjs';

test('circles of imports are found, of types and at run time too', () => {
  const root = mkdtempSync(join(tmpdir(), 'circles-'));
  try {
    mkdirSync(join(root, 'part'));
    const files: Record<string, string> = {
      'a.ts': "import { b } from './b';\nimport './lonely';",
      'b.ts': "import type { C } from './part/c';",
      'part/c.ts': "const later = import('../a');",
      'lonely.ts': "// import { a } from './a';\nexport * from 'a-package';",
      'self.ts': "export { x } from './self';",
      'part/index.ts': "import { a } from '../user';",
      'user.ts': "import {\n  a,\n} from './part';",
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
    const found = circles(graph(root)).map((c) => c.map((f) => f.slice(root.length + 1)));
    const turned = found.map((c) => {
      const at = c.indexOf([...c].sort()[0]!);
      return [...c.slice(at, -1), ...c.slice(0, at)].join(' ');
    });
    assert.deepEqual(turned.sort(), ['a.ts b.ts part/c.ts', 'part/index.ts user.ts', 'self.ts']);
  } finally {
    rmSync(root, { recursive: true });
  }
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { exportGo, pieces } from '../src/model/exportgo';
import type { NotebookJson } from '../src/model/nbformat';

const notebook = (...sources: string[]): NotebookJson => ({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: {},
  cells: sources.map((source, i) => ({
    id: `c${i}`,
    cell_type: source.startsWith('#') ? 'markdown' : 'code',
    source,
    metadata: {},
  })),
});

test('a cell falls into its pieces', () => {
  assert.deepEqual(
    pieces('import "fmt"\n\n// doc\ntype T int\nfunc (t T) M() {}\nx := 1\nfmt.Println(x)').map((p) => p.kind),
    ['import', 'top', 'top', 'run', 'run'],
  );
});

test('errors that cells leave out are checked as the kernel says', () => {
  const plain = {
    cells: ['x := checked1(f())\n'],
    declarations:
      'import "log"\n\n// check ends it.\nfunc check(err error) { log.Fatal(err) }\n\nfunc checked1[T0 any](v0 T0, err error) T0 {\n\tcheck(err)\n\treturn v0\n}\n',
  };
  const program = exportGo(notebook('# Text', 'x := f()'), 'N', plain);
  assert.match(
    program,
    /import \(\n\t"log"\n\)\n\n\/\/ check ends it.\nfunc check\(err error\).*\n\nfunc checked1\[T0 any\]/,
  );
  assert.match(program, /func main\(\) \{\n\t\/\/ # Text\n\tx := checked1\(f\(\)\)\n\t_ = x\n\}/);
});

test('the exported program runs and prints what the cells print', {
  skip: spawnSync('go', ['version']).status !== 0 && 'needs Go',
}, () => {
  const program = exportGo(
    notebook(
      '# A notebook\nwith `text`',
      'import (\n\t"fmt"\n\tm "math"\n)\ntype P struct{ X int }\n\n// Double doubles.\nfunc (p P) Double() int { return 2 * p.X }',
      'n := 3\nvar unused = "u"\nfunc fact(k int) int {\n\tif k < 2 {\n\t\treturn 1\n\t}\n\treturn k * fact(k-1)\n}\nfmt.Println(fact(n), P{n}.Double())',
      'import "fmt"\nn := "again" // declared anew\nfmt.Println(n, m.Sqrt(4))',
      '[]int{1, 2}[0:1]',
      '// a value\nlen(n)',
      'P{2}.X == 2',
      'float64(3)',
      '// doc\nP{1}.Double()',
      'n',
      'n = "set"; fmt.Println(n)\nfor i := range 2 { fmt.Print(i) }\nfmt.Println()',
    ),
    'My Notebook',
  );
  const dir = mkdtempSync(join(tmpdir(), 'nacre-export-'));
  try {
    writeFileSync(join(dir, 'main.go'), program);
    const run = spawnSync('go', ['run', 'main.go'], {
      cwd: dir,
      encoding: 'utf8',
      env: { ...process.env, GO111MODULE: 'off' },
    });
    assert.equal(run.stderr, '', program);
    assert.equal(run.stdout, '6 6\nagain 2\nset\n01\n');
  } finally {
    rmSync(dir, { recursive: true });
  }
});

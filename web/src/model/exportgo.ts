// A notebook as a Go program: imports and types at the top, everything that runs in main, in the notebook's order.

import { parser } from '@lezer/go';
import type { SyntaxNode } from '@lezer/common';
import type { NotebookJson } from './nbformat';

interface Piece {
  kind: 'import' | 'top' | 'run';
  text: string;
  source: string;
  names: string[];
}

const named = (node: SyntaxNode, code: string, name: string) =>
  node.getChildren(name).map((n) => code.slice(n.from, n.to));

/** Names that a declaration or := makes. */
function declared(node: SyntaxNode, code: string): string[] {
  if (node.name === 'VarDecl' || node.name === 'ConstDecl') {
    const specs = [
      ...node.getChildren('VarSpec'),
      ...node.getChildren('ConstSpec'),
      ...node.getChildren('SpecList').flatMap((l) => [...l.getChildren('VarSpec'), ...l.getChildren('ConstSpec')]),
    ];
    return [...named(node, code, 'DefName'), ...specs.flatMap((s) => named(s, code, 'DefName'))].filter(
      (n) => n !== '_',
    );
  }
  return [];
}

// Calls of these have a value that Go lets no statement drop: conversions, and built-in functions.
const valued = new Set(
  (
    'append cap complex imag len make max min new real any bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 ' +
    'rune string uint uint8 uint16 uint32 uint64 uintptr'
  ).split(' '),
);

/** Whether an expression may be a statement of a Go program, as calls may. */
function stands(statement: SyntaxNode, code: string): boolean {
  const value = statement.firstChild;
  if (value?.name !== 'CallExpr') return false;
  const callee = value.firstChild!;
  return (
    !['VariableName', 'SliceType', 'ArrayType', 'MapType'].includes(callee.name) ||
    (callee.name === 'VariableName' && !valued.has(code.slice(callee.from, callee.to)))
  );
}

/** The top-level pieces of a cell, with the comments before each. */
export function pieces(code: string): Piece[] {
  const out: Piece[] = [];
  let from = 0;
  for (let node = parser.parse(code).topNode.firstChild; node; node = node.nextSibling) {
    if (node.name === 'LineComment' || node.name === 'BlockComment' || node.name === ';') continue;
    const text = code
      .slice(from, node.to)
      .replace(/^[;\s]*\n/, '')
      .trimEnd();
    from = node.to;
    if (node.name === 'ImportDecl')
      out.push({ kind: 'import', text: code.slice(node.from, node.to), source: text, names: [] });
    else if (node.name === 'TypeDecl' || node.name === 'MethodDecl')
      out.push({ kind: 'top', text, source: text, names: [] });
    else if (node.name === 'FunctionDecl') {
      const name = node.getChild('DefName');
      out.push({
        kind: 'run',
        text: closure(code, node, name!),
        source: text,
        names: name ? [code.slice(name.from, name.to)] : [],
      });
    } else if (node.name === 'ExprStatement' && !stands(node, code)) {
      const kept = code.slice(node.from, node.to);
      out.push({
        kind: 'run',
        text: `${text.slice(0, text.length - kept.trimEnd().length)}_ = ${kept.trimEnd()}`,
        source: text,
        names: [],
      });
    } else out.push({ kind: 'run', text, source: text, names: declared(node, code) });
  }
  const rest = code.slice(from).replace(/^;/, '').trim();
  if (rest) out.push({ kind: 'run', text: rest, source: rest, names: [] });
  return out;
}

/** A function of a cell sees the variables of all cells: in the program it is a closure in main that may call itself. */
function closure(code: string, node: SyntaxNode, name: SyntaxNode): string {
  const comment = code.slice(0, node.from).match(/(?:^\/\/.*\n)*$/m)?.[0] ?? '';
  const body = node.getChild('Block');
  const id = code.slice(name.from, name.to);
  const signature = code.slice(name.to, body ? body.from : node.to).trim();
  return `${comment}var ${id} func${signature}\n${id} = func${signature} ${body ? code.slice(body.from, body.to) : '{}'}`;
}

const block = (text: string) =>
  text
    .split('\n')
    .map((l) => (l ? '\t' + l : l))
    .join('\n');

/** What a kernel says the cells of a notebook are in plain Go, and the declarations that takes. */
export interface PlainGo {
  cells: string[];
  declarations: string;
}

/**
 * The program. Errors that cells leave out end it, as a kernel says (plain). Each cell that declares a name again opens a scope of its own for what follows, as the kernel does.
 */
export function exportGo(nb: NotebookJson, title: string, plain?: PlainGo): string {
  const imports = new Set<string>();
  const top: string[] = [];
  const main: string[] = [];
  let depth = 0;
  let scope = new Set<string>();
  const used: string[] = [];
  for (const piece of pieces(plain?.declarations ?? '')) {
    if (piece.kind === 'import') specs(piece.text).forEach((s) => imports.add(s));
    else top.push(piece.source);
  }
  const code = [...(plain?.cells ?? nb.cells.filter((c) => c.cell_type === 'code').map((c) => c.source))];
  for (const cell of nb.cells) {
    if (cell.cell_type === 'markdown')
      main.push(
        cell.source
          .split('\n')
          .map((l) => `// ${l}`.trimEnd())
          .join('\n'),
      );
    if (cell.cell_type !== 'code') continue;
    for (const piece of pieces(code.shift()!)) {
      if (piece.kind === 'import') specs(piece.text).forEach((s) => imports.add(s));
      else if (piece.kind === 'top') top.push(piece.text);
      else {
        if (piece.names.some((n) => scope.has(n))) {
          main.push('{');
          depth++;
          scope = new Set();
        }
        piece.names.forEach((n) => scope.add(n));
        used.push(...piece.names);
        main.push(piece.text);
        if (piece.names.length) main.push(`${piece.names.map(() => '_').join(', ')} = ${piece.names.join(', ')}`);
      }
    }
    main.push('');
  }
  while (main[main.length - 1] === '') main.pop();
  return [
    `// Command ${title.toLowerCase().replace(/[^a-z0-9]+/g, '-') || 'notebook'} is the notebook ${title} as a program. What a cell shows as its last value is`,
    '// only computed here: print it to see it.',
    'package main',
    '',
    ...(imports.size ? ['import (', ...[...imports].sort().map((s) => '\t' + s), ')', ''] : []),
    ...top.flatMap((t) => [t, '']),
    'func main() {',
    block([...main, ...new Array(depth).fill('}')].join('\n')),
    '}',
    '',
  ].join('\n');
}

/** The specs of an import declaration, one a line. */
function specs(text: string): string[] {
  return [...text.replace(/\/\/.*$/gm, '').matchAll(/(?:([\w.]+)\s+)?("[^"]+"|`[^`]+`)/g)].map((m) =>
    m[1] && m[1] !== 'import' ? `${m[1]} ${m[2]}` : m[2]!,
  );
}

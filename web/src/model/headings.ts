// Sections: a markdown cell that begins with a heading owns the cells up to the next heading of its level or above.

import type { CellType } from './nbformat';

interface Sectioned {
  type: CellType;
  source: string;
  metadata: Record<string, unknown>;
}

/** The level 1–6 of the first heading in a markdown cell, 0 if there is none. */
export function headingLevel(cell: Pick<Sectioned, 'type' | 'source'>): number {
  if (cell.type !== 'markdown') return 0;
  let fence = '';
  for (const line of cell.source.split('\n')) {
    const mark = /^ {0,3}(```+|~~~+)/.exec(line)?.[1];
    if (mark && (!fence || mark.startsWith(fence))) fence = fence ? '' : mark;
    else if (!fence) {
      const level = /^ {0,3}(#{1,6})(\s|$)/.exec(line)?.[1]?.length;
      if (level) return level;
    }
  }
  return 0;
}

/** One past the last cell of the section that starts at index. */
export function sectionEnd(cells: readonly Sectioned[], index: number): number {
  const level = headingLevel(cells[index]!);
  if (!level) return index + 1;
  let end = index + 1;
  while (end < cells.length) {
    const next = headingLevel(cells[end]!);
    if (next && next <= level) break;
    end++;
  }
  return end;
}

/** For each cell, whether a folded heading above hides it. */
export function hiddenByFolding(cells: readonly Sectioned[]): boolean[] {
  const hidden = new Array<boolean>(cells.length).fill(false);
  for (let i = 0; i < cells.length; i++) {
    if (hidden[i] || !cells[i]!.metadata.heading_collapsed) continue;
    const end = sectionEnd(cells, i);
    for (let k = i + 1; k < end; k++) hidden[k] = true;
  }
  return hidden;
}

/** What a cell is called in the outline: its heading, or the first line that says something. */
export function titleOf(cell: Pick<Sectioned, 'type' | 'source'>): string {
  const lines = cell.source
    .split('\n')
    .map((l) => l.trim())
    .filter(Boolean);
  if (cell.type === 'code') {
    let grouped = false;
    for (const line of lines) {
      const head = /^import\s*\(/.test(line);
      if (!grouped && !head && !/^import\b/.test(line)) return line.replace(/^\/\/\s*/, '');
      grouped = (grouped || head) && !line.endsWith(')');
    }
    return lines[0] ?? 'empty';
  }
  const heading = headingLevel(cell) ? lines.find((l) => /^#{1,6}(\s|$)/.test(l)) : undefined;
  return (
    (heading ?? lines[0] ?? 'empty').replace(/^#{1,6}\s*/, '').replace(/[*_`]|\[([^\]]*)\]\([^)]*\)/g, '$1') || 'empty'
  );
}

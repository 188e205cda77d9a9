// What went with a kernel that ended unasked, in words.

import { fields } from '../model/json';
import type { Output } from '../model/nbformat';
import type { Cell } from '../model/notebook';

export interface Loss {
  /** Why it ended. */
  why: string;
  /** Whether the server ended, and the kernel with it. */
  server: boolean;
  /** The cell that ran when it ended. */
  ended: Cell | null;
  /** Cells whose names are gone. */
  ran: Cell[];
  /** Cells that waited and did not run. */
  waited: Cell[];
}

/** How far a cell's training is. */
export interface Progress {
  /** From 0 to 1. */
  share: number;
  /** Seconds; 0 unknown. */
  left: number;
  /** Processor, memory, disk. */
  uses: string;
  /** It was interrupted and can go on from its checkpoint. */
  paused: boolean;
}

/** How far a cell's training is, as the last output that tells says; null where none does. */
export function progressOf(outputs: Output[]): Progress | null {
  for (const o of [...outputs].reverse()) {
    if (!('data' in o)) continue;
    const { share, left, uses, paused } = fields(o.metadata.nacre);
    if (typeof share === 'number' && share >= 0 && share <= 1)
      return {
        share,
        left: typeof left === 'number' && left > 0 ? left : 0,
        uses: typeof uses === 'string' ? uses : '',
        paused: paused === true,
      };
  }
  return null;
}

/** The cells by the numbers they ran as: 1–3, 5. */
export function numbers(cells: Cell[]): string {
  const counts = [...new Set(cells.flatMap((c) => (c.count === null ? [] : [c.count])))].sort((a, b) => a - b);
  const ranges: [number, number][] = [];
  for (const n of counts) {
    const last = ranges.at(-1);
    if (last && last[1] === n - 1) last[1] = n;
    else ranges.push([n, n]);
  }
  return ranges.map(([a, b]) => (a === b ? a : b === a + 1 ? `${a}, ${b}` : `${a}–${b}`)).join(', ');
}

const named = (cells: Cell[], numbered = numbers(cells)) => (/[,–]/.test(numbered) ? 'cells ' : 'cell ') + numbered;

/** What the page says of a loss. */
export function sentences({ why, server, ended, ran, waited }: Loss): string {
  const cell = ended && (ended.count === null ? 'a cell' : named([ended]));
  const share = ended ? (progressOf(ended.outputs)?.share ?? null) : null;
  return [
    server
      ? `The server was started again; the kernel ended with it${cell ? ` while ${cell} ran` : ''}.`
      : cell
        ? `The kernel ended while ${cell} ran: ${why}.`
        : `The kernel ended: ${why}.`,
    share === null
      ? ''
      : `Its training was at ${Math.floor(share * 100)} % and goes on from its last checkpoint when the cell runs again.`,
    ran.length ? `What ${named(ran)} defined is gone.` : '',
    waited.length
      ? `${waited.length === 1 ? '1 cell that waited' : `${waited.length} cells that waited`} did not run.`
      : '',
    'Text and outputs are safe.',
  ]
    .filter(Boolean)
    .join(' ');
}

// What the address keeps of the page of embeddings, so that a link shows it again.

import type { Query } from './api';

export interface EmbeddingsState {
  open: string[];
  colour: string;
  hidden: string[];
  /** Other layouts select the same rows (row), the points with the same values in a column, or nothing (-); empty is as fits. */
  link: string;
  contours: boolean;
  /** Which layout the selection was made in, and what it is. */
  of: number;
  query: Query | null;
  places: ([number, number, number] | null)[];
}

const short = (v: number) => String(+v.toPrecision(6));

export function readState(search: string): EmbeddingsState {
  const q = new URLSearchParams(search);
  let query: Query | null = null;
  try {
    query = q.has('select') ? (JSON.parse(q.get('select')!) as Query) : null;
  } catch {
    /* a link that was cut: everything is shown */
  }
  return {
    open: q.getAll('open').slice(0, 3),
    colour: q.get('colour') ?? '',
    hidden: q.getAll('hide'),
    link: q.get('link') ?? '',
    contours: q.has('contours'),
    of: Math.max(0, Math.min(2, Number(q.get('of')) || 0)),
    query,
    places: q.getAll('at').map((text) => {
      const v = text.split(',').map(Number);
      return v.length === 3 && v.every(Number.isFinite) && v[2]! > 0 ? (v as [number, number, number]) : null;
    }),
  };
}

export function writeState(s: EmbeddingsState): string {
  const q = new URLSearchParams();
  for (const f of s.open) q.append('open', f);
  if (s.colour) q.set('colour', s.colour);
  for (const h of s.hidden) q.append('hide', h);
  if (s.link) q.set('link', s.link);
  if (s.contours) q.set('contours', '');
  if (s.query) {
    const few = {
      ...s.query,
      ...(s.query.polygon ? { polygon: s.query.polygon.map((p) => p.map((v) => +v.toPrecision(4))) } : {}),
    };
    q.set('select', JSON.stringify(few));
    if (s.of) q.set('of', String(s.of));
  }
  for (const p of s.places) q.append('at', p ? p.map(short).join() : '');
  return '?' + q.toString();
}

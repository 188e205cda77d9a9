// What the server knows of finished layouts; Go's package experiment/layouts answers.

import { answer, request } from '../protocol/request';

export interface ColumnInfo {
  name: string;
  names?: string[];
  count?: number[];
  lo: number;
  hi: number;
}
export interface Info {
  name: string;
  points: number;
  square: [number, number, number];
  columns: ColumnInfo[];
  planes?: string[];
  vectors: boolean;
  tiles: [number, number, number, number][];
}
export interface Query {
  rows?: string;
  polygon?: [number, number][];
  column?: string;
  values?: string[];
  lo?: number;
  hi?: number;
  text?: string;
  near?: { row: number; k: number };
}
export interface Group {
  name: string;
  points: number;
  within: number;
  nearest?: string;
  away?: number;
}
export interface Figures {
  points: number;
  within: number | null;
  between: number | null;
  ratio: number | null;
  groups: Group[];
}
export interface Place {
  row: number;
  at: [number, number];
  text: string[];
}
export interface Answer {
  count: number;
  rows: string;
  near?: { row: number; distance: number }[];
  places?: Place[];
  plane: Figures;
  original?: Figures;
}

/** A folder with a layout. */
export interface Entry {
  file: string;
  name: string;
  group: string;
}
export interface Listing {
  entries: Entry[];
  total: number;
  notes?: string[];
}

const at = (what: string, file: string, rest = '') => `api/layouts/${what}?file=${encodeURIComponent(file)}${rest}`;

const bytes = async (path: string, body?: unknown) =>
  (await answer(body === undefined ? 'GET' : 'POST', path, body)).arrayBuffer();

export const layouts = {
  list: () => request<Listing>('GET', 'api/layouts/list'),
  open: (file: string) => request<Info>('GET', at('open', file)),
  tile: (file: string, z: number, x: number, y: number) => bytes(at('tile', file, `&z=${z}&x=${x}&y=${y}`)),
  density: (file: string, size: number, column: string, hidden: number[]) =>
    bytes(
      at(
        'density',
        file,
        `&size=${size}` +
          (hidden.length ? `&column=${encodeURIComponent(column)}` + hidden.map((h) => `&hide=${h}`).join('') : ''),
      ),
    ),
  select: (file: string, query: Query, group: string) =>
    request<Answer>('POST', 'api/layouts/select', { file, query, group }),
  csv: (file: string, query: Query) => bytes('api/layouts/csv', { file, query }),
};

// What the server knows of runs; Go's package experiment/runs answers.

import { request } from '../protocol/request';

export type State = 'running' | 'queued' | 'waiting' | 'interrupted' | 'failed' | 'broken' | 'finished' | 'log';
export interface Note {
  text: string;
  tags: string[];
  revision: number;
  problem?: string;
}

export interface Run {
  path: string;
  group: string;
  algorithm: string;
  title: string;
  family: string;
  preset: string;
  seed: number;
  state: State;
  problem?: string;
  iterations: number;
  env_steps: number;
  updates: number;
  share: number;
  seconds: number;
  left: number;
  latest: Record<string, number | string>; // a text where the number is infinite
  device: string;
  started: string;
  changed: string;
  note: Note;
  version: number;
  identity: string; // of several runs with one at most one counts in a mean
  numbers?: string; // the same of copies of one run, and of logs that begin alike
  about?: string; // of another program's log: what it is and which columns are taken
}

export interface Job {
  path: string;
  resume?: boolean;
  args?: string[];
  added: string;
  error?: string;
}

/** Something made of a run, in the making: waiting, under way, or given up. */
export interface Making {
  path: string;
  what: Product;
  began: string;
  line: string;
  error?: string;
}
export type Product = 'embedding' | 'rollout' | 'report';
export type Freshness = 'missing' | 'older' | 'fresh';

export interface Listing {
  version: number;
  total: number;
  runs: Run[];
  removed?: string[];
  root: string;
  columns: string[];
  shape: string;
  values: Record<string, string[]>;
  waiting: Job[];
  failed: Job[];
  starts: boolean;
  making: Making[];
}

export interface Curve {
  path: string;
  column: string;
  steps: number[];
  updates: number[];
  seconds: number[];
  values: (number | string)[];
  notes?: string[]; // what was left out
}
export interface Session {
  started: string;
  program: string;
  commit: string;
  device: string;
  family: string;
  notices: string[] | null;
}
export interface Interval {
  mean: number;
  lo?: number; // none of one task
  hi?: number;
}
/** A test task: its parameters, and the means by trajectory. */
export interface AdaptedTask {
  params: number[] | null;
  return: number[] | null;
  success?: number[] | null;
}
export interface Detail {
  log: string;
  record: { Sessions: Session[] | null };
  files: string[];
  dir: string;
  products: Record<Product, Freshness>;
  adapted?: { return: Interval[]; success: Interval[] | null };
  tasks?: AdaptedTask[];
  report?: string;
}
export interface Spec {
  preset: string;
  set: string[];
  seed: number | null;
  name: string;
  device: string;
}

const query = (runs: string[]) => runs.map((r) => `run=${encodeURIComponent(r)}`).join('&');

export const api = {
  list: (since: number, shape: string) => request<Listing>('GET', `api/runs/list?since=${since}&shape=${shape}`),
  curves: (column: string, runs: string[]) =>
    request<Curve[]>('GET', `api/runs/curve?column=${encodeURIComponent(column)}&${query(runs)}`),
  settings: (runs: string[]) => request<Record<string, string>[]>('GET', `api/runs/settings?${query(runs)}`),
  run: (run: string) => request<Detail>('GET', `api/runs/run?${query([run])}`),
  note: (run: string, note: Note) => request<Note>('PUT', `api/runs/note?${query([run])}`, note),
  presets: () =>
    request<{ names: string[]; about: string[]; algorithms: string[]; titles: string[] }>('GET', 'api/runs/presets'),
  defaults: (preset: string, algorithm: string) =>
    request<Record<string, string>>('GET', `api/runs/defaults?${new URLSearchParams({ preset, algorithm })}`),
  start: (spec: Spec) => request<{ path: string }>('POST', 'api/runs/start', spec),
  make: (run: string, what: Product) => request<unknown>('POST', `api/runs/make?${query([run])}&what=${what}`),
  cancel: (run: string, what: Product) => request<unknown>('POST', `api/runs/cancel?${query([run])}&what=${what}`),
  job: (what: 'resume' | 'stop' | 'forget', run: string) =>
    request<{ path: string }>('POST', `api/runs/${what}?${query([run])}`),
};

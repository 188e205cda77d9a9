// What the t-SNE page and its worker say to each other. The program in the worker is wasm/tsne.

import type { Program } from '../site/wasm';

export type Method = '' | 'exact' | 'fft' | 'barnes-hut';

export interface LayoutOptions {
  perplexity: number;
  seed: number;
  start: 'pca' | 'random';
  /** How the repulsion is computed; empty is the quickest. The layout is that of the same method natively, bit for bit. */
  method: Method;
  device: Device;
}

/** Where iterations are made: on a real GPU where there is one, on the processor, on any adapter of WebGPU's. */
export type Device = 'auto' | 'cpu' | 'webgpu';

export type ToWorker =
  | { kind: 'load'; folder: string; exec: string; program: Program }
  | { kind: 'open'; name: string; bytes: Uint8Array; label: string }
  | { kind: 'example' }
  | { kind: 'label'; label: string }
  | ({ kind: 'layout' } & LayoutOptions)
  | { kind: 'perplexity'; value: number }
  | { kind: 'pause' }
  /** Ends the search for neighbours. */
  | { kind: 'stop' }
  /** Goes on; where nothing is left of the plan, with so many iterations more. */
  | { kind: 'continue'; iterations: number }
  /** An array of positions that has been drawn. */
  | { kind: 'back'; positions: Float32Array };

/** A layout that several programs compute. */
export interface Job extends LayoutOptions {
  points: number;
  columns: number;
  /** The data, row by row. */
  mean: Float64Array;
}

/** What a program's worker says to one whose program helps it. */
export interface ToHelper {
  kind: 'help';
  exec: string;
  module: WebAssembly.Module;
  shared: SharedArrayBuffer;
  rank: number;
  of: number;
  job: Job;
}

export interface Data {
  name: string;
  points: number;
  columns: number;
  /** Of each point, the index of its group in names. */
  group: Int32Array;
  names: string[];
  /** points rows of columns numbers. */
  values: Float32Array;
  /** The points are those of before, and their layout stays. */
  same: boolean;
  /** What of the file may serve as labels. */
  labels: string[];
  /** How the file was read: what is laid out, assumed, left out. */
  notes: string[];
  /** The largest perplexity so many points allow. */
  largest: number;
}

export type FromWorker =
  | { kind: 'loading'; loaded: number; total: number; cached: boolean }
  | { kind: 'ready' }
  | ({ kind: 'data' } & Data)
  /** What may serve as labels in a file that cannot be read as it is. */
  | { kind: 'labels'; labels: string[] }
  /** The name of a GPU that computes, or nothing; and why there is none where there might be. */
  | { kind: 'began'; of: number; method: Method; seconds: number; programs: number; device: string; notice: string }
  /** Something about the layout that forms. */
  | { kind: 'notice'; text: string }
  /** The layout did not begin, as was asked. */
  | { kind: 'stopped' }
  | { kind: 'positions'; positions: Float32Array; iteration: number; of: number; seconds: number }
  | { kind: 'done'; iteration: number; seconds: number; kl: number; notes: string[] }
  | { kind: 'problem'; text: string }
  | { kind: 'ended'; reason: string };

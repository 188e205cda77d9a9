// Notebook files: nbformat 4, read leniently and written as 4.5.

import { fields } from './json';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type MimeBundle = Record<string, Json>;

export interface StreamOutput {
  output_type: 'stream';
  name: 'stdout' | 'stderr';
  text: string;
}
export interface DataOutput {
  output_type: 'display_data' | 'execute_result';
  data: MimeBundle;
  metadata: Record<string, Json>;
  execution_count?: number | null;
  /** The id under which a running kernel may replace it; not written to the file. */
  displayId?: string;
}
export interface ErrorOutput {
  output_type: 'error';
  ename: string;
  evalue: string;
  traceback: string[];
}
export type Output = StreamOutput | DataOutput | ErrorOutput;

export type CellType = 'code' | 'markdown' | 'raw';
/** Members that other programs understand too; whatever else a file has is kept. */
export type Metadata = Record<string, unknown> & {
  execution?: Record<string, string | undefined>;
  jupyter?: Record<string, unknown> & { source_hidden?: boolean };
  kernelspec?: { name?: string; display_name?: string; language?: string };
  language_info?: { name?: string };
};

export interface CellJson {
  id: string;
  cell_type: CellType;
  source: string;
  metadata: Metadata;
  attachments?: Record<string, MimeBundle>;
  outputs?: Output[];
  execution_count?: number | null;
}

export interface NotebookJson {
  cells: CellJson[];
  metadata: Metadata;
  nbformat: number;
  nbformat_minor: number;
}

/** A file that cannot be opened as a notebook; the message says why. */
export class NotebookFormatError extends Error {}

export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(4));
  return [...bytes].map((b) => b.toString(16).padStart(2, '0')).join('');
}

function isObject(v: unknown): v is Metadata {
  return typeof v === 'object' && v !== null && !Array.isArray(v);
}

/** A whole number; null of anything else. */
const integer = (v: unknown) => (Number.isInteger(v) ? (v as number) : null);

/** Text that a file holds as one string or as a list of lines. */
export function joined(v: unknown): string {
  if (Array.isArray(v)) return v.map((x) => (typeof x === 'string' ? x : '')).join('');
  return typeof v === 'string' ? v : '';
}

const jsonMime = /^application\/(.*\+)?json$/;

function parseBundle(v: unknown): MimeBundle {
  const bundle: MimeBundle = {};
  if (!isObject(v)) return bundle;
  for (const [mime, data] of Object.entries(v)) {
    bundle[mime] = (!jsonMime.test(mime) && Array.isArray(data) ? joined(data) : data) as Json;
  }
  return bundle;
}

export function parseOutput(v: unknown): Output | null {
  if (!isObject(v)) return null;
  switch (v.output_type) {
    case 'stream':
      return { output_type: 'stream', name: v.name === 'stderr' ? 'stderr' : 'stdout', text: joined(v.text) };
    case 'display_data':
    case 'execute_result': {
      const output: DataOutput = {
        output_type: v.output_type,
        data: parseBundle(v.data),
        metadata: (isObject(v.metadata) ? v.metadata : {}) as Record<string, Json>,
      };
      if (v.output_type === 'execute_result') output.execution_count = integer(v.execution_count);
      const id = fields(v.transient).display_id;
      if (typeof id === 'string') output.displayId = id;
      return output;
    }
    case 'error':
      return {
        output_type: 'error',
        ename: joined(v.ename),
        evalue: joined(v.evalue),
        traceback: Array.isArray(v.traceback) ? v.traceback.map((line: unknown) => String(line)) : [],
      };
    default:
      return null;
  }
}

function parseCell(v: unknown, index: number, used: Set<string>): CellJson {
  if (!isObject(v)) throw new NotebookFormatError(`Cell ${index + 1} is not an object.`);
  const type = v.cell_type;
  if (type !== 'code' && type !== 'markdown' && type !== 'raw') {
    throw new NotebookFormatError(
      `Cell ${index + 1} has the type ${JSON.stringify(type)}; expected "code", "markdown" or "raw".`,
    );
  }
  let id = typeof v.id === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(v.id) ? v.id : newId();
  while (used.has(id)) id = newId();
  used.add(id);
  const cell: CellJson = {
    id,
    cell_type: type,
    source: joined(v.source),
    metadata: isObject(v.metadata) ? { ...v.metadata } : {},
  };
  if (isObject(v.attachments)) {
    cell.attachments = Object.fromEntries(Object.entries(v.attachments).map(([k, b]) => [k, parseBundle(b)]));
  }
  if (type === 'code') {
    cell.outputs = (Array.isArray(v.outputs) ? v.outputs : []).map(parseOutput).filter((o): o is Output => o !== null);
    cell.execution_count = integer(v.execution_count);
  }
  return cell;
}

/** Reads the content of a notebook file. Missing ids are made, unknown outputs dropped, everything else kept. */
export function parseNotebook(v: unknown): NotebookJson {
  if (!isObject(v)) throw new NotebookFormatError('The file is not a notebook: its content is not a JSON object.');
  if (v.nbformat !== 4) {
    throw new NotebookFormatError(
      `The file has notebook format ${JSON.stringify(v.nbformat)}; expected 4. ` +
        ((v.nbformat as number) < 4
          ? 'Jupyter can convert it: jupyter nbconvert --to notebook.'
          : 'It was written by a newer program.'),
    );
  }
  if (!Array.isArray(v.cells)) throw new NotebookFormatError('The file is not a notebook: it has no list of cells.');
  const used = new Set<string>();
  return {
    cells: v.cells.map((c: unknown, i: number) => parseCell(c, i, used)),
    metadata: isObject(v.metadata) ? v.metadata : {},
    nbformat: 4,
    nbformat_minor: Math.max(5, integer(v.nbformat_minor) ?? 5),
  };
}

/** The lines of a text with their line ends, the form in which files diff well. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function bundleToFile(bundle: MimeBundle): MimeBundle {
  return Object.fromEntries(
    Object.entries(bundle).map(([mime, data]) => [
      mime,
      typeof data === 'string' &&
      (mime.startsWith('text/') || mime === 'application/javascript' || mime === 'image/svg+xml')
        ? splitLines(data)
        : data,
    ]),
  );
}

function outputToFile(o: Output): Json {
  if (o.output_type === 'stream') return { ...o, text: splitLines(o.text) };
  if (o.output_type === 'error') return { ...o };
  const file: Record<string, unknown> = {
    output_type: o.output_type,
    data: bundleToFile(o.data),
    metadata: o.metadata,
  };
  if (o.output_type === 'execute_result') file.execution_count = o.execution_count ?? null;
  return file as Json;
}

/** The file's form of a notebook. */
export function toFile(nb: NotebookJson): Json {
  return {
    cells: nb.cells.map((c) => {
      const file: Record<string, unknown> = {
        cell_type: c.cell_type,
        id: c.id,
        metadata: c.metadata,
        source: splitLines(c.source),
      };
      if (c.cell_type === 'code') {
        file.execution_count = c.execution_count ?? null;
        file.outputs = (c.outputs ?? []).map(outputToFile);
      } else if (c.attachments) {
        file.attachments = c.attachments;
      }
      return file;
    }),
    metadata: nb.metadata,
    nbformat: nb.nbformat,
    nbformat_minor: nb.nbformat_minor,
  } as Json;
}

// Notebook files: nbformat 4, read leniently. What the page does not know, or cannot show, is written as it was read.

import { type Fields, fields } from './json';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type MimeBundle = Record<string, Json>;

/** What the file has in a place, where that is more or other than what this page knows of it. */
interface FromFile {
  file?: unknown;
}

export interface StreamOutput extends FromFile {
  output_type: 'stream';
  name: 'stdout' | 'stderr';
  text: string;
}
export interface DataOutput extends FromFile {
  output_type: 'display_data' | 'execute_result';
  data: MimeBundle;
  metadata: Record<string, Json>;
  execution_count?: number | null;
  /** The id under which a running kernel may replace it; not written to the file. */
  displayId?: string;
}
export interface ErrorOutput extends FromFile {
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

export interface CellJson extends FromFile {
  id: string;
  cell_type: CellType;
  source: string;
  metadata: Metadata;
  attachments?: Record<string, MimeBundle>;
  outputs?: Output[];
  execution_count?: number | null;
}

export interface NotebookJson extends FromFile {
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

/** An output of a message; null for what is none. */
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

/** An output of a file. One of an unknown kind is shown as text. */
function fileOutput(v: unknown): Output {
  const known = parseOutput(v);
  const output: Output = known ?? {
    output_type: 'display_data',
    data: { 'text/plain': `[an output that is not shown here]\n${JSON.stringify(v, null, 1)}` },
    metadata: {},
  };
  const { transient, ...file } = fields(v);
  if (!known || !sameJson(plainOutput(output), { ...file, ...joinedTexts(file) })) output.file = known ? file : v;
  return output;
}

/** Of a file's output those texts that it may hold as lines. */
function joinedTexts(file: Fields): Fields {
  const texts: Fields = {};
  if (isLines(file.text)) texts.text = joined(file.text);
  if (isObject(file.data))
    texts.data = Object.fromEntries(
      Object.entries(file.data).map(([mime, v]) => [mime, !jsonMime.test(mime) && isLines(v) ? joined(v) : v]),
    );
  return texts;
}

/** Whether two values are the same JSON. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((k) => Object.hasOwn(b, k) && sameJson((a as Fields)[k], (b as Fields)[k]))
  );
}

/** What a cell of a kind that is unknown here is called; '' of the others. */
export function foreignKind(file: unknown): string {
  if (file === undefined) return '';
  if (!isObject(file)) return 'a cell that is no JSON object';
  const type = file.cell_type;
  return type === 'code' || type === 'markdown' || type === 'raw' ? '' : `a cell of type ${JSON.stringify(type)}`;
}

function parseCell(v: unknown, used: Set<string>): CellJson {
  const file = fields(v);
  const type = foreignKind(v) ? 'raw' : (file.cell_type as CellType);
  let id = typeof file.id === 'string' && file.id ? file.id : newId();
  while (used.has(id)) id = newId();
  used.add(id);
  const cell: CellJson = {
    id,
    cell_type: type,
    source: isObject(v) ? joined(file.source) : JSON.stringify(v, null, 1),
    metadata: isObject(file.metadata) ? { ...file.metadata } : {},
  };
  if (type !== 'code' && isObject(file.attachments)) {
    cell.attachments = Object.fromEntries(Object.entries(file.attachments).map(([k, b]) => [k, parseBundle(b)]));
  }
  if (type === 'code') {
    cell.outputs = (Array.isArray(file.outputs) ? file.outputs : []).map(fileOutput);
    cell.execution_count = integer(file.execution_count);
  }
  const plain = plainCell(cell);
  const odd =
    !isObject(v) ||
    Object.keys(file).some((k) => !(k in plain)) ||
    !isObject(file.metadata) ||
    !(typeof file.source === 'string' || isLines(file.source)) ||
    type !== file.cell_type ||
    (type === 'code' && (!Array.isArray(file.outputs) || cell.execution_count !== file.execution_count));
  if (odd) cell.file = v;
  return cell;
}

const isLines = (v: unknown) => Array.isArray(v) && v.every((line) => typeof line === 'string');

/** Reads the content of a notebook file. Missing ids are made, everything else is kept. */
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
  const { cells, ...file } = v;
  return {
    cells: v.cells.map((c: unknown) => parseCell(c, used)),
    metadata: isObject(v.metadata) ? v.metadata : {},
    nbformat: 4,
    nbformat_minor: integer(v.nbformat_minor) ?? 5,
    file,
  };
}

/** The lines of a text with their line ends, the form in which files diff well. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

const splits = (mime: string) =>
  mime.startsWith('text/') || mime === 'application/javascript' || mime === 'image/svg+xml';

/** The file with its texts as lists of lines, as Jupyter writes it. A server does that by itself. */
export function inLines(file: Json): Json {
  const split = (v: unknown) => (typeof v === 'string' ? splitLines(v) : v);
  const output = (v: unknown): unknown => {
    if (!isObject(v)) return v;
    const { text, data } = v;
    return {
      ...v,
      ...(text === undefined ? {} : { text: split(text) }),
      ...(isObject(data)
        ? { data: Object.fromEntries(Object.entries(data).map(([m, d]) => [m, splits(m) ? split(d) : d])) }
        : {}),
    };
  };
  const cell = (v: unknown): unknown => {
    if (!isObject(v)) return v;
    const { source, outputs } = v;
    return {
      ...v,
      ...(source === undefined ? {} : { source: split(source) }),
      ...(Array.isArray(outputs) ? { outputs: outputs.map(output) } : {}),
    };
  };
  const { cells } = fields(file);
  return { ...fields(file), cells: Array.isArray(cells) ? cells.map(cell) : cells } as Json;
}

function plainOutput(o: Output): Fields {
  if (o.output_type === 'stream') return { output_type: 'stream', name: o.name, text: o.text };
  if (o.output_type === 'error')
    return { output_type: 'error', ename: o.ename, evalue: o.evalue, traceback: o.traceback };
  const file: Fields = { output_type: o.output_type, data: o.data, metadata: o.metadata };
  if (o.output_type === 'execute_result') file.execution_count = o.execution_count ?? null;
  return file;
}

function outputToFile(o: Output): unknown {
  const plain = plainOutput(o);
  if (o.file !== undefined && sameJson(plain, plainOutput(fileOutput(o.file)))) return o.file;
  return isObject(o.file) && parseOutput(o.file) ? { ...o.file, ...plain } : plain;
}

function plainCell(c: CellJson): Fields {
  const file: Fields = { cell_type: c.cell_type, id: c.id, metadata: c.metadata, source: c.source };
  if (c.cell_type === 'code') {
    file.execution_count = c.execution_count ?? null;
    file.outputs = (c.outputs ?? []).map(outputToFile);
  } else if (c.attachments) file.attachments = c.attachments;
  return file;
}

/** The file's form of a cell. What was not changed of an odd one is as the file had it. */
function cellToFile(c: CellJson): unknown {
  const plain = plainCell(c);
  if (c.file === undefined) return plain;
  const was = parseCell(c.file, new Set());
  const kept = c.cell_type === was.cell_type;
  if (!isObject(c.file)) return kept && c.source === was.source ? c.file : plain;
  const file: Fields = { ...c.file, id: c.id };
  const put = (key: string, same: boolean) => {
    if (!same) file[key] = plain[key];
  };
  put('cell_type', kept);
  put('source', c.source === was.source);
  put('metadata', sameJson(c.metadata, was.metadata));
  if (kept) {
    if (c.cell_type === 'code') {
      put('execution_count', c.execution_count === was.execution_count);
      put('outputs', !c.outputs?.length && !was.outputs?.length);
    } else if (c.attachments) file.attachments = c.attachments;
    return file;
  }
  for (const key of ['execution_count', 'outputs', 'attachments']) {
    if (key in plain) file[key] = plain[key];
    else delete file[key];
  }
  return file;
}

/** The file's form of a notebook. */
export function toFile(nb: NotebookJson): Json {
  const file = fields(nb.file);
  const keep = nb.file !== undefined && !isObject(file.metadata) && !Object.keys(nb.metadata).length;
  return {
    ...(nb.file === undefined ? { nbformat_minor: nb.nbformat_minor } : {}),
    ...file,
    cells: nb.cells.map(cellToFile),
    metadata: keep ? file.metadata : nb.metadata,
    nbformat: nb.nbformat,
  } as unknown as Json;
}

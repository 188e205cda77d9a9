// A table's data, and the rows of it that are asked for.

import { fields } from '../../model/json';

export interface Column {
  name: string;
  /** Of a column of numbers: null is a missing value; what is not finite is text. */
  number: boolean;
  values: (number | string | null)[];
  /** Digits behind the decimal point, and whether numbers are written with an exponent. */
  digits: number;
  exponent: boolean;
  /** Digits are significant ones. */
  significant: boolean;
}

/** rows counts those of the whole table, of which the columns may hold the first only. notes are what is to be said of it. */
export interface Table {
  rows: number;
  columns: Column[];
  notes: string[];
}

export function decode(data: unknown): Table {
  const v = fields(data);
  if (v.version !== 1) throw new Error(`The table has version ${JSON.stringify(v.version)}; expected 1.`);
  if (!Array.isArray(v.columns)) throw new Error('The table has no list of columns.');
  const list = v.columns.map(fields);
  const columns = list.map((c, i): Column => {
    const name = String(c.name ?? i);
    if (!Array.isArray(c.values)) throw new Error(`Column ${name} of the table has no list of values.`);
    const first = (list[0]!.values as unknown[]).length;
    if (c.values.length !== first)
      throw new Error(`Column ${name} of the table has ${c.values.length} values, the first one ${first}.`);
    const digits = Math.min(20, Math.max(0, Math.trunc(Number(c.digits) || 0)));
    return {
      name,
      number: c.number === true,
      values: c.values,
      digits,
      exponent: c.exponent === true,
      significant: c.significant === true,
    };
  });
  return {
    rows: Math.max(Number(v.rows) || 0, columns[0]?.values.length ?? 0),
    columns,
    notes: Array.isArray(v.notes) ? v.notes.map(String) : [],
  };
}

/** A cell as it is shown. */
export function cellText(c: Column, row: number): string {
  const v = c.values[row];
  if (v === null || v === undefined) return '';
  if (typeof v !== 'number') return String(v);
  if (c.significant) return String(Number(v.toPrecision(Math.max(1, c.digits)))).replaceAll('-', '−');
  return (c.exponent ? v.toExponential(c.digits) : v.toFixed(c.digits)).replace('-', '−');
}

/** The value of a cell of numbers; NaN where it is missing. */
function number(v: Column['values'][number] | undefined): number {
  if (typeof v === 'string') return v === '+Inf' ? Infinity : v === '-Inf' ? -Infinity : Number(v);
  return v ?? NaN;
}

/** The order of whole numbers that JavaScript holds as one, which come as text. */
const wholes = (x: unknown, y: unknown): number =>
  [x, y].every((v) => typeof v === 'string' && /^-?\d+$/.test(v))
    ? Number(BigInt(x as string) > BigInt(y as string)) - Number(BigInt(x as string) < BigInt(y as string))
    : 0;

/** What a filter asks of a row: that a column compares with a value, or that a cell holds a word. */
type Condition = (row: number) => boolean;

/** The parts of a filter; those that compare have a name, a sign and a value. */
const parts = (text: string) =>
  (text.match(/"[^"]*"|\S+/g) ?? []).map((part) => {
    const [, name, sign, value] = /^([^<>=!"]+)(<=|>=|!=|=|<|>)(.*)$/.exec(part) ?? [];
    return { part, name, sign, value };
  });

const columnNamed = (table: Table, name?: string) =>
  table.columns.find((c) => c.name.toLowerCase() === name?.toLowerCase());

/** The names that a filter compares and that no column has. */
export const unknownNames = (text: string, table: Table): string[] =>
  parts(text).flatMap(({ name }) => (name && !columnNamed(table, name) ? [name] : []));

/** Reads a filter: words, and conditions such as return>-10, arm=tcl or seed!=2, all of which must hold. */
export function readFilter(text: string, table: Table): Condition[] {
  return parts(text).map(({ part, name, sign, value }) => {
    const column = columnNamed(table, name);
    if (column && sign && value !== undefined) return compares(column, sign, value);
    const word = part.replace(/^"|"$/g, '').toLowerCase();
    return (row) => table.columns.some((c) => cellText(c, row).replace('−', '-').toLowerCase().includes(word));
  });
}

/** A filter that this table answers, as an example: a comparison of numbers, or else of text; '' where no column has a name for one. */
export function exampleFilter(table: Table): string {
  // Space parts conditions, and signs end a column's name.
  const plain = (s: string) => s !== '' && !/[\s"<>=!]/.test(s);
  const named = table.columns.filter((c) => plain(c.name));
  for (const c of [...named.filter((c) => c.number), ...named.filter((c) => !c.number)]) {
    const middle = Math.floor(c.values.length / 2);
    for (const row of [middle, 0]) {
      const value = cellText(c, row).replace('−', '-');
      if (plain(value) && value.length <= 12) return c.name + (c.number ? '>' : '=') + value;
    }
  }
  return '';
}

function compares(column: Column, sign: string, value: string): Condition {
  const wanted = column.number ? Number(value) : value.toLowerCase();
  const at = (row: number) => {
    const v = column.values[row];
    return column.number ? number(v) : String(v ?? '').toLowerCase();
  };
  switch (sign) {
    case '=':
      return (row) => at(row) === wanted;
    case '!=':
      return (row) => at(row) !== wanted;
    case '<':
      return (row) => at(row) < wanted;
    case '<=':
      return (row) => at(row) <= wanted;
    case '>':
      return (row) => at(row) > wanted;
    default:
      return (row) => at(row) >= wanted;
  }
}

/** The rows that pass a filter, sorted by a column: missing values last, equal ones in their order. */
export function pick(table: Table, filter: string, sort: { column: number; down: boolean } | null): number[] {
  const conditions = readFilter(filter, table);
  const rows: number[] = [];
  for (let row = 0; row < (table.columns[0]?.values.length ?? 0); row++)
    if (conditions.every((holds) => holds(row))) rows.push(row);
  const by = sort && table.columns[sort.column];
  if (!by) return rows;
  const missing = (v: number | string | null | undefined) => v === null || v === undefined || v === '';
  return rows.sort((a, b) => {
    const x = by.values[a],
      y = by.values[b];
    if (missing(x) || missing(y)) return Number(missing(x)) - Number(missing(y));
    const order = by.number
      ? Math.sign(number(x) - number(y)) || wholes(x, y)
      : String(x).localeCompare(String(y), undefined, { numeric: true });
    return (sort.down ? -order : order) || a - b;
  });
}

/** Rows as a CSV file. */
export function csv(table: Table, rows: number[]): string {
  const quote = (s: string) => (/[",\n\r]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s);
  const lines = [
    table.columns.map((c) => quote(c.name)),
    ...rows.map((row) => table.columns.map((c) => quote(String(c.values[row] ?? '')))),
  ];
  return lines.map((l) => l.join(',') + '\n').join('');
}

// A control's JSON, as Go's package library/display makes it.

import { fields } from '../../model/json';
import { escapeHtml } from '../../highlight';
import type { Json, MimeBundle, Output } from '../../model/nbformat';
import { ownTypes } from '../mime';

const { mime } = ownTypes.control;

interface Common {
  id: string;
  label: string;
}
export type Control = Common &
  (
    | { kind: 'slider'; value: number | null; low: number; high: number; step: number }
    | { kind: 'select'; value: number; options: string[] }
    | { kind: 'toggle'; value: boolean }
    | { kind: 'button'; value: number }
    | { kind: 'text'; value: string }
  );

export function decode(data: unknown): Control {
  const v = fields(data);
  if (v.version !== 1) throw new Error(`The control has version ${JSON.stringify(v.version)}; expected 1.`);
  const common = { id: String(v.id ?? ''), label: String(v.label ?? '') };
  const bad = () =>
    new Error(
      `The control ${common.label} is a ${JSON.stringify(v.kind)} with the value ${JSON.stringify(v.value)?.slice(0, 40)}, which cannot be.`,
    );
  const number = (x: unknown): x is number => typeof x === 'number' && Number.isFinite(x);
  switch (v.kind) {
    case 'slider': {
      const { value, low, high, step } = v;
      if (
        !(value === null || number(value)) ||
        !number(low) ||
        !number(high) ||
        !number(step) ||
        !(low < high) ||
        !(step > 0)
      )
        throw bad();
      return { ...common, kind: 'slider', value, low, high, step };
    }
    case 'select':
      if (
        !Array.isArray(v.options) ||
        !v.options.length ||
        !number(v.value) ||
        !Number.isInteger(v.value) ||
        v.value >= v.options.length
      )
        throw bad();
      return { ...common, kind: 'select', value: v.value as number, options: v.options.map(String) };
    case 'toggle':
      if (typeof v.value !== 'boolean') throw bad();
      return { ...common, kind: 'toggle', value: v.value };
    case 'button':
      if (!number(v.value)) throw bad();
      return { ...common, kind: 'button', value: v.value };
    case 'text':
      if (typeof v.value !== 'string') throw bad();
      return { ...common, kind: 'text', value: v.value };
  }
  throw new Error(
    `The control ${common.label} is of kind ${JSON.stringify(v.kind)}; expected "slider", "select", "toggle", "button" or "text".`,
  );
}

/** The decimals that a slider's values need. */
export function decimals(low: number, step: number): number {
  const of = (x: number) => {
    for (let d = 0; d < 8; d++)
      if (Math.abs(x * 10 ** d - Math.round(x * 10 ** d)) < 1e-9 * Math.max(1, Math.abs(x * 10 ** d))) return d;
    return 8;
  };
  return Math.max(of(low), of(step));
}

/** What a control shows, in a word. */
function wordOf(c: Control): string {
  switch (c.kind) {
    case 'select':
      return c.options[c.value] ?? '–';
    case 'toggle':
      return c.value ? 'on' : 'off';
    default:
      return String(c.value);
  }
}

/** The controls among outputs as a kernel takes them when their cell runs: by what follows the cell in their id. */
export function controlsOf(outputs: Output[]): Record<string, Json> {
  const kept: Record<string, Json> = {};
  for (const o of outputs) {
    const v = fields('data' in o && o.data[mime]);
    if (typeof v.id === 'string' && v.id.includes('/'))
      kept[v.id.slice(v.id.indexOf('/') + 1)] = { kind: v.kind, initial: v.initial, value: v.value } as Json;
  }
  return kept;
}

/** The forms of a control that has another value, for a notebook without a kernel; null where it cannot have it. */
export function moved(data: MimeBundle, value: unknown): MimeBundle | null {
  const json = { ...fields(data[mime]), value } as Json;
  try {
    const control = decode(json);
    if (control.kind === 'button') return null;
    const text = `${control.label}: ${wordOf(control)}`;
    return { ...data, [mime]: json, 'text/plain': text, 'text/html': `<p>${escapeHtml(text)}</p>` };
  } catch {
    return null;
  }
}

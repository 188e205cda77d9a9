// One output as a part of the page: the richest form that can be shown.

import { el } from '../dom';
import { fields } from '../model/json';
import type { Metadata, MimeBundle, Output } from '../model/nbformat';
import { StreamView } from './ansi';
import { attempt, bounded, problemOf } from './boundary';
import { errorView } from './error';
import { type Context, type OutputType, unknownTypes, type View } from './type';
import { outputTypes } from './types';

/** A shown output. update takes a new one without building anew, where that can be. */
export interface Rendered {
  dom: HTMLElement;
  update?(output: Output): boolean;
  dispose?(): void;
}

/** The types of a bundle that can be shown, richest first. */
export const knownTypes = (data: MimeBundle) => outputTypes.filter((t) => data[t.mime] !== undefined);

const sameTypes = (a: OutputType[], b: OutputType[]) => a.length === b.length && a.every((t, i) => t === b[i]);

/** Never throws: an output that cannot be shown says so. */
export function renderOutput(output: Output, context: Context): Rendered {
  if (output.output_type === 'stream') return stream(output.text, output.name);
  if (output.output_type === 'error') {
    return { dom: bounded('This error', `${output.ename}: ${output.evalue}`, () => errorView(output, context.goTo)) };
  }
  return renderData(output.data, output.metadata, context);
}

function stream(text: string, name: string): Rendered {
  const view = new StreamView(name);
  const dom: HTMLElement = bounded('This text', text, () => {
    view.show(text);
    return view.dom;
  });
  return {
    dom,
    update: (o) =>
      dom === view.dom && o.output_type === 'stream' && o.name === name && attempt(() => view.show(o.text)),
  };
}

/** Shows the richest form; where it cannot be shown, at once or later, the next takes its place and the reason stands above. */
export function renderData(data: MimeBundle, metadata: Metadata, context: Context): Rendered {
  const types = knownTypes(data),
    unknown = unknownTypes(data, outputTypes);
  const host = el('div.rich');
  const problems: string[] = [];
  let view: View | null = null;
  let at = -1;
  const dispose = () => {
    attempt(() => view?.dispose?.());
    view = null;
  };
  const next = (): void => {
    dispose();
    const type = types[++at];
    if (!type) {
      if (!unknown.length && !types.length) problems.push('An empty output.');
      return place('');
    }
    const mine = at;
    const fail = (e: unknown) => {
      if (at === mine) {
        problems.push(problemOf(e));
        next();
      }
    };
    try {
      const made = type.render(data[type.mime], fields(metadata?.[type.mime]), { ...context, fail });
      if (at !== mine) return void attempt(() => made.dispose?.());
      view = made;
      place(type.mime);
    } catch (e) {
      fail(e);
    }
  };
  const place = (mime: string) => {
    // What a richer form says better needs no word on the forms that nobody here knows.
    const strange =
      unknown.length && (mime === '' || mime === 'text/plain') ? [`Nothing here can show ${unknown.join(', ')}.`] : [];
    host.dataset.mime = mime;
    host.replaceChildren(...[...problems, ...strange].map((p) => el('p.note', {}, p)), ...(view ? [view.dom] : []));
  };
  next();
  return {
    dom: host,
    dispose,
    update: (o) => {
      const set = view?.set;
      if (!set || o.output_type === 'stream' || o.output_type === 'error' || !sameTypes(knownTypes(o.data), types))
        return false;
      return attempt(() => {
        set(o.data[types[at]!.mime]);
        data = o.data;
      });
    },
  };
}

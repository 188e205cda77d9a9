// What an output type is: the list of all is types.ts.

import type { Metadata, MimeBundle } from '../model/nbformat';
import { ownTypes } from './mime';

/** Goes to a place in a cell's source; line and column from 1, as Go counts. cell is the place's cell, "" the output's. */
export type GoTo = (cell: string, line: number, column: number) => void;

/** Where an output is shown. */
export interface Context {
  /** Whether it was made since the page was opened: only then its scripts may run, in a sandbox. */
  fresh: boolean;
  /** Of the notebook, where relative links start. */
  folder: string;
  goTo: GoTo;
  /** Gives a control of the kernel's a value; where it cannot, it says why. Missing where there is no notebook around. */
  move?(id: string, value: unknown): Promise<string>;
}

/** What a type needs to show one output. fail is for what goes wrong later: the next form takes the place then. */
export interface Shown extends Context {
  fail: (problem: unknown) => void;
}

/** A shown output. set takes new data without building anew, where the type can; it throws where it cannot show them. */
export interface View {
  dom: HTMLElement;
  set?(data: unknown): void;
  dispose?(): void;
}

export type OwnType = keyof typeof ownTypes;

/**
 * A type of outputs. Interactive ones are drawn by this front end, and the part of them that takes keys and pointer for itself has
 * the class viewport; in a file without scripts the form that ownTypes names stands for them. The others are also HTML: without
 * anything that runs.
 */
export type OutputType = { mime: string; render(data: unknown, metadata: Metadata, shown: Shown): View } & (
  | { kind: 'interactive'; name: OwnType }
  | { kind: 'picture' | 'text'; html(data: unknown, metadata: Metadata): string }
);

/** The class of an interactive view: from the data, or an error that says what is wrong with them. */
interface InteractiveView {
  dom: HTMLElement;
  update(data: unknown): void;
  dispose(): void;
}

/** An interactive type of this notebook's own. */
export function interactive(
  name: OwnType,
  View: new (data: unknown, fail: Shown['fail']) => InteractiveView,
): OutputType {
  return {
    mime: ownTypes[name].mime,
    kind: 'interactive',
    name,
    render: (data, _, { fail }) => {
      const view = new View(data, fail);
      return { dom: view.dom, set: (next) => view.update(next), dispose: () => view.dispose() };
    },
  };
}

/** The types of a bundle that are in no list. */
export function unknownTypes(data: MimeBundle, known: OutputType[]): string[] {
  return Object.keys(data).filter((mime) => !known.some((t) => t.mime === mime));
}

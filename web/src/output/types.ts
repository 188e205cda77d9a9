// All output types. A new one of ours is a folder beside this file and a line here; its name and MIME type come from Go's package
// library/display.

import { chart } from './chart';
import { control } from './control';
import { curves } from './curves';
import { embedding } from './embedding';
import { rollout } from './rollout';
import { scrubber } from './scrubber';
import { html, json, latex, markdown, pictures, plain } from './standard';
import { table } from './table';
import type { OutputType, OwnType } from './type';

/** One for every type that Go has: a missing one is an error of the compiler. */
const own = {
  chart,
  control,
  curves,
  embedding,
  rollout,
  scrubber,
  table,
} satisfies Record<OwnType, OutputType>;

/** Richest first: of the forms of an output the first that can be shown is. */
export const outputTypes: OutputType[] = [...Object.values(own), html, markdown, latex, ...pictures, json, plain];

// What a static site says about itself, in the element that the build writes into its pages.

import type { Program } from './wasm';
import type { SiteFile } from './files';

export interface About {
  /** Of the kernel's worker script and of Go's own support script, relative to the page. */
  worker: string;
  exec: string;
  /** The folder of programs and the kernel in it. */
  wasm: string;
  kernel: Program | null;
  /** The list of Meta-World's scenes; null on a site without them. */
  scenes: string | null;
  files: SiteFile[];
  /** Reports among the files. */
  reports: string[];
  /** How many runs the page of runs shows. */
  runs: number;
}

/** Whether this page belongs to a static site, without a server behind it. */
export const isSite = document.querySelector('meta[name="nacre-site"]') !== null;

let known: Promise<About> | undefined;

/** Fetches the description once. */
export function about(): Promise<About> {
  return (known ??= (async () => {
    const meta = document.querySelector<HTMLMetaElement>('meta[name="nacre-site"]')!;
    const response = await fetch(new URL(meta.content, location.href));
    if (!response.ok) throw new Error(`The site is not complete: ${meta.content} answered ${response.status}.`);
    return { ...(await response.json()), worker: meta.dataset.worker! } as About;
  })());
}

// Which cells stand on which slide.

import type { Metadata } from './nbformat';

interface SlideCell {
  cell_type: string;
  source: string;
  metadata: Metadata;
}

/** Jupyter's type of a cell among slides, '' without one. */
export const slideType = (c: Pick<SlideCell, 'metadata'>): string => {
  const of = c.metadata.slideshow as { slide_type?: unknown } | undefined;
  return typeof of?.slide_type === 'string' ? of.slide_type : '';
};

const begins = (c: SlideCell): boolean => c.cell_type === 'markdown' && /^#{1,2} /.test(c.source.trimStart());

/**
 * The cells of each slide. In Jupyter's metadata slide and subslide begin one, skip and notes are left out, and everything else goes on.
 * Where no cell has a type, headings of the first two levels begin one.
 */
export function slidesOf<C extends SlideCell>(cells: C[]): C[][] {
  const typed = cells.some((c) => ['slide', 'subslide', 'fragment', 'skip', 'notes'].includes(slideType(c)));
  const out: C[][] = [];
  for (const c of cells) {
    const type = slideType(c);
    if (type === 'skip' || type === 'notes') continue;
    if (!out.length || (typed ? type === 'slide' || type === 'subslide' : begins(c))) out.push([]);
    out.at(-1)!.push(c);
  }
  return out;
}

import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { slidesOf } from '../src/model/slides';

const cell = (source: string, slide_type = '', cell_type = 'markdown') => ({
  cell_type,
  source,
  metadata: slide_type ? { slideshow: { slide_type } } : {},
});

const shown = (cells: ReturnType<typeof cell>[]) =>
  slidesOf(cells)
    .map((s) => s.map((c) => c.source).join('+'))
    .join(' | ');

test('slides begin where the metadata of cells say', () => {
  equal(
    shown([
      cell('a'),
      cell('b', 'slide'),
      cell('c', 'fragment'),
      cell('d', 'notes'),
      cell('e', 'skip'),
      cell('f', '-'),
      cell('g', 'subslide'),
      cell('# h'),
    ]),
    'a | b+c+f | g+# h',
  );
});

test('without metadata headings begin slides', () => {
  equal(shown([cell('x'), cell('# a'), cell('1', '', 'code'), cell('### b'), cell('## c')]), 'x | # a+1+### b | ## c');
  equal(shown([cell('# only code', '', 'code')]), '# only code');
  equal(shown([]), '');
});

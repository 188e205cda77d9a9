// Colours for Go and markdown: one set of classes for editors, text and exported files.

import { defineLanguageFacet, Language, syntaxHighlighting } from '@codemirror/language';
import { go, goLanguage } from '@codemirror/lang-go';
import type { Extension } from '@codemirror/state';
import { classHighlighter, highlightCode } from '@lezer/highlight';
import { GFM, parser as markdownParser } from '@lezer/markdown';

// The full markdown package would bring HTML, CSS and JavaScript grammars along.
const markdown = new Language(
  defineLanguageFacet({ commentTokens: { block: { open: '<!--', close: '-->' } } }),
  markdownParser.configure(GFM),
  [],
  'markdown',
);

/** What an editor needs to colour a cell of this type. */
export function language(type: 'code' | 'markdown' | 'raw'): Extension {
  return [type === 'code' ? go() : type === 'markdown' ? markdown : [], syntaxHighlighting(classHighlighter)];
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeHtml = (s: string) => s.replace(/[&<>"]/g, (c) => escapes[c]!);

/** Go as HTML with the same classes, for markdown's fences and exported files. */
export function highlightedHtml(code: string): string {
  let out = '';
  const put = (s: string, classes: string) => {
    out += classes ? `<span class="${classes}">${escapeHtml(s)}</span>` : escapeHtml(s);
  };
  highlightCode(code, goLanguage.parser.parse(code), classHighlighter, put, () => put('\n', ''));
  return out;
}

// Colours for Go and markdown: one set of classes for editors and for code that only stands there.

import { defineLanguageFacet, Language, syntaxHighlighting } from '@codemirror/language';
import { go, goLanguage } from '@codemirror/lang-go';
import { Extension } from '@codemirror/state';
import { classHighlighter, highlightCode } from '@lezer/highlight';
import { GFM, parser as markdownParser } from '@lezer/markdown';

// The full markdown package would bring HTML, CSS and JavaScript grammars along.
const markdown = new Language(defineLanguageFacet({ commentTokens: { block: { open: '<!--', close: '-->' } } }), markdownParser.configure(GFM), [], 'markdown');

/** What an editor needs to colour a cell of this type. */
export function language(type: 'code' | 'markdown' | 'raw'): Extension {
  return [type === 'code' ? go() : type === 'markdown' ? markdown : [], syntaxHighlighting(classHighlighter)];
}

function pieces(code: string, type: 'code' | 'markdown', text: (s: string, classes: string) => void): void {
  const tree = (type === 'code' ? goLanguage : markdown).parser.parse(code);
  highlightCode(code, tree, classHighlighter, text, () => text('\n', ''));
}

/** Code as nodes with the editor's classes. */
export function highlighted(code: string, type: 'code' | 'markdown' | 'raw'): DocumentFragment {
  const out = document.createDocumentFragment();
  if (type === 'raw') {
    out.append(code);
    return out;
  }
  pieces(code, type, (s, classes) => {
    if (!classes) return out.append(s);
    const span = document.createElement('span');
    span.className = classes;
    span.textContent = s;
    out.append(span);
  });
  return out;
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeHtml = (s: string) => s.replace(/[&<>"]/g, (c) => escapes[c]!);

/** The same as text, for markdown's fences and exported files. */
export function highlightedHtml(code: string): string {
  let out = '';
  pieces(code, 'code', (s, classes) => { out += classes ? `<span class="${classes}">${escapeHtml(s)}</span>` : escapeHtml(s); });
  return out;
}

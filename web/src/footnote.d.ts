declare module 'markdown-it-footnote' {
  import type { MarkdownIt } from 'markdown-it';
  /** Teaches markdown-it [^1] and [^1]: text. Renderings that have a docId have links of their own. */
  export default function footnotes(md: MarkdownIt): void;
}

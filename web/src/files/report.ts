// A report of a static site, to read: the text, and the ways on from it.

import { fileUrl, folderOf, nameOf, notebookUrl, treeUrl } from '../address';
import { el, iconButton } from '../dom';
import { bounded } from '../output/boundary';
import { renderMarkdown } from '../output/markdown';
import { contents } from '../protocol/contents';
import { files } from '../site/api';
import { nextTheme } from '../theme';

export async function openReport(path: string): Promise<void> {
  const folder = folderOf(path);
  const text = el('article.report');
  document.body.append(
    el(
      'div.page.reading',
      {},
      el(
        'header.top',
        {},
        el('a.home', { href: treeUrl(folder), 'aria-label': 'Files' }, el('span.pearl', { 'aria-hidden': 'true' })),
        el('span.title', {}, nameOf(path)),
        el('span.space'),
        iconButton('theme', 'Theme: system, light, dark', () => {
          nextTheme();
        }),
      ),
      el('main', {}, text),
    ),
  );
  try {
    const source = String((await contents.text(path)).content);
    text.append(bounded('This text', source, () => renderMarkdown(source, folder)));
    text.querySelector('h1')?.after(
      ...waysOn(
        (await files()).list().map((e) => e.path),
        folder,
      ),
    );
    document.title = `${text.querySelector('h1')?.textContent ?? nameOf(path)} – Nacre`;
  } catch (e) {
    text.append(el('p.problem', { role: 'alert' }, (e as Error).message));
  }
  document.body.dataset.ready = 'yes';
}

/** Links to what can be looked at closer: embeddings, episodes, notebooks. */
function waysOn(all: string[], folder: string): HTMLElement[] {
  const inside = all.filter((p) => !folder || p.startsWith(folder + '/'));
  const short = (p: string) => (folder ? p.slice(folder.length + 1) : p);
  const links = [
    ...inside
      .filter((p) => nameOf(p) === 'rollout.json')
      .map((p) => el('a', { href: 'rollout.html?open=' + encodeURIComponent(fileUrl(p)) }, 'Watch an episode')),
    ...inside
      .filter((p) => nameOf(p) === 'embeddings.npz')
      .map((p) =>
        el(
          'a',
          { href: 'tsne.html?open=' + encodeURIComponent(fileUrl(p)) },
          `t-SNE of ${folderOf(short(p)).replace(/^runs\//, '') || 'the embeddings'}`,
        ),
      ),
    ...inside
      .filter((p) => p.endsWith('.ipynb'))
      .map((p) => el('a', { href: notebookUrl(p) }, nameOf(p).replace('.ipynb', ''))),
    el('a', { href: treeUrl(folder) }, 'All files'),
  ];
  return [el('nav.ways', { 'aria-label': 'Look closer' }, ...links)];
}

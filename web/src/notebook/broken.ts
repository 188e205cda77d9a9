// The page of a notebook's file that cannot be opened: why, what can be made of it, and the file as text.

import { editUrl, folderOf, treeUrl } from '../address';
import { el } from '../dom';
import type { Mend } from '../model/mend';
import { contents, ServerError } from '../protocol/contents';

export function brokenPage(path: string, error: Error): HTMLElement {
  const page = el('main.problem', {}, el('h1', {}, path), el('p', {}, error.message));
  const links = el('p', {}, el('a', { href: treeUrl(folderOf(path)) }, 'Files'));
  // A file that is not there, or a server that does not answer, cannot be mended here.
  if (!(error instanceof ServerError) || error.status === 400) {
    links.prepend(el('a', { href: editUrl(path) }, 'Open it as text'), ' · ');
    void offer(path, page, links).catch(() => undefined); // the reason and the links stand there already
  }
  page.append(links);
  return page;
}

async function offer(path: string, page: HTMLElement, before: Node): Promise<void> {
  const [model, { mends }] = await Promise.all([contents.bytes(path), import('../model/mend')]);
  const found = mends(Uint8Array.from(atob(String(model.content)), (c) => c.charCodeAt(0)));
  let said = '';
  for (const mend of found) {
    if (mend.wrong !== said) page.insertBefore(el('p', {}, mend.wrong), before);
    said = mend.wrong;
    const button = el('button', { type: 'button' }, mend.label);
    button.addEventListener('click', () => {
      void apply(path, mend, model.hash).catch((e: Error) => button.after(el('p.note', { role: 'alert' }, e.message)));
    });
    page.insertBefore(button, before);
  }
  if (found.length)
    page.insertBefore(el('p.note', {}, 'The file as it is becomes its checkpoint: it can be brought back.'), before);
}

async function apply(path: string, mend: Mend, hash: string | null | undefined): Promise<void> {
  await contents.checkpoint(path);
  await contents.save(path, { type: 'file', format: 'text', content: mend.text, hash });
  location.reload();
}

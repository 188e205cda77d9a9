// A text file, to read or change.

import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { el } from '../dom';
import { folderOf, nameOf, treeUrl } from '../address';
import { contents, type FileModel } from '../protocol/contents';
import { language } from '../highlight';
import { ask, banner, guarded } from '../ui/dialog';

export async function openTextFile(path: string): Promise<void> {
  const banners = el('div.banners');
  const state = el('span.saved', { role: 'status' }, 'Saved');
  const host = el('main.textfile', { 'aria-label': path });
  const save = el('button', { type: 'button' }, 'Save');
  document.title = `${nameOf(path)} – Nacre`;
  document.body.append(
    el(
      'div.page',
      {},
      el(
        'header.top',
        {},
        el(
          'a.home',
          { href: treeUrl(folderOf(path)), 'aria-label': 'Files' },
          el('span.pearl', { 'aria-hidden': 'true' }),
        ),
        el('span.title', {}, nameOf(path)),
        state,
        el('span.space'),
        save,
      ),
      banners,
      host,
    ),
  );
  let model: FileModel;
  try {
    model = await contents.text(path);
  } catch (e) {
    banner(banners, 'failed', (e as Error).message, [], 'error');
    return;
  }
  let saved = String(model.content ?? '');
  let version = model.hash || model.last_modified;
  const kind = /\.go$/.test(path) ? 'code' : /\.(md|markdown)$/.test(path) ? 'markdown' : 'raw';
  const store = async () => {
    await guarded(banners, 'Save', async () => {
      const now = await contents.stat(path);
      if ((now.hash || now.last_modified) !== version) {
        const over = await ask(
          'Changed on disk',
          ['The file was changed since it was opened here.'],
          [
            { label: 'Cancel', value: false },
            { label: 'Save mine over it', value: true, danger: true },
          ],
        );
        if (!over) return;
      }
      const text = view.state.doc.toString();
      await contents.save(path, { type: 'file', format: 'text', content: text });
      const after = await contents.stat(path);
      version = after.hash || after.last_modified;
      saved = text;
      state.textContent = 'Saved';
    });
  };
  const view = new EditorView({
    parent: host,
    state: EditorState.create({
      doc: saved,
      extensions: [
        history(),
        drawSelection(),
        lineNumbers(),
        EditorView.lineWrapping,
        language(kind),
        EditorView.contentAttributes.of({ 'aria-label': path }),
        keymap.of([
          {
            key: 'Mod-s',
            preventDefault: true,
            run: () => {
              void store();
              return true;
            },
          },
          indentWithTab,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.updateListener.of((u) => {
          if (u.docChanged) state.textContent = u.state.doc.toString() === saved ? 'Saved' : 'Edited';
        }),
      ],
    }),
  });
  save.addEventListener('click', () => void store());
  addEventListener('beforeunload', (e) => {
    if (view.state.doc.toString() !== saved) e.preventDefault();
  });
  view.focus();
  document.body.dataset.ready = 'yes';
}

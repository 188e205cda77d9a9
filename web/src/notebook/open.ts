// Opens a notebook. Where its kernel runs: the connection first, then the document, so that nothing falls between the two.

import { Notebook } from '../model/notebook';
import { parseNotebook } from '../model/nbformat';
import { contents, type FileModel, request } from '../protocol/contents';
import { KernelLink } from '../protocol/kernel';
import { banner } from '../ui/dialog';
import { goToAnchor } from '../output/anchors';
import { brokenPage } from './broken';
import { NotebookPage } from './page';
import { fitTables } from './present';

interface Specs {
  default: string;
  kernelspecs: Record<string, { spec: { display_name: string; language: string } }>;
}

export async function openNotebook(path: string): Promise<void> {
  let model: FileModel;
  let notebook: Notebook;
  const asked = request<Specs>('GET', 'api/kernelspecs').catch(() => null);
  try {
    model = await contents.get(path, 'notebook');
    performance.mark('nacre.contents');
    notebook = new Notebook(parseNotebook(model.content));
  } catch (e) {
    document.body.append(brokenPage(path, e as Error));
    return;
  }
  const specs = await asked;
  const wanted = notebook.metadata.kernelspec?.name as string;
  const name = specs && wanted in specs.kernelspecs ? wanted : (specs?.default ?? 'nacre');
  const link = new KernelLink(path, name);
  const spec = specs?.kernelspecs[name]?.spec;
  if (spec) link.displayName = spec.display_name;
  const here = spec ? { name, display_name: spec.display_name, language: spec.language } : null;
  const page = new NotebookPage(path, notebook, link, model, here);
  fitTables();
  document.body.append(page.dom);
  performance.mark('nacre.shown');
  page.focus();
  (window as Window & { nacre?: unknown }).nacre = page; // for the console and the browser tests
  try {
    // A kernel costs a process: one is started when a cell runs or is written, not to read.
    if (await link.exists()) {
      await link.start();
      const now = await contents.get(path, 'notebook');
      page.execution.resume(now);
      page.execution.opened(now);
    } else page.execution.opened(null);
  } catch (e) {
    banner(
      page.dom.querySelector('.banners')!,
      'kernel',
      `No kernel: ${(e as Error).message}`,
      [{ label: 'Try again', run: () => page.run('kernel.restart') }],
      'error',
    );
    page.execution.opened(null);
  }
  if (location.hash) goToAnchor(location.hash.slice(1));
  performance.mark('nacre.ready');
  document.body.dataset.ready = 'yes';
}

import 'katex/dist/katex.min.css';
import './style/page.css';
import './style/notebook.css';
import './style/outputs.css';
import './style/editor.css';
import { place } from './address';
import { loginUrl } from './base';
import { el } from './dom';
import { openNotebook } from './notebook/open';
import { followLinks } from './output/anchors';
import { hasProof, takeProof } from './protocol/proof';
import { about, isSite } from './site/about';
import { startTheme } from './theme';

performance.mark('nacre.script');
startTheme();
followLinks();
document.body.append(el('div.visually-hidden', { id: 'live', role: 'status', 'aria-live': 'polite' }));
const { page, path } = place();
takeProof();
if (!isSite && !hasProof()) location.replace(loginUrl());
else if (page === 'notebook') void openNotebook(path);
// The notebook's page is what has to be there soon; the others come as they are needed.
else if (page === 'file') void import('./files/textfile').then((p) => p.openTextFile(path));
else if (page === 'read') void openReport(path);
else if (page === 'runs')
  void import('./runs/open').then(({ openRuns }) => openRuns()); // of a static site; a server has runs.html
else void openFiles();

async function openReport(path: string): Promise<void> {
  return (await import('./files/report')).openReport(path);
}

async function openFiles(): Promise<void> {
  // A site with one report and nothing else to say at its door opens it.
  if (isSite && !location.search) {
    const { reports } = await about();
    if (reports.length === 1) return openReport(reports[0]!);
  }
  const { FileList } = await import('./files/list');
  const list = new FileList(path);
  document.body.append(list.dom);
  void list.refresh();
}

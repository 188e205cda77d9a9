import 'katex/dist/katex.min.css';
import './style/page.css';
import './style/notebook.css';
import './style/outputs.css';
import './style/editor.css';
import { place } from './config';
import { el } from './dom';
import { FileList } from './files/list';
import { openTextFile } from './files/textfile';
import { openReport } from './files/report';
import { openNotebook } from './notebook/open';
import { hasProof, takeProof } from './protocol/proof';
import { about, isSite } from './site/about';
import { startTheme } from './theme';

performance.mark('nacre.script');
startTheme();
document.body.append(el('div.visually-hidden', { id: 'live', role: 'status', 'aria-live': 'polite' }));
const { page, path } = place();
takeProof();
if (!isSite && !hasProof()) location.replace('/login?next=' + encodeURIComponent(location.pathname));
else if (page === 'notebook') void openNotebook(path);
else if (page === 'file') void openTextFile(path);
else if (page === 'read') void openReport(path);
else if (page === 'runs') void openRuns();
else if (page === 'embeddings') void openEmbeddings();
else void openFiles();

async function openRuns(): Promise<void> {
  const { RunsPage } = await import('./runs/page');
  const runs = new RunsPage();
  document.body.append(runs.dom);
  await runs.poll();
}

async function openEmbeddings(): Promise<void> {
  const { EmbeddingsPage } = await import('./embeddings/page');
  document.body.append(new EmbeddingsPage().dom);
}

async function openFiles(): Promise<void> {
  // A site with one report and nothing else to say at its door opens it.
  if (isSite && !location.search) {
    const { reports } = await about();
    if (reports.length === 1) return openReport(reports[0]!);
  }
  const list = new FileList(path);
  document.body.append(list.dom);
  void list.refresh();
}

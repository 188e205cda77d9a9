import 'katex/dist/katex.min.css';
import './style/page.css';
import './style/notebook.css';
import './style/outputs.css';
import './style/editor.css';
import { place } from './config';
import { el } from './dom';
import { FileList } from './files/list';
import { openTextFile } from './files/textfile';
import { openNotebook } from './notebook/open';
import { startTheme } from './theme';

performance.mark('nacre.script');
startTheme();
document.body.append(el('div.visually-hidden', { id: 'live', role: 'status', 'aria-live': 'polite' }));
const { page, path } = place();
if (page === 'notebook') void openNotebook(path);
else if (page === 'file') void openTextFile(path);
else {
  const list = new FileList(path);
  document.body.append(list.dom);
  void list.refresh();
}

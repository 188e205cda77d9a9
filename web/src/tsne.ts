import './style/page.css';
import './style/outputs.css';
import './style/tsne.css';
import { el } from './dom';
import { startTheme } from './theme';
import { TsnePage } from './tsne/page';

startTheme();
document.body.append(el('div.visually-hidden', { id: 'live', role: 'status', 'aria-live': 'polite' }));
const page = new TsnePage(new URLSearchParams(location.search));
document.body.append(page.dom);
document.body.dataset.ready = 'yes';
Object.assign(window, { nacreTsne: page });

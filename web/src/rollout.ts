// The page that plays rollouts back without a server behind it: a file of `nacre render -o episode.json`, chosen, dropped
// or named in the address as ?open=PATH beside the page.

import './style/page.css';
import './style/outputs.css';
import './style/rollout.css';
import { el, iconButton } from './dom';
import { RolloutView } from './output/rollout/view';
import { provenFetch, takeProof } from './protocol/proof';
import { nextTheme, startTheme } from './theme';

let view: RolloutView | null = null;
const place = el('main');
const problem = el('p.problem', { role: 'alert', hidden: true });
const chooser = el('input', {
  type: 'file',
  accept: '.json,application/json',
  hidden: true,
  change: () => {
    const f = chooser.files?.[0];
    if (f) void openFile(f);
    chooser.value = '';
  },
});
const invitation = el(
  'section.invitation',
  {},
  el('h1', {}, 'Play an episode back'),
  el(
    'p',
    {},
    'Drop a file here or ',
    el('button', { type: 'button', click: () => chooser.click() }, 'choose one'),
    '. Write one with',
  ),
  el('pre', {}, 'nacre render cheetah-vel -o episode.json\nnacre render runs/pearl runs/tcl -o both.json'),
  el('p.note', {}, 'The file stays on your machine.'),
);

function show(text: string, name: string): void {
  problem.hidden = true;
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return fail(`${name} is no JSON; expected a file that nacre render -o episode.json has written.`);
  }
  try {
    if (view) view.update(data);
    else {
      view = new RolloutView(data);
      place.append(view.dom);
    }
    invitation.hidden = true;
    document.title = `${name} · Nacre`;
  } catch (e) {
    fail(`${name}: ${(e as Error).message}`);
  }
}

function fail(text: string): void {
  problem.textContent = text;
  problem.hidden = false;
}

async function openFile(file: File): Promise<void> {
  show(await file.text(), file.name);
}

async function openAddress(path: string): Promise<void> {
  const url = new URL(path, document.baseURI);
  if (url.origin !== location.origin)
    return fail(`${path} is on another host; this page opens files from its own only. Download it and drop it here.`);
  try {
    const answer = await provenFetch(url);
    if (!answer.ok) return fail(`${path}: the server answers ${answer.status}.`);
    show(await answer.text(), decodeURIComponent(url.pathname.split('/').pop()!));
  } catch (e) {
    fail(`${path} cannot be read: ${(e as Error).message}`);
  }
}

startTheme();
takeProof();
document.body.classList.add('rollout-page');
document.body.append(
  el(
    'header.top',
    {},
    el('span.pearl'),
    el('span.wordmark', {}, 'Nacre'),
    el('span.space'),
    iconButton('upload', 'Open a file', () => chooser.click()),
    iconButton('theme', 'Light, dark, or as the system has it', () => {
      nextTheme();
    }),
  ),
  problem,
  invitation,
  place,
  chooser,
);
for (const kind of ['dragover', 'drop'] as const) {
  addEventListener(kind, (event) => {
    event.preventDefault();
    const file = kind === 'drop' ? event.dataTransfer?.files[0] : undefined;
    if (file) void openFile(file);
  });
}
const asked = new URLSearchParams(location.search).get('open');
if (asked) void openAddress(asked);

// The top of the home page: what this is, where to begin, the notebooks of the folder as cards, what ran last.

import { embeddingsUrl, notebookUrl, runsUrl, tsneUrl } from '../address';
import { el } from '../dom';
import { format } from '../output/format';
import { answer, request } from '../protocol/request';
import { api } from '../runs/api';
import { ago, percent } from '../runs/words';

interface Card {
  path: string;
  title: string;
  text: string;
  picture: boolean;
}

/** As many runs are shown. */
const mostRuns = 3;

export class Start {
  readonly dom = el('section.start-page', { 'aria-label': 'Start' });
  private readonly first = el('p.actions');
  private readonly cards = el('ul.cards', { 'aria-label': 'Notebooks' });
  private readonly last = el('div.last');

  constructor() {
    this.dom.append(
      el('h1', {}, 'Does an agent’s context encoder know which task it is in?'),
      el(
        'p.lead',
        {},
        'Train meta-learning agents in a cell, draw the embeddings of their encoders, and compare both over seeds.',
      ),
      this.first,
      this.cards,
      this.last,
    );
    this.offer(null);
    void this.load();
  }

  private offer(quickstart: string | null): void {
    this.first.replaceChildren(
      ...(quickstart === null
        ? []
        : [
            el(
              'a.button.primary',
              { href: notebookUrl(quickstart), target: '_blank', rel: 'noopener' },
              'Open the quickstart',
            ),
          ]),
      el('a.button', { href: runsUrl }, 'Runs'),
      el('a.button', { href: embeddingsUrl([]) }, 'Embeddings'),
      el('a.button', { href: tsneUrl('') }, 't-SNE of your own file'),
    );
  }

  private async load(): Promise<void> {
    try {
      const list = await request<Card[]>('GET', 'api/cards');
      const quickstart = list.find((c) => c.path === 'quickstart.ipynb');
      this.offer(quickstart?.path ?? null);
      this.cards.replaceChildren(...list.map((c) => el('li', {}, card(c))));
      const { runs } = await api.list(0, '');
      runs.sort((a, b) => Date.parse(b.changed) - Date.parse(a.changed));
      const began = runs.filter((r) => r.iterations > 0).slice(0, mostRuns);
      if (began.length)
        this.last.replaceChildren(
          el('h2', {}, 'What ran last'),
          el(
            'ul',
            {},
            ...began.map((r) =>
              el(
                'li',
                {},
                el('a', { href: `${runsUrl}?run=${encodeURIComponent(r.path)}` }, words(r.title, r.family, r.seed)),
                el(
                  'span',
                  {},
                  `${r.state === 'finished' || r.state === 'log' ? r.state : `${r.state}, ${percent(r.share)}`}${typeof r.latest.adapted_return === 'number' ? `, return ${format(r.latest.adapted_return)}` : ''}, ${ago(Date.parse(r.changed))}`,
                ),
              ),
            ),
          ),
        );
    } catch {
      /* The list of files below says what is wrong. */
    }
  }
}

const words = (title: string, family: string, seed: number) => `${title} on ${family}, seed ${seed}`;

function card(c: Card): HTMLElement {
  const picture = el('span.picture', { 'aria-hidden': 'true' });
  if (c.picture) void show(c.path, picture);
  return el(
    'a',
    { href: notebookUrl(c.path), target: '_blank', rel: 'noopener', title: c.path },
    picture,
    el('b', {}, c.title),
    el('span.text', {}, c.text),
  );
}

async function show(notebook: string, room: HTMLElement): Promise<void> {
  try {
    const path = notebook.split('/').map(encodeURIComponent).join('/');
    const src = URL.createObjectURL(await (await answer('GET', `api/pictures/${path}`)).blob());
    const image = el('img', { src, alt: '', loading: 'lazy' });
    image.addEventListener('load', () => URL.revokeObjectURL(src));
    room.append(image);
  } catch {
    /* A card without a picture is one. */
  }
}

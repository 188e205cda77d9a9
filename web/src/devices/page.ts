import { el, iconButton } from '../dom';
import { nextTheme } from '../theme';
import { type Adapter, adapters, lacking, wanted } from './adapters';

/** A limit in the unit that a reader knows it by. */
function amount(name: string, n: number): string {
  if (!/Size$/.test(name) || /SizeX$/.test(name)) return n.toLocaleString('en');
  return n >= 1 << 20 ? `${+(n / (1 << 20)).toFixed(1)} MiB` : `${+(n / 1024).toFixed(1)} KiB`;
}

function shown(a: Adapter, number: number): HTMLElement {
  const missing = lacking(a);
  const verdict = missing.length
    ? 'too small for training'
    : a.software
      ? 'trains, slower than the CPU device'
      : 'trains';
  const rows = Object.keys(a.limits).map((name) =>
    el(
      'tr',
      { class: missing.includes(name) ? 'lacking' : null },
      el('th', { scope: 'row' }, name),
      el('td', {}, amount(name, a.limits[name]!)),
      el('td', { 'data-n': wanted[name] ?? null }, name in wanted ? amount(name, wanted[name]!) : ''),
    ),
  );
  return el(
    'section',
    {},
    el('h2', {}, a.name),
    el(
      'p',
      {},
      el('span.kind', {}, a.software ? 'software, computes on the processor' : 'GPU'),
      ` · ${verdict}`,
      number || missing.length ? null : el('span', {}, ' · ', el('code', {}, 'experiment.Host{Device: "webgpu"}')),
    ),
    el(
      'table.limits',
      {},
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          el('th', { scope: 'col' }, 'limit'),
          el('th', { scope: 'col' }, 'here'),
          el('th', { scope: 'col' }, 'training needs'),
        ),
      ),
      el('tbody', {}, ...rows),
    ),
    el('p.note', {}, `Features: ${a.features.join(', ') || 'none'}.`),
  );
}

/** Why there is nothing to list. */
const absent = (list: Adapter[] | null) =>
  list
    ? 'WebGPU is here and gives no adapter: the browser knows no GPU, or does not use this one. Training runs on the CPU.'
    : 'This browser has no WebGPU here (navigator.gpu). It needs a recent version, and a page of https or of this machine. Training runs on the CPU.';

export async function devicesPage(): Promise<HTMLElement> {
  const list = await adapters();
  return el(
    'div.devices',
    {},
    el(
      'header.top',
      {},
      el('a.home', { href: './', 'aria-label': 'Files' }, el('span.pearl', { 'aria-hidden': 'true' })),
      el('span.title', {}, 'GPUs'),
      el('span.space'),
      iconButton('theme', 'Theme: system, light, dark', () => void nextTheme()),
    ),
    el(
      'main',
      {},
      el('h1', {}, 'GPUs that this browser offers'),
      el(
        'p.note',
        {},
        'Cells train on the first by WebGPU, where they ask for it; on the CPU otherwise. What a run used is in its record.',
      ),
      ...(list?.length ? list.map(shown) : [el('p.absent', { role: 'status' }, absent(list))]),
    ),
  );
}

// The runs of a static site, as nacre site wrote them: what the server's page of runs is told, from files.

interface Files {
  settings: Record<string, string>;
  detail: unknown;
  curves: Record<string, unknown>;
}
interface List {
  runs: { path: string }[];
}

let listed: Promise<List> | undefined;
const read = new Map<string, Promise<Files>>();

async function fetchJson<T>(name: string): Promise<T> {
  const response = await fetch(new URL('runs/' + name, new URL('.', location.href)));
  if (!response.ok) throw new Error(`The site is not complete: runs/${name} answered ${response.status}.`);
  return (await response.json()) as T;
}

const list = () => (listed ??= fetchJson<List>('list.json'));

/** The file of a run is called by the place of its path in the list. */
async function run(path: string): Promise<Files> {
  const known = read.get(path);
  if (known) return known;
  const at = (await list()).runs.findIndex((r) => r.path === path);
  if (at < 0) throw new Error(`There is no run ${path} on this site.`);
  const file = fetchJson<Files>(`run-${at}.json`);
  read.set(path, file);
  return file;
}

/** Answers a request below api/runs. */
export async function answerRuns(what: string, query: URLSearchParams): Promise<unknown> {
  const paths = query.getAll('run');
  switch (what) {
    case 'list':
      return list();
    case 'settings':
      return Promise.all(paths.map(async (p) => (await run(p)).settings));
    case 'run':
      return (await run(paths[0] ?? '')).detail;
    case 'curve':
      return (await Promise.all(paths.map(async (p) => (await run(p)).curves[query.get('column') ?? '']))).filter(
        (c) => c !== undefined,
      );
  }
  throw new Error('Runs can be looked at without a server, and nothing more.');
}

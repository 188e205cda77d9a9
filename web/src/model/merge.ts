// Three views of one notebook: as last read or written (base), as the page has it (mine), as the file has it now
// (theirs). Who has changed a part of a cell alone is followed; a text that both have changed is a clash.

import { type CellJson, type NotebookJson, type Output, sameJson } from './nbformat';

/** Whether a and b are the same apart from outputs, execution counts and what was recorded while running. */
export function sameText(a: NotebookJson, b: NotebookJson): boolean {
  return (
    a.cells.length === b.cells.length &&
    a.cells.every((c, i) => {
      const d = b.cells[i]!;
      return c.id === d.id && sameSource(c, d);
    })
  );
}

const sameSource = (a: CellJson, b: CellJson) => a.cell_type === b.cell_type && a.source === b.source;

/** Whether two lists of outputs show the same. */
export function sameOutputs(a: Output[] = [], b: Output[] = []): boolean {
  return a.length === b.length && JSON.stringify(a) === JSON.stringify(b);
}

export interface Merged {
  notebook: NotebookJson;
  /** The file, its cells under the ids that the page knows them by. */
  theirs: NotebookJson;
  /** Cells whose text both have changed, as the file has them; the notebook has mine. */
  clashes: CellJson[];
  /** The ids of the cells that came from the file, or have become as they are there. */
  taken: string[];
}

export function merge(base: NotebookJson, mine: NotebookJson, theirs: NotebookJson): Merged {
  const named = { ...theirs, cells: sameNames(base.cells, theirs.cells) };
  const [was, own, other] = [base, mine, named].map((nb) => new Map(nb.cells.map((c) => [c.id, c]))) as [
    Map<string, CellJson>,
    Map<string, CellJson>,
    Map<string, CellJson>,
  ];
  const clashes: CellJson[] = [];
  const taken: string[] = [];
  const kept = new Map<string, CellJson>();
  for (const id of new Set([...own.keys(), ...other.keys()])) {
    const [b, m, t] = [was.get(id), own.get(id), other.get(id)];
    if (m && t) {
      const cell = mergeCell(b, m, t);
      kept.set(id, cell);
      if (!sameSource(cell, t) && !(b && sameSource(b, t))) clashes.push(t);
      if (!sameJson(cell, m)) taken.push(id);
    } else if (m && !(b && sameSource(b, m)))
      kept.set(id, m); // deleted there, but mine or changed here
    else if (t && !(b && sameSource(b, t))) {
      // Deleted here, but theirs or changed there.
      kept.set(id, t);
      taken.push(id);
    }
  }
  const cells = order(base.cells, mine.cells, named.cells, kept).map((id) => kept.get(id)!);
  const follow = <T>(b: T, m: T, t: T): T => (sameJson(b, m) ? t : m);
  return {
    notebook: {
      ...mine,
      cells,
      metadata: follow(base.metadata, mine.metadata, theirs.metadata),
      file: follow(base.file, mine.file, theirs.file),
    },
    theirs: named,
    clashes,
    taken,
  };
}

/** The cell with what one side alone has changed; mine where both have. */
function mergeCell(b: CellJson | undefined, m: CellJson, t: CellJson): CellJson {
  // What the file has beyond what a cell knows of it belongs to a cell for good.
  if (m.file !== undefined || t.file !== undefined) return b && sameJson(b, m) ? t : m;
  const theirs = (...parts: (keyof CellJson)[]) => b !== undefined && parts.every((p) => sameJson(b[p], m[p]));
  const cell = { ...m };
  const take = (...parts: (keyof CellJson)[]) => {
    if (!theirs(...parts)) return;
    for (const p of parts) if (!sameJson(m[p], t[p])) Object.assign(cell, { [p]: t[p] });
  };
  take('cell_type', 'source');
  take('metadata');
  take('attachments');
  take('outputs', 'execution_count');
  return cell;
}

/**
 * The cells of a file under the ids that they had: a program that knows no ids, or makes new ones, has changed no cell
 * by that.
 */
function sameNames(base: CellJson[], theirs: CellJson[]): CellJson[] {
  const there = new Set(theirs.map((c) => c.id));
  const gone = base.filter((c) => !there.has(c.id));
  const had = new Set(base.map((c) => c.id));
  return theirs.map((c) => {
    const at = had.has(c.id) ? -1 : gone.findIndex((g) => sameSource(g, c));
    return at < 0 ? c : { ...c, id: gone.splice(at, 1)[0]!.id };
  });
}

/** The ids of the kept cells in the order of the side that has moved some; a new cell follows the one it followed. */
function order(base: CellJson[], mine: CellJson[], theirs: CellJson[], kept: Map<string, CellJson>): string[] {
  const ids = (cells: CellJson[]) => cells.map((c) => c.id).filter((id) => kept.has(id));
  const common = new Set(base.map((c) => c.id));
  const own = new Set(ids(mine));
  const moved =
    ids(mine)
      .filter((id) => common.has(id))
      .join() !==
    ids(base)
      .filter((id) => own.has(id))
      .join();
  const [first, second] = moved ? [ids(mine), ids(theirs)] : [ids(theirs), ids(mine)];
  const list = [...first];
  second.forEach((id, i) => {
    if (list.includes(id)) return;
    const before = second.slice(0, i).findLast((p) => list.includes(p));
    list.splice(before === undefined ? 0 : list.indexOf(before) + 1, 0, id);
  });
  return list;
}

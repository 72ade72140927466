import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** What each file imports. `import type` counts. */
export type Imports = ReadonlyMap<string, readonly string[]>;

export const readImports = (files: readonly string[]): Imports =>
  new Map(files.map((file) => [file, importsOf(file)]));

const importsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path]) =>
    normalize(join(dirname(file), path ?? '')),
  );

/** One unit imports another. A unit is a file, or a folder with everything below it. */
interface Arrow {
  readonly from: string;
  readonly to: string;
  /** The imports of files that make the arrow, as `from → to`. */
  readonly because: readonly string[];
}

/** The folders of the files, and all folders above those. */
export function foldersOf(imports: Imports): readonly string[] {
  const folders = new Set<string>();
  for (const file of imports.keys())
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  return [...folders].sort();
}

/** The folders directly in a folder. */
export const subfoldersOf = (imports: Imports, folder: string): readonly string[] =>
  foldersOf(imports)
    .filter((other) => dirname(other) === folder)
    .map((other) => other.slice(folder.length + 1));

/** The arrows between the children of a folder: its files and its subfolders. */
function arrowsIn(imports: Imports, folder: string): readonly Arrow[] {
  const unitOf = (file: string) =>
    file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split('/')[0] : undefined;
  const inside = (file: string) => file.slice(folder.length + 1);
  const arrows = new Map<string, { from: string; to: string; because: string[] }>();
  for (const [file, targets] of imports) {
    const from = unitOf(file);
    for (const target of targets) {
      const to = unitOf(target);
      if (from === undefined || to === undefined || from === to) continue;
      const key = `${from} → ${to}`;
      const arrow = arrows.get(key) ?? { from, to, because: [] };
      arrow.because.push(`${inside(file)} → ${inside(target)}`);
      arrows.set(key, arrow);
    }
  }
  return [...arrows.values()];
}

/**
 * The arrows of a shortest path from a unit to one for which `isEnd` holds; undefined if there is none.
 *
 * @param mayPass whether a path may go through a unit
 */
function shortestWay(
  arrows: readonly Arrow[],
  start: string,
  isEnd: (unit: string) => boolean,
  mayPass: (unit: string) => boolean,
): readonly Arrow[] | undefined {
  const ways = new Map<string, readonly Arrow[]>([[start, []]]);
  for (const [unit, way] of ways) {
    if (way.length > 0 && isEnd(unit)) return way;
    if (way.length > 0 && !mayPass(unit)) continue;
    for (const arrow of arrows)
      if (arrow.from === unit && !ways.has(arrow.to)) ways.set(arrow.to, [...way, arrow]);
  }
  return undefined;
}

function describeWay(folder: string, way: readonly Arrow[]): string {
  const units = [...way.map(({ from }) => from), way.at(-1)?.to].join(' → ');
  const lines = way.map(({ because: [first, ...more] }) =>
    more.length === 0 ? `  ${first}` : `  ${first}, and ${more.length} more`,
  );
  return [`${folder}: ${units}`, ...lines].join('\n');
}

/**
 * A circle of imports between the children of a folder, as text; undefined if there is none. Of several, it is the one with
 * the arrow that has the fewest imports, which is the easiest to remove.
 */
export function circleIn(imports: Imports, folder: string): string | undefined {
  const arrows = arrowsIn(imports, folder);
  const circles = arrows.flatMap((arrow) => {
    const back = shortestWay(
      arrows,
      arrow.to,
      (unit) => unit === arrow.from,
      () => true,
    );
    return back === undefined ? [] : [[arrow, ...back]];
  });
  const weight = ([thinnest, ...back]: readonly Arrow[]) =>
    1_000 * (thinnest?.because.length ?? 0) + back.length;
  const [found] = circles.sort((a, b) => weight(a) - weight(b));
  return found && describeWay(folder, found);
}

/**
 * Imports against the order of a folder's children, as text: each child may import from those before it only. A file that is
 * not in the order may be imported by all, but must not connect a child with a later one.
 */
export function waysBack(imports: Imports, folder: string, order: readonly string[]): readonly string[] {
  const arrows = arrowsIn(imports, folder);
  return order.flatMap((start, at) => {
    const later = new Set(order.slice(at + 1));
    const way = shortestWay(
      arrows,
      start,
      (unit) => later.has(unit),
      (unit) => !order.includes(unit),
    );
    return way === undefined ? [] : describeWay(folder, way);
  });
}

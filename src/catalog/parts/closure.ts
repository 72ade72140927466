import { problemAt } from '@querygate/bigquery-sql/problem';
import type { OutsideTable, Syntax } from '@querygate/bigquery-sql/syntax';
import { sameName } from '@querygate/bigquery-sql/types';
import { foldName } from '@querygate/text';
import { distinctProblems, type Problem } from '../../errors.ts';
import { memoize } from '../../memoize.ts';
import { argumentProblems } from './bound-arguments.ts';
import type { Found, Library } from './library.ts';
import { queryDataset, type Unit } from './part-file.ts';

export interface ReadTable extends OutsideTable {
  readonly unit: Unit;
}

export interface ReadFunction {
  readonly node: Syntax.FunctionCall;
  readonly unit: Unit;
}

/** The parts that a unit names itself. */
export interface Reads {
  readonly tables: readonly ReadTable[];
  readonly functions: readonly ReadFunction[];
  /** The texts of files that are named, and cannot be read. */
  readonly brokenTexts: readonly string[];
  readonly problems: readonly Problem[];
}

/** Units with all that they read, directly or through others. */
export interface Closure {
  /** Each after those that it reads. */
  readonly units: readonly Unit[];
  readonly problems: readonly Problem[];
}

/** The parts that the units of a library read. */
export interface Closures {
  readonly readsOf: (unit: Unit) => Reads;
  /** Of several units together. */
  closureOf(...units: readonly Unit[]): Closure;
}

/** Finds what units of a library read. */
export function buildClosures(library: Library): Closures {
  const readsOf = memoize((unit: Unit) => findReads(unit, library));
  return { readsOf, closureOf: (...units) => closure(units, readsOf) };
}

function findReads(unit: Unit, library: Library): Reads {
  const problems: Problem[] = [];
  const brokenTexts: string[] = [];
  const add = ({ start }: Syntax.Node, message: string) =>
    void problems.push(problemAt(unit.text, unit, start, message));
  const unitOf = (node: Syntax.Node, found: Found): Unit | undefined => {
    if (found === undefined || 'unit' in found) return found?.unit;
    if ('message' in found) add(node, found.message);
    else {
      problems.push(...found.broken.problems);
      brokenTexts.push(found.broken.fileText);
    }
    return undefined;
  };
  const tables = unit.names.tables.flatMap((table): ReadTable[] => {
    const { node, path } = table;
    const part = unitOf(path, library.tableNamed(namesOf(path)));
    if (part === undefined) return [];
    const wrong = useProblem(table, part);
    if (wrong !== undefined) add(path, wrong);
    problems.push(...argumentProblems(unit, part, node));
    return [{ ...table, unit: part }];
  });
  const own = ownFunctions(unit);
  const functions = unit.names.calls.flatMap((node): ReadFunction[] => {
    const names = namesOf(node.name);
    if (names.length === 1 && own.has(foldName(names[0] ?? ''))) return [];
    const part = unitOf(node.name, library.functionNamed(names) ?? calledQuery(names, library));
    if (part === undefined) return [];
    if (isInDeclare(unit, node)) add(node.name, `${part.name} cannot be called in DECLARE: use SET`);
    return [{ node, unit: part }];
  });
  return { tables, functions, problems, brokenTexts };
}

const namesOf = ({ parts }: Syntax.Path): readonly string[] => parts.map(({ name }) => name);

/** The functions that a query defines before it, by their names in lower case. */
export const ownFunctions = ({ tree }: Unit): ReadonlyMap<string, Syntax.CreateFunction> =>
  new Map(
    tree.kind === 'Statement' ? tree.functions.map((one) => [foldName(one.name.parts[0].name), one]) : [],
  );

function calledQuery(names: readonly string[], library: Library): Found {
  if (names.length < 2 || !sameName(names[0] ?? '', queryDataset)) return undefined;
  const found = library.tableNamed(names);
  return found && 'unit' in found ? { message: `${found.unit.name} is a query: read it in FROM` } : undefined;
}

/** BigQuery takes functions only behind what declares variables. */
const isInDeclare = ({ tree }: Unit, { start }: Syntax.Node): boolean =>
  tree.kind === 'Statement' &&
  tree.script.some((node) => node.kind === 'Declare' && start >= node.start && start < node.end);

/** Why a part cannot be read here. */
function useProblem({ node, host }: OutsideTable, unit: Unit): string | undefined {
  const { kind, name } = unit;
  if (kind === 'view' && node.kind === 'TableFunction')
    return `${name} is a view, which has no brackets and no arguments`;
  if (host === undefined)
    return `${name} cannot be read in a function, or in DECLARE, SET and IF: read it in the query`;
  if (node.kind === 'Table' && node.systemTime)
    return `FOR SYSTEM_TIME AS OF is of a table, and ${name} is a query`;
  return unreadable(unit)?.message;
}

/** Why no query can read a part, wherever, and the place of it. */
export function unreadable({
  file,
  tree,
}: Unit): { readonly place: Syntax.Node; readonly message: string } | undefined {
  if (tree.kind === 'CreateFunction') return undefined;
  const [place] = tree.kind === 'Statement' ? tree.script : [];
  if (place !== undefined)
    return {
      place,
      message: `${file} is a script, which no query can read: write its tables in a WITH clause`,
    };
  // BigQuery takes RECURSIVE in the first WITH of a query only.
  if (!tree.query.with?.recursive) return undefined;
  return {
    place: tree.query.with,
    message: `${file} begins with WITH RECURSIVE, so that no query can read it`,
  };
}

/** Far beyond what people write, and BigQuery's limit for views; engines run about this depth within a second. */
const maxDepth = 200;

function closure(roots: readonly Unit[], readsOf: (unit: Unit) => Reads): Closure {
  const units: Unit[] = [];
  const problems: Problem[] = [];
  const done = new Set<Unit>();
  /** The way to the unit that is looked at: each unit, and the place at which it reads the next one. */
  const way: { readonly unit: Unit; start: number }[] = [];
  const addWithReads = (unit: Unit) => {
    if (done.has(unit)) return;
    const at = way.findIndex((step) => isSame(step.unit, unit));
    if (at >= 0) {
      problems.push(circleProblem(way.slice(at)));
      return;
    }
    const [first] = way;
    if (first !== undefined && way.length > maxDepth) {
      const message = `more than ${maxDepth} queries read one another from here on`;
      problems.push(problemAt(first.unit.text, first.unit, first.start, message));
      return;
    }
    const reads = readsOf(unit);
    problems.push(...reads.problems);
    const step = { unit, start: 0 };
    way.push(step);
    for (const { node, unit: part } of [...reads.tables, ...reads.functions]) {
      step.start = node.start;
      addWithReads(part);
    }
    way.pop();
    done.add(unit);
    units.push(unit);
  };
  for (const root of roots) addWithReads(root);
  return { units, problems: distinctProblems(problems) };
}

/** A query that is being written is another object than the part that others read, and may have no file yet. */
const isSame = (a: Unit, b: Unit): boolean =>
  a === b || (a.kind === b.kind && a.name === b.name && (a.kind === 'query' || a.file === b.file));

/** Of all ways around a circle the same problem: that of the first file. */
function circleProblem(way: readonly { readonly unit: Unit; readonly start: number }[]): Problem {
  const first = way.reduce(
    (least, { unit }, at) => (nameOf(unit) < nameOf(way[least]?.unit) ? at : least),
    0,
  );
  const ordered = [...way.slice(first), ...way.slice(0, first)];
  const places = ordered.map(({ unit, start }) => problemAt(unit.text, unit, start, ''));
  const [place] = places;
  const steps = places.map(({ file, line }) => `${file}:${line}`);
  return {
    ...place,
    message: `${ordered[0]?.unit.name} reads itself: ${[...steps, place?.file].join(' → ')}`,
  };
}

const nameOf = (unit: Unit | undefined): string => `${unit?.file} ${unit?.name}`;

import { basename } from 'node:path';
import type { AnalyzedCatalog, SavedQuery } from 'querygate';
import { parseVersionName, pinnedName } from 'querygate/catalog';
import { type Change, type CostPair, change, type Pair, removal } from './change.ts';
import {
  type BothCatalogs,
  compareAddresses,
  comparePinnedNames,
  movedDefaults,
  removedText,
  reusedAddresses,
} from './compare/addresses.ts';
import { compareColumns } from './compare/columns.ts';
import { compareFederation } from './compare/federation.ts';
import { compareParameters } from './compare/parameters.ts';
import { comparePolicy } from './compare/policy.ts';
import { compareRowArguments } from './compare/marked-columns.ts';
import { compareSandboxes } from './compare/sandbox.ts';
import { compareSql, openTableComparison } from './compare/sql.ts';
import { type JudgedChange, judge } from './judge.ts';
import { levels } from './levels.ts';
import type { BrokenQuery, OldCatalog } from './load-before.ts';
import { matchEndpoints } from './match-endpoints.ts';
import { compareSchemas } from './schema/schema-changes.ts';

/** The changes of one endpoint. */
export interface EndpointDiff {
  /** Its name; the former one, if it is removed. */
  readonly name: string;
  readonly before: SavedQuery | undefined;
  readonly after: SavedQuery | undefined;
  /** The most severe first. */
  readonly changes: readonly JudgedChange[];
}

export interface CatalogDiff {
  /** Endpoints that have changed, by name. */
  readonly endpoints: readonly EndpointDiff[];
  readonly unchanged: number;
  /** Pairs whose runs may read other bytes. */
  readonly measurable: readonly Pair[];
  /** The parts that could not be compared, and why. */
  readonly notes: readonly string[];
}

/** More changes of an endpoint, from elsewhere than its files. */
export type MoreChanges = (pair: Pair) => readonly Change[];

/** Compares what endpoints cost a month. */
export type MeasureCosts = (pairs: readonly CostPair[]) => Promise<(pair: CostPair) => readonly Change[]>;

/** Finds the endpoints that cannot be served. */
export type Validate = MeasureCosts;

/** Measures what runs of both versions cost. */
export type Measure = (pairs: readonly Pair[]) => Promise<MoreChanges>;

export async function compareCatalogs(
  old: OldCatalog<AnalyzedCatalog>,
  now: AnalyzedCatalog,
  measure: Measure = async () => () => [],
  measureCosts: MeasureCosts = async () => () => [],
  validate: Validate = async () => () => [],
): Promise<CatalogDiff> {
  const all: BothCatalogs = { before: old.catalog.queries, after: now.queries };
  const matched = matchEndpoints(all.before, all.after, old.broken);
  const compareTables = openTableComparison(old.catalog.tables, now.tables);
  const changesOf = new Map<Pair, readonly Change[]>();
  for (const pair of matched.pairs) {
    // A file that has not changed was not parsed twice.
    const ofFile =
      pair.before === pair.after ? [] : [...compareAddresses(pair, all), ...compareContents(pair)];
    const ofTables = compareTables(pair.after);
    const ofSandbox = compareSandboxes(pair, old.catalog, now);
    changesOf.set(pair, [...ofFile, ...comparePinnedNames(pair, all), ...ofSandbox, ...ofTables]);
  }
  const measurable = matched.pairs.filter((pair) => (changesOf.get(pair) ?? []).some(mayChangeBytes));
  const measured = await measure(measurable);
  const added: readonly CostPair[] = matched.added.map((after) => ({ before: undefined, after }));
  const unknown: readonly CostPair[] = matched.unknown.map(({ after }) => ({ before: undefined, after }));
  const costOf = await measureCosts([
    ...matched.pairs.filter((pair) => (changesOf.get(pair) ?? []).some(mayChangeCosts)),
    ...added,
  ]);
  const invalidOf = await validate([...matched.pairs, ...added, ...unknown]);
  const changedPairs = matched.pairs.filter(({ before, after }) => before !== after);
  const schemas = await compareSchemas(changedPairs);

  const endpoints: EndpointDiff[] = matched.pairs.map((pair) => ({
    name: pair.after.name,
    ...pair,
    changes: judge(
      [
        ...(changesOf.get(pair) ?? []),
        ...onceInvalid([...measured(pair), ...invalidOf(pair)]),
        ...costOf(pair),
      ],
      schemas.get(pair) ?? [],
    ),
  }));
  const isAdded = change('endpoint-added', [], 'endpoint added');
  const ofNew = (pair: CostPair, changes: readonly Change[]) => {
    if (changes.length > 0) endpoints.push({ name: pair.after.name, ...pair, changes: judge(changes, []) });
  };
  for (const pair of added) ofNew(pair, [isAdded, ...invalidOf(pair), ...costOf(pair)]);
  for (const pair of unknown) ofNew(pair, invalidOf(pair));
  endpoints.push(...removedEndpoints(matched, all), ...(await compareDefaults(matched.pairs, all)));
  const changed = endpoints.filter(({ changes }) => changes.length > 0);
  return {
    endpoints: changed.map(mostSevereFirst).sort((a, b) => (a.name < b.name ? -1 : 1)),
    unchanged: endpoints.length - changed.length,
    measurable,
    notes: notesOf(old, matched),
  };
}

/** A dry run and the files may both show that a query is not valid. */
const onceInvalid = (changes: readonly Change[]): readonly Change[] =>
  changes.filter(
    (one, at) => one.kind !== 'query-invalid' || changes.findIndex(({ kind }) => kind === one.kind) === at,
  );

const removedEndpoints = (
  { removed, lost }: ReturnType<typeof matchEndpoints>,
  all: BothCatalogs,
): readonly EndpointDiff[] => [
  ...removed.map((before) => {
    const changes = [
      removal('endpoint-removed', [], removedText(before, all)),
      ...reusedAddresses(before, undefined, all),
    ];
    return { name: before.name, before, after: undefined, changes: judge(changes, []) };
  }),
  ...lost.map(({ name }) => {
    const changes = judge([removal('endpoint-removed', [], 'endpoint removed')], []);
    return { name, before: undefined, after: undefined, changes };
  }),
];

const compareContents = (pair: Pair): readonly Change[] => [
  ...compareParameters(pair),
  ...compareColumns(pair),
  ...compareRowArguments(pair),
  ...comparePolicy(pair),
  ...compareFederation(pair),
  ...compareSql(pair),
];

/** Names that mean another version: their callers get what this one has. */
async function compareDefaults(pairs: readonly Pair[], all: BothCatalogs): Promise<readonly EndpointDiff[]> {
  const moved = movedDefaults(pairs, all);
  const schemas = await compareSchemas(moved);
  return moved.map((pair) => {
    const [was, is] = [pair.before, pair.after].map(({ name }) => pinnedName(parseVersionName(name)));
    const path = pair.after.isDefault ? ['default'] : [];
    const changes = [
      change(
        'default-version',
        path,
        `${pair.name} means ${is === was ? `another query as ${is}` : `${is} instead of ${was}`}`,
      ),
      ...compareContents(pair),
    ];
    return { ...pair, changes: judge(changes, schemas.get(pair) ?? []) };
  });
}

const mayChangeBytes = ({ kind, path }: Change): boolean =>
  kind === 'sql-changed' || (path[0] === 'parameters' && kind !== 'description');

const mayChangeCosts = (one: Change): boolean =>
  mayChangeBytes(one) || one.kind === 'table-changed' || costKeys.has(one.path[0] ?? '');

/** The keys of the header on which the number of runs depends, or what one costs. */
const costKeys: ReadonlySet<string> = new Set(
  'batch cache_warming caching incremental live reservation tenant_unchecked warm'.split(' '),
);

const mostSevereFirst = (endpoint: EndpointDiff): EndpointDiff => ({
  ...endpoint,
  changes: endpoint.changes.toSorted((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level)),
});

function notesOf(old: OldCatalog, { unknown, lost }: ReturnType<typeof matchEndpoints>): readonly string[] {
  const why = (name: string, { file = '', line, message }: BrokenQuery['problem']) => {
    // That of a part is in another file.
    const other = basename(file, '.sql') === name ? '' : `${file} `;
    return `${other}${line === undefined ? '' : `line ${line}: `}${message}`;
  };
  return [
    ...unknown.map(
      ({ broken, after }) =>
        `${after.name} is not compared: today’s rules refuse its former file: ${why(broken.name, broken.problem)}`,
    ),
    ...lost.map(
      ({ name, problem }) =>
        `${name} is removed; it is not compared, as today’s rules refuse its file: ${why(name, problem)}`,
    ),
    ...old.tableProblems.map(
      (problem) => `the former schema ${problem.file} is not compared: ${why('', { ...problem, file: '' })}`,
    ),
  ];
}

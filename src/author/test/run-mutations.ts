import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { openEffects } from '../mutate/has-effect.ts';
import { combinedSql, mutationsOf } from '../mutate/mutations.ts';
import type { Mutation } from '../mutate/mutator.ts';
import { StartError } from '../../errors.ts';
import type { TestFile } from './load-tests.ts';
import { groupsOf, inParallel, type Open, type TestGroup } from './run-files.ts';
import { judge, runTest } from './run-test.ts';

/** What the tests of a query make of its changes. */
export interface MutationReport {
  readonly file: TestFile;
  /** Found by a test, or refused before it runs. */
  readonly noticed: readonly Mutation[];
  readonly unnoticed: readonly Mutation[];
  /** Changes of parts on which the result does not depend; they are not counted. */
  readonly withoutEffect: readonly Mutation[];
}

export interface MutationOptions {
  readonly tables: readonly TableSchema[];
  readonly open: Open;
  readonly parallel: number;
}

/** Changes a query in many small ways, and runs its tests with each changed query. */
export async function runMutations(file: TestFile, options: MutationOptions): Promise<MutationReport> {
  const { query } = file;
  const effectOf = openEffects(query, options.tables);
  const all = mutationsOf(query.sql).map((mutation) => ({ mutation, effect: effectOf(mutation.sql) }));
  const withEffect = (effect: string) => all.flatMap((one) => (one.effect === effect ? [one.mutation] : []));
  const noticed = new Set(withEffect('refused'));
  for (const mutation of await noticedOf(file, withEffect('possible'), options)) noticed.add(mutation);
  const counted = all.filter(({ effect }) => effect !== 'none').map(({ mutation }) => mutation);
  const unnoticed = counted.filter((mutation) => !noticed.has(mutation));
  const repeated = repeatedBounds(query, unnoticed);
  const noticedRepeated = await noticedOf(
    file,
    repeated.map(({ together }) => together),
    options,
  );
  const merged = repeated.filter(({ together }) => noticedRepeated.has(together));
  const mergedParts = new Set(merged.flatMap(({ parts }) => parts));
  return {
    file,
    noticed: [
      ...counted.filter((mutation) => noticed.has(mutation)),
      ...merged.map(({ together }) => together),
    ],
    unnoticed: unnoticed.filter((mutation) => !mergedParts.has(mutation)),
    withoutEffect: withEffect('none'),
  };
}

interface RepeatedBound {
  readonly parts: readonly Mutation[];
  readonly together: Mutation;
}

/**
 * Equal changes of bounds in several places, as one change. If a query states a bound twice, changing one of them may
 * change no row; then they count as one change.
 */
function repeatedBounds({ sql }: SavedQuery, unnoticed: readonly Mutation[]): readonly RepeatedBound[] {
  const bounds = unnoticed.filter(({ kind }) => kind === 'bound');
  return [...Map.groupBy(bounds, ({ change }) => change).values()].flatMap((parts) => {
    const [first, another] = parts;
    if (first === undefined || another === undefined) return [];
    const change = `${first.change}, in ${parts.length} places`;
    return [{ parts, together: { ...first, change, sql: combinedSql(sql, parts) } }];
  });
}

/** The changes that any test of the file notices. */
async function noticedOf(
  file: TestFile,
  mutations: readonly Mutation[],
  { open, parallel }: MutationOptions,
): Promise<ReadonlySet<Mutation>> {
  const noticed = new Set<Mutation>();
  // Most are noticed by any group of tests: the others need not run them.
  for (const group of groupsOf(file)) {
    const left = mutations.filter((mutation) => !noticed.has(mutation));
    const found = await inParallel(divide(left, parallel), parallel, (part) => noticedBy(group, part, open));
    for (const mutation of found.flat()) noticed.add(mutation);
  }
  return noticed;
}

const divide = <Item>(items: readonly Item[], parts: number): readonly (readonly Item[])[] =>
  Array.from({ length: parts }, (_, part) => items.filter((_, at) => at % parts === part)).filter(
    ({ length }) => length > 0,
  );

/** The changes that a group of tests notices. All changed queries share one engine, and so its rows. */
async function noticedBy(
  { file, tests }: TestGroup,
  mutations: readonly Mutation[],
  open: Open,
): Promise<readonly Mutation[]> {
  const changed = mutations.map((mutation) => ({ mutation, query: changedQuery(file.query, mutation) }));
  const fixtures = await openValid(changed, tests[0]?.tables ?? {}, open);
  try {
    const noticed: Mutation[] = [];
    for (const { mutation, query } of changed) {
      if (!fixtures.valid.has(query) || (await isNoticed(query, { file, tests }, fixtures.opened)))
        noticed.push(mutation);
    }
    return noticed;
  } finally {
    await fixtures.opened.close();
  }
}

interface Changed {
  readonly mutation: Mutation;
  readonly query: SavedQuery;
}

/** Opens the engine with the changed queries that it accepts. */
async function openValid(
  changed: readonly Changed[],
  fixtures: TestGroup['tests'][number]['tables'],
  open: Open,
) {
  const all = changed.map(({ query }) => query);
  try {
    return { opened: await open(all, fixtures), valid: new Set(all) };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    // The problems name the file, whose part is the number of the changed query.
    const refused = new Set(error.problems.map(({ file }) => file));
    const valid = all.filter(({ source }) => !refused.has(source.file));
    if (valid.length === all.length) throw error;
    return { opened: await open(valid, fixtures), valid: new Set(valid) };
  }
}

const changedQuery = (query: SavedQuery, { sql, start, change }: Mutation): SavedQuery => ({
  ...query,
  sql,
  source: { ...query.source, file: `${query.source.file} ${start} ${change}` },
});

async function isNoticed(
  query: SavedQuery,
  { tests }: TestGroup,
  fixtures: Parameters<typeof runTest>[2],
): Promise<boolean> {
  for (const test of tests) {
    if (!judge(query, test, await runTest(query, test, fixtures)).passed) return true;
  }
  return false;
}

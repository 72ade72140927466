import { type TenantParameter, unfilteredTables } from '@querygate/bigquery-sql/analysis';
import { problemAt, problemOf } from '@querygate/bigquery-sql/problem';
import { sandboxSubject } from '../catalog/binding/caller-sql.ts';
import type { Sandbox } from '@querygate/bigquery-sql/sandbox';
import { type Compiled, isViewName } from '@querygate/bigquery-sql/tree';
import type { Catalog, SavedQuery, Tenant } from '../catalog/model/saved-query.ts';
import type { Problem } from '../errors.ts';
import { queryProblems } from './query-problems.ts';
import { tenantUnderOr } from './tenant-under-or.ts';

/** The tables that a query does not restrict to the tenant, a problem each; none if it need not. */
export function tenantProblemsOf(query: SavedQuery, compile: () => Compiled): readonly Problem[] {
  const { tenant } = query;
  if (tenant === undefined || !isChecked(query)) return [];
  const parameter = tenantParameter(query, tenant);
  return problemsOrFirst(
    query,
    () =>
      unfilteredTables(compile().query, parameter).map((table) =>
        problemAt(
          query.sql,
          query.source,
          table.start,
          unfilteredMessage(table.name, filterTexts(query, table, parameter)),
        ),
      ),
    (why) => `it can't be checked that only rows of one tenant are returned: ${why}; ${optOut}`,
  );
}

/**
 * The problems of a saved query that takes SQL: callers choose the last SELECT, so that each common table that they can
 * name must be restricted to the tenant by itself.
 */
export function sandboxProblemsOf(
  query: SavedQuery,
  compile: () => Compiled,
  open: () => Sandbox,
): readonly Problem[] {
  if (query.querySandboxing !== 'enabled') return [];
  const parameter = query.tenant && tenantParameter(query, query.tenant);
  const find = () => {
    compile();
    const sandbox = open();
    const found = sandbox.tables.flatMap((common) => {
      const { query: tree } = sandbox.readAll(common);
      if (parameter === undefined) return [];
      return unfilteredTables(tree, parameter).map((table) =>
        problemAt(
          query.sql,
          query.source,
          table.start,
          unfilteredCommonMessage(common, table.name, filterTexts(query, table, parameter)),
        ),
      );
    });
    // A table that others read is named once, where it is read first.
    return [...Map.groupBy(found, ({ line, column }) => `${line}:${column}`).values()].flatMap(
      ([first]) => first ?? [],
    );
  };
  return problemsOrFirst(query, find, (why) =>
    why.startsWith(sandboxSubject) ? why : `${sandboxSubject} needs SQL that Querygate can check: ${why}`,
  );
}

/** The problems that a check finds; if it fails, the first reason: a query that can't be checked has a problem too. */
function problemsOrFirst(
  query: SavedQuery,
  find: () => readonly Problem[],
  describe: (why: string) => string,
): readonly Problem[] {
  try {
    return find();
  } catch (error) {
    const [problem = problemOf(query.source, String(error))] = queryProblems(query, error);
    return [{ ...problem, message: describe(problem.message) }];
  }
}

const tenantParameter = (
  { parameters }: SavedQuery,
  { parameter: name, pattern }: Tenant,
): TenantParameter => ({
  name,
  isPattern: pattern !== undefined,
  isList: parameters.some((parameter) => parameter.name === name && parameter.repeated),
});

const isChecked = ({ tenant, tenantUnchecked }: SavedQuery): boolean =>
  tenant !== undefined && tenantUnchecked === undefined;

/** The problems of a saved query whose SQL is that of another engine than BigQuery, so that nothing can be proved of it. */
export function uncheckableProblems(
  query: SavedQuery,
  engine: string,
  enforcesTenants: boolean,
): readonly Problem[] {
  const tenant = `it can't be checked that only rows of one tenant are returned: ${engine} runs SQL of its own; ${optOut}`;
  const needsReadable = (key: string) =>
    `${key} needs SQL that Querygate can check: ${engine} runs SQL of its own`;
  return [
    ...(isChecked(query) && !enforcesTenants ? [tenant] : []),
    ...(query.querySandboxing === 'enabled' ? [needsReadable('query_sandboxing: enabled')] : []),
    ...(query.rowArguments?.push === undefined ? [] : [needsReadable('push: true')]),
  ].map((message) => problemOf(query.source, message));
}

/** Warnings about queries whose author vouches for the rows, one line each. */
export const uncheckedQueries = ({ queries }: Catalog): readonly string[] =>
  queries.flatMap(({ name, tenantUnchecked: reason }) =>
    reason === undefined
      ? []
      : [`${name}: it is not checked that only rows of one tenant are returned: ${reason}`],
  );

const optOut = 'if every caller may see what it returns, say why in the header: "tenant_unchecked: <reason>"';

function comparisonWith({ name, isPattern, isList }: TenantParameter, column: string): string {
  if (isPattern) return `REGEXP_CONTAINS(${column}, @${name})`;
  return isList ? `${column} IN UNNEST(@${name})` : `${column} = @${name}`;
}

/** The comparison that a table needs, and why one that is there does not count. */
interface FilterTexts {
  readonly comparison: string;
  readonly why: string;
  /** Which query reads a table that another file names. */
  readonly reader: string;
}

function filterTexts(
  { sql, source }: SavedQuery,
  { start, collated, guesses }: ReturnType<typeof unfilteredTables>[number],
  parameter: TenantParameter,
): FilterTexts {
  const placeOf = (offset: number) => problemAt(sql, source, offset, '');
  const { file } = placeOf(start);
  const reader = file === source.file ? '' : ` for ${source.file}`;
  const byCollation = collated
    ? `; a column with a collation does not count, because BigQuery takes different texts for equal by it: ${collated.join(', ')}`
    : '';
  const byGuess =
    guesses.length > 0
      ? `; a bare ${guesses.join(', ')} does not count, because it may be a column of another item or query: write the table before it, as in table.${guesses[0]}`
      : '';
  const found = tenantUnderOr(sql, parameter, start);
  if (found === undefined)
    return { comparison: comparisonWith(parameter, 'column'), why: byCollation + byGuess, reader };
  const place = placeOf(found.start);
  const where = place.file === file ? `line ${place.line}` : `${place.file}:${place.line}`;
  return {
    comparison: comparisonWith(parameter, found.column),
    why: `; the one in ${where} is under OR, which does not count${byCollation}`,
    reader,
  };
}

function unfilteredMessage(table: string, { comparison, why, reader }: FilterTexts): string {
  if (isViewName(table))
    return `${table} is read without regard to the tenant${reader}: it describes the rows of all; ${optOut}`;
  return `${table} is read without "${comparison}"${reader}, so rows of other tenants could be returned; add it to the conditions of that table, joined by AND${why}; ${optOut}`;
}

function unfilteredCommonMessage(
  common: string,
  table: string,
  { comparison, why, reader }: FilterTexts,
): string {
  const [missing, advice] = isViewName(table)
    ? ['regard to the tenant', 'no condition restricts it to one']
    : [`"${comparison}"`, `add it to the conditions of that table inside of ${common}${why}`];
  return `the common table ${common}${reader.replace('for', 'of')} reads ${table} without ${missing}, so that with query_sandboxing: enabled a caller's SQL could return rows of other tenants; ${advice}`;
}

import { listShort } from '@querygate/text';
import { resultColumns } from '../compile.ts';
import { planningCosts } from '../macros/macros.ts';
import { isTooDeep } from '../planning-cost/planning-limits.ts';
import { ProblemError } from '../problem.ts';
import { type Context, type ResolvedQuery, TooManyProblems } from '../rules/context.ts';
import { emptyScope, type Relation, type Scope } from '../rules/scope.ts';
import { messageOf, Unsupported } from '../rules/unsupported.ts';
import type { Query, Statement } from '../syntax/nodes.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import { SyntaxProblem } from '../syntax/syntax-problem.ts';
import { mapExpressions } from '../tree/map.ts';
import { boundTexts } from './bound-texts.ts';
import { TooLarge } from './bounded-rules.ts';
import { requireColumns } from './check-columns.ts';
import { checkSyntax, type Names, requireSelect, tablesOf } from './check-syntax.ts';

/** A caller's SQL that is one SELECT over the common tables. */
interface Judged<R> {
  readonly statement: Statement;
  readonly resolved: R;
}

/**
 * Judges a caller's SQL.
 *
 * @param resolve resolves its query over the common tables, by `resolveCaller`
 * @throws ProblemError with one problem, at its place in the caller's text
 */
export function judge<R extends ResolvedQuery>(
  sql: string,
  names: Names,
  resolve: (query: Query) => R,
): Judged<R> {
  return withPlaces(sql, names, () => {
    requireSelect(sql, names);
    const statement = parseQuery(sql);
    checkSyntax(statement, names);
    const resolved = resolve(statement.query);
    requireColumns(statement.query, resolved);
    return { statement, resolved };
  });
}

/** The tables that a caller's query can name. */
export interface CallerNames {
  /** The common tables. */
  readonly relations: Scope['relations'];
  /** The views of INFORMATION_SCHEMA, which describe the common tables and nothing else. */
  readonly views: ReadonlyMap<string, Relation>;
}

/**
 * A caller's query as a tree, in a scope that has the common tables and nothing around them: no table, no function of the
 * saved query, and no path of several names can be found in it.
 */
export function resolveCaller(
  query: Query,
  { relations, views }: CallerNames,
  { context, problems }: { readonly context: Context; readonly problems: readonly Unsupported[] },
): ResolvedQuery {
  // The tables behind common tables have no name for a caller.
  const named = [...relations].map(([table, { absent, ...relation }]): [string, Relation] => [
    table,
    { ...relation, ...(absent && { absent: absent.map((own) => ({ ...own, table })) }) },
  ]);
  const scope: Scope = { ...emptyScope, parent: emptyScope, relations: new Map(named), views };
  const resolved = untilTooMany(() => context.attempt(() => context.query(query, scope), undefined));
  const [problem] = [...problems].sort((a, b) => a.place.start - b.place.start);
  if (problem || !resolved) throw problem ?? new Error('a query without a problem and without a tree');
  const own = mapExpressions(resolved.query, boundTexts);
  if (isTooDeep(planningCosts.of(own)))
    throw new TooLarge(
      query,
      'too many calls and subqueries are inside each other; compute parts of it in a common table',
    );
  return { ...resolved, query: own, columns: resultColumns(resolved) };
}

function untilTooMany<T>(resolve: () => T): T | undefined {
  try {
    return resolve();
  } catch (error) {
    if (!(error instanceof TooManyProblems)) throw error;
    return undefined;
  }
}

function withPlaces<T>(sql: string, names: Names, judge: () => T): T {
  try {
    return judge();
  } catch (error) {
    if (error instanceof SyntaxProblem) throw callerError(sql, error.offset, error.message);
    if (!(error instanceof Unsupported || error instanceof TooLarge)) throw error;
    const message = error instanceof Unsupported ? messageOf(error) : error.message;
    throw callerError(sql, error.place.start, message + namesInstead(error, names));
  }
}

/** Characters of names in a message: most tables have fewer. */
const maxKnownLength = 1_500;

/** The names that there are in place of a wrong one. */
function namesInstead(error: Unsupported | TooLarge, names: Names): string {
  const { message } = error;
  const known = error instanceof Unsupported ? error.known && firstOf(error.known()) : undefined;
  if (message.startsWith('no table is named') || known?.length === 0) return `; ${tablesOf(names)}`;
  if (known === undefined) return '';
  const what = message.startsWith('no field is named') ? 'its fields' : 'the columns here';
  return `; ${what} are ${listShort(known, maxKnownLength)}`;
}

/** The first names, one more than a message has: there may be 10,000 in each of many tables. */
function firstOf(names: Iterable<string>): readonly string[] {
  const first = new Set<string>();
  let length = 0;
  for (const name of names) {
    if (!first.has(name)) length += name.length + 2;
    first.add(name);
    if (length > maxKnownLength) break;
  }
  return [...first];
}

/** A problem at its place in a caller's text. Lines end as the sender writes them. */
export function callerError(sql: string, offset: number, message: string): ProblemError {
  const before = sql.slice(0, offset).split(/\r\n|\r|\n/);
  const column = (before.at(-1)?.length ?? 0) + 1;
  return new ProblemError('The SQL cannot run in the sandbox', [{ line: before.length, column, message }]);
}

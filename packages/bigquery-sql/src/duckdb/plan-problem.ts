import { type Problem, problemAt, problemOf, type Source } from '../problem.ts';
import type * as Syntax from '../syntax/nodes.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import { walk } from '../syntax/walk.ts';

type Groups = Readonly<Record<string, string | undefined>>;

/** An error that DuckDB reports when it plans a query, in the words of BigQuery's SQL. */
interface Explanation {
  readonly pattern: RegExp;
  readonly message: (groups: Groups) => string;
  /** True if a node is the one that the author has to change. */
  readonly isPlace: (node: Syntax.Node, around: readonly Syntax.Node[], groups: Groups) => boolean;
  /** The message if no node is; a general one without it. */
  readonly otherwise?: string;
}

const groupedInSubquery =
  'a subquery cannot read what GROUP BY or an aggregate function computes here: group in a WITH query, and filter or sort its rows';

const windowOfOuterRow =
  'a window function cannot read columns of the query around its subquery: compute it in a WITH query';
const outerJoinInSubquery =
  'LEFT, RIGHT and FULL JOIN are not supported here, in a subquery that reads the row around it: join in a WITH query';

const tooDeep =
  'its operators or queries are inside one another too deeply for DuckDB, or its queries read one another in too long a chain: divide long operations in halves by parentheses, and compute more in each query';

const isSubquery = ({ kind }: Syntax.Node): boolean =>
  kind === 'ScalarSubquery' || kind === 'ArraySubquery' || kind === 'Exists' || kind === 'In';
const isOuterJoin = (node: Syntax.Node): boolean =>
  node.kind === 'Join' && (node.type === 'LEFT' || node.type === 'RIGHT' || node.type === 'FULL');
const isWindowCall = (node: Syntax.Node): boolean => node.kind === 'FunctionCall' && node.over !== undefined;

const explanations: readonly Explanation[] = [
  {
    // Rules refuse what is neither grouped nor aggregated. DuckDB does not know a computed column within a subquery.
    pattern: /^column "?[^"]+?"? must appear in the GROUP BY clause|^Aggregate with only constant parameters/,
    message: () => groupedInSubquery,
    isPlace: (node, around) => {
      const isIn = (clause?: Syntax.Node) => clause === node || around.some((one) => one === clause);
      return (
        ['ScalarSubquery', 'ArraySubquery', 'Exists', 'In'].includes(node.kind) &&
        around.some(
          (one) =>
            one.kind === 'OrderByItem' || (one.kind === 'Select' && (isIn(one.having) || isIn(one.qualify))),
        )
      );
    },
    otherwise: groupedInSubquery,
  },
  {
    pattern:
      /^window expression is not supported here|^correlated columns in window functions|Unimplemented expression class .* WINDOW/,
    message: () => windowOfOuterRow,
    isPlace: (node, around) =>
      isWindowCall(node) && around.some(({ kind }) => kind.endsWith('Subquery') || kind === 'In'),
    otherwise: windowOfOuterRow,
  },
  {
    pattern: /^Cannot perform non-inner join on subquery/,
    message: () =>
      'ON of LEFT, RIGHT and FULL JOIN takes no subquery over rows: compute it in a column of one side before the join',
    isPlace: (node, around) => isSubquery(node) && around.some(isOuterJoin),
    otherwise: outerJoinInSubquery,
  },
  {
    pattern:
      /^Non-inner join on correlated columns|^Unsupported join type for flattening correlated subquery/,
    message: () => outerJoinInSubquery,
    isPlace: (node, around) => isOuterJoin(node) && around.some(isSubquery),
    otherwise: outerJoinInSubquery,
  },
  {
    pattern: /^Non-constant limit or offset not supported in correlated subquery/i,
    message: () => 'LIMIT in a subquery that reads the row around it takes a literal',
    isPlace: (node, around) => node.kind === 'Limit' && around.some(isSubquery),
    otherwise: 'LIMIT in a subquery that reads the row around it takes a literal',
  },
  {
    pattern: /^LIMIT\/OFFSET cannot be negative/,
    message: () => 'LIMIT and OFFSET take no negative number',
    isPlace: (node) => node.kind === 'Limit',
    otherwise: 'LIMIT and OFFSET take no negative number',
  },
  {
    pattern: /^Max expression depth limit/,
    message: () => tooDeep,
    isPlace: () => false,
    otherwise: tooDeep,
  },
  {
    pattern: /^Unknown TimeZone '(?<zone>.*?)'/,
    message: ({ zone }) => `${zone} is not a time zone: write a name such as Europe/Berlin, or +02:00`,
    isPlace: (node, _, { zone }) => node.kind === 'StringLiteral' && node.value === zone,
  },
  {
    pattern: /^Invalid JSONPath: (?<path>.*)$/s,
    message: ({ path }) => `${path} is not a JSONPath: it begins with $, as in $.a.b[0]`,
    isPlace: (node, _, { path }) => node.kind === 'StringLiteral' && node.value === path,
  },
  {
    pattern: /(?<reason>(?:missing|invalid|unexpected|bad|no argument|trailing)[^:]*): (?<part>.*)$/s,
    message: ({ reason, part }) => `not a regular expression of RE2: ${reason}: ${part}`,
    isPlace: (node, around, { part = '' }) => {
      const called = around.at(-1);
      return (
        node.kind === 'StringLiteral' &&
        node.value.includes(part) &&
        called?.kind === 'FunctionCall' &&
        /^regexp_/i.test(called.name.parts.at(-1)?.name ?? '')
      );
    },
  },
];

/** The problem of a query that DuckDB cannot plan, at its place in the SQL if that is known. */
export function planProblem(
  { sql, source }: { readonly sql: string; readonly source: Source },
  error: unknown,
): Problem {
  const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n\n');
  const message = first.replace(/^[\w ]+ Error: /, '');
  for (const { pattern, message: explain, isPlace, otherwise } of explanations) {
    const groups = pattern.exec(message)?.groups;
    if (groups === undefined && !pattern.test(message)) continue;
    const start = placeOf(sql, (node, around) => isPlace(node, around, groups ?? {}));
    if (start !== undefined) return problemAt(sql, source, start, explain(groups ?? {}));
    if (otherwise !== undefined) return problemOf(source, otherwise);
  }
  const [, own] = /'error: (.*)' to INT8/s.exec(message) ?? [];
  const isOfDuckdb = /^(Binder|Catalog|Parser|Not implemented) Error: /.test(first);
  return problemOf(source, own ?? (isOfDuckdb ? notSupported(sql) : message));
}

/** DuckDB's own words are about its SQL, which the author has not written. */
function notSupported(sql: string): string {
  const hasSubquery = placeOf(sql, ({ kind }) => subqueries.includes(kind)) !== undefined;
  const instead = hasSubquery ? ': write its subqueries as WITH queries or joins' : '';
  return `DuckDB cannot run this query as it is${instead}`;
}

const subqueries: readonly Syntax.Node['kind'][] = [
  'ScalarSubquery',
  'ArraySubquery',
  'Exists',
  'DerivedTable',
];

/** The offset of the first node that passes a test. */
function placeOf(
  sql: string,
  test: (node: Syntax.Node, around: readonly Syntax.Node[]) => boolean,
): number | undefined {
  let found: number | undefined;
  walk(parseQuery(sql), (node, around) => {
    if (found === undefined && test(node, around)) found = node.start;
  });
  return found;
}

import { foldName } from '@querygate/text';
import type * as Syntax from '../syntax/nodes.ts';
import { childrenOf } from '../syntax/walk.ts';
import { nullLiteral, select } from '../tree/build.ts';
import { unusedName, writtenColumns } from '../tree/fresh-names.ts';
import { someExpression } from '../tree/map.ts';
import type { Expression, From, Query } from '../tree/nodes.ts';
import { scalar, type Type, unknown } from '../types.ts';
import { repeatedOperandsFirst } from './bind-values.ts';
import type { AbsentColumn, Range, RelationColumn, Scope } from './scope.ts';
import { isNode, type Place, Unsupported } from './unsupported.ts';

/** Resolves one construct, or throws Unsupported. */
export type Rule<N> = (node: N, scope: Scope, context: Context) => Expression;

/** A query as a tree, with what its readers may name. */
export interface ResolvedQuery {
  readonly query: Query;
  readonly columns: readonly RelationColumn[];
  /** True if its rows are values without a name (SELECT AS STRUCT and AS VALUE). It then has one column. */
  readonly isValue: boolean;
  /** True if its columns are the fields of rows that are one value each, as they are to a set operation. */
  readonly isOfFields?: true;
  /** Set if a part of it is unsupported, so that its readers may name any column. */
  readonly acceptsAnyColumn?: true;
  /** See `Range`. */
  readonly absent?: readonly AbsentColumn[];
}

/** The query that is used instead of an unsupported one, after its problem is recorded. */
export const unknownQuery: ResolvedQuery = {
  query: select({ columns: [] }),
  columns: [],
  isValue: false,
  acceptsAnyColumn: true,
};

/** A FROM item, with the names that it defines. */
export interface ResolvedFrom {
  /** Undefined for a SELECT without FROM. */
  readonly from: From | undefined;
  readonly ranges: readonly Range[];
}

/** The rules of a dialect; the context calls them recursively. */
export interface Rules {
  readonly expression: Rule<Syntax.Expression>;
  readonly query: (node: Syntax.Query, scope: Scope, context: Context) => ResolvedQuery;
  readonly from: (node: Syntax.FromItem, scope: Scope, context: Context) => ResolvedFrom;
  readonly limits?: Limits | undefined;
}

/** Refuses what would become too large, before it is built. */
export interface Limits {
  columns(place: Place, number: number): void;
  /** Nodes of the tree, of which each part that is multiplied has some. */
  nodes(place: Place, number: number): void;
}

/** Rules call it to resolve the parts of their node. */
export interface Context {
  /** If the expression is unsupported, this records why and returns a NULL of unknown type. */
  expression(node: Syntax.Expression, scope: Scope): Expression;
  query(node: Syntax.Query, scope: Scope): ResolvedQuery;
  /** A FROM item; `scope` holds the names to which it may be correlated. */
  from(node: Syntax.FromItem, scope: Scope): ResolvedFrom;
  /**
   * Runs a step whose failure must not hide the problems of the other steps. A problem that follows from the failure of
   * one of its parts is not recorded.
   */
  attempt<T>(step: () => T, otherwise: T, node?: Syntax.Node): T;
  /** The declared type of a parameter: STRING, unless a header binds it as another one. */
  parameterType(name: string): Type;
  /** Notes that a name is read as the whole row of a table which has a column of that name, for messages. */
  noteWholeRow(node: Syntax.Path): void;
  /** A name that occurs nowhere else in the tree. */
  fresh(prefix: string): string;
  /** Undefined if nothing is limited. */
  readonly limits: Limits | undefined;
  /** Counts a call whose function's body takes its place. @throws Unsupported if there are too many of them */
  countInlinedCall(place: Place): void;
}

/** The expression that replaces one whose problem is recorded. */
const failed: Expression = nullLiteral(unknown);

/** True if an expression, or a part of it, has a problem that is recorded. */
export const hasFailed = (value: Expression): boolean => someExpression(value, (part) => part === failed);

/** Functions that call others repeatedly would otherwise grow exponentially. */
const maxInlinedCalls = 1000;

/** Ends the work for a query that has so many problems that no more are looked for. */
export class TooManyProblems extends Error {}

/** Lets a tool learn about a query while it is resolved. */
export interface Observer {
  readonly parameterType?: (name: string) => Type;
  readonly onExpression?: (node: Syntax.Expression, type: Type) => void;
  /** With this number of problems the work ends: `TooManyProblems` is thrown. */
  readonly maxProblems?: number;
}

/** Constructs that compare an operand with others, at one of which a problem may be. */
const comparing: ReadonlySet<string> = new Set(['In', 'Between', 'Case']);

/**
 * @param columnNames those of the tables that the query may read
 * @returns the context, and the list to which it adds every problem that it finds
 */
export function buildContext(
  rules: Rules,
  {
    parameterType = () => scalar('STRING'),
    onExpression,
    maxProblems = Number.POSITIVE_INFINITY,
  }: Observer = {},
  columnNames: readonly string[] = [],
): {
  readonly context: Context;
  readonly problems: readonly Unsupported[];
} {
  const problems: Unsupported[] = [];
  // In a subquery over a table with a column `r`, DuckDB would read `r.n` of an outer FROM item as a field of that column.
  const used = new Set([...writtenColumns, ...columnNames.map((name) => foldName(name))]);
  const wholeRows = new Set<unknown>();
  /** The operands of the construct that is resolved. */
  let operands: Expression[] = [];
  let inlinedCalls = 0;

  /** Runs a step of which the operands are those that it resolves. */
  function withOperands<T>(step: (operands: readonly Expression[]) => T): T {
    const outer = operands;
    operands = [];
    try {
      return step(operands);
    } finally {
      operands = outer;
    }
  }

  const context: Context = {
    expression(node, scope) {
      const value = context.attempt(
        () => withOperands((own) => repeatedOperandsFirst(rules.expression(node, scope, context), own)),
        failed,
        node,
      );
      onExpression?.(node, value.type);
      operands.push(value);
      return value;
    },
    parameterType,
    query: (node, scope) => withOperands(() => rules.query(node, scope, context)),
    from: (node, scope) => rules.from(node, scope, context),
    attempt(step, otherwise, node) {
      const before = problems.length;
      try {
        return step();
      } catch (error) {
        if (!(error instanceof Unsupported)) throw error;
        if (problems.length === before) problems.push(wholeRowProblem(wholeRows, error, node) ?? error);
        if (problems.length >= maxProblems) throw new TooManyProblems();
        return otherwise;
      }
    },
    noteWholeRow: (node) => wholeRows.add(node),
    fresh: (prefix) => unusedName(prefix, used),
    get limits() {
      return rules.limits;
    },
    countInlinedCall(place) {
      inlinedCalls += 1;
      if (inlinedCalls > maxInlinedCalls)
        throw new Unsupported(
          place,
          `the calls of temporary functions, and of those that they call, are more than ${maxInlinedCalls}`,
        );
    },
  };
  return { context, problems };
}

/** The problem of a column's name that is read as the row of a table, if that is the cause of another one. */
function wholeRowProblem(
  wholeRows: ReadonlySet<unknown>,
  { place }: Unsupported,
  node?: Syntax.Node,
): Unsupported | undefined {
  const around = [...(isNode(place) ? [place] : []), ...(node && comparing.has(node.kind) ? [node] : [])];
  const parts = around.flatMap((one) => [one, ...childrenOf(one)]);
  const row = parts.find((part) => wholeRows.has(part));
  if (row?.kind !== 'Path') return undefined;
  const [{ name }] = row.parts;
  return new Unsupported(
    row,
    `${name} is the whole row of the table: write ${name}.${name}, or give the table another alias`,
  );
}

import type * as Syntax from '../../syntax/nodes.ts';
import { column, select } from '../../tree/build.ts';
import { withTables } from '../../tree/with-tables.ts';
import type { Context, ResolvedQuery } from '../context.ts';
import { type Rows, rowsOf, rowsOfFrom, toQuery } from '../pipes/pipe-rows.ts';
import { applyPipes } from '../pipes/pipes.ts';
import { childOf, type Scope } from '../scope.ts';
import { Unsupported } from '../unsupported.ts';
import { resolveLimit } from './limit.ts';
import { resolveOrderBy } from './ordering.ts';
import { rangeOf, starColumns } from './outputs.ts';
import { type OrderAndLimit, resolveSelect } from './select.ts';
import { combine } from './set-operations.ts';
import { withTypedNulls } from './typed-nulls.ts';
import { resolveWith } from './with.ts';

/** A query: WITH, one SELECT or several in a set operation, ORDER BY, LIMIT, pipe operators. */
export function resolveQuery(node: Syntax.Query, parent: Scope, context: Context): ResolvedQuery {
  const child = childOf(parent);
  const { scope, tables } = node.with ? resolveWith(node.with, child, context) : { scope: child, tables: [] };
  const { resolved, added } =
    node.pipes.length === 0 && node.body.kind !== 'FromQuery'
      ? { resolved: resolveBody(node, node.body, scope, context), added: [] }
      : piped(node, scope, context);
  const typed = withTypedNulls(resolved, context);
  return { ...typed, query: withTables([...tables, ...added], typed.query) };
}

function piped(node: Syntax.Query, scope: Scope, context: Context) {
  const { rows, tables } = applyPipes(node.pipes, firstRows(node, scope, context), scope, context);
  return { resolved: toQuery(rows), added: tables };
}

/** The rows that the first pipe operator takes. */
function firstRows(node: Syntax.Query, scope: Scope, context: Context): Rows {
  const { body } = node;
  if (body.kind !== 'FromQuery') return rowsOf(resolveBody(node, body, scope, context), context);
  if (node.orderBy.length > 0 || node.limit)
    throw new Unsupported(body, 'ORDER BY and LIMIT after FROM need the pipe operator |>');
  return rowsOfFrom(context.from(body.from, scope));
}

function resolveBody(
  node: OrderAndLimit,
  body: Exclude<Syntax.QueryBody, Syntax.FromQuery>,
  scope: Scope,
  context: Context,
): ResolvedQuery {
  switch (body.kind) {
    case 'Select':
      return resolveSelect(body, node, scope, context);
    case 'Query':
      return ordered(context.query(body, scope), node, scope, context);
    case 'SetOperation':
      return ordered(
        combine(
          body,
          body,
          body.inputs.map((input) => resolveInput(input, scope, context)),
          context,
        ),
        node,
        scope,
        context,
      );
  }
}

/** An input in parentheses is resolved like one without: a bare NULL in it takes the type of the other inputs. */
function resolveInput(node: Syntax.Select | Syntax.Query, scope: Scope, context: Context): ResolvedQuery {
  if (node.kind === 'Select') return resolveSelect(node, { orderBy: [], limit: undefined }, scope, context);
  const { body } = node;
  const isBare = !node.with && node.orderBy.length === 0 && !node.limit && node.pipes.length === 0;
  return isBare && (body.kind === 'Select' || body.kind === 'Query')
    ? resolveInput(body, scope, context)
    : context.query(node, scope);
}

/** ORDER BY and LIMIT after parentheses or a set operation apply to its result, and can use its columns or fields only. */
function ordered(
  input: ResolvedQuery,
  { orderBy, limit }: OrderAndLimit,
  scope: Scope,
  context: Context,
): ResolvedQuery {
  if (orderBy.length === 0 && !limit) return input;
  const alias = context.fresh('all');
  const outputs = starColumns(rangeOf({ ...input, isValue: false }, undefined, alias));
  const inner = { ...scope, ranges: [rangeOf(input, undefined, alias)] };
  const query = select({
    columns: input.columns.map(({ column: name, type, required }) => ({
      name,
      value: column(alias, name, type, required),
    })),
    from: { kind: 'derived', alias, query: input.query },
    orderBy: resolveOrderBy(orderBy, outputs, inner, context),
    ...resolveLimit(limit, context),
  });
  return { ...input, query };
}

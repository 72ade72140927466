import { capturedParameters, hasSubquery } from '../../macros/macros.ts';
import { aliasesOf } from '../../tree/aliases-of.ts';
import { boolLiteral, caseWhen, computeFirst } from '../../tree/build.ts';
import { mapParts, type Mapper, someExpression, someNode, unchanged } from '../../tree/map.ts';
import type { Call, Expression, Lambda, Member, Node, Query } from '../../tree/nodes.ts';
import { keysBeforeTry } from './keys-before-try.ts';

/**
 * Writes a query so that DuckDB can bind it. In the body of a lambda it allows no subquery and no window function, and it looks for the columns
 * of a lambda and of its list in one query only: so what such a call reads of other queries is computed before it. And
 * it loses the name of a struct's field whose value is a macro over a column of an outer query, unless a CASE is around it.
 */
export const closeLambdas = (query: Query): Query => mapperIn(new Set()).query(query);

/** @param own the aliases of the query in which an expression is written */
function mapperIn(own: ReadonlySet<string>): Mapper {
  const readsOuter = (node: Expression) =>
    someExpression(node, (part) => part.kind === 'column' && !own.has(part.from));
  const keepsName = ({ value }: Member) => value.kind !== 'call' || !readsOuter(value);
  const named = (member: Member): Member =>
    keepsName(member) ? member : { ...member, value: caseWhen(boolLiteral(true), member.value) };
  const mapper: Mapper = {
    expression: (node) => {
      const isOpen = node.kind === 'call' && hasOpenLambda(node, readsOuter);
      const mapped = mapParts(isOpen ? closed(node) : node, mapper);
      const hasNames = mapped.kind === 'struct' || mapped.kind === 'record';
      if (!hasNames || mapped.fields.every(keepsName)) return mapped;
      return { ...mapped, fields: mapped.fields.map(named) };
    },
    query: (node) => {
      const inner = node.kind === 'select' ? mapperIn(new Set(node.from && aliasesOf(node.from))) : mapper;
      return mapParts(node.kind === 'select' ? keysBeforeTry(node) : node, inner);
    },
    // DuckDB unnests an array of FROM in a query of its own.
    from: (node) => mapParts(node, node.kind === 'unnest' ? mapperIn(new Set()) : mapper),
  };
  return mapper;
}

/** True if the body of a lambda reads something that DuckDB does not find there. */
function hasOpenLambda(node: Call, readsOuter: (node: Expression) => boolean): boolean {
  if (hasSubquery(node.function)) return false;
  const captured = node.args.filter(
    (arg, at) => arg.kind === 'lambda' || capturedParameters.includes(node.function, node.args, at),
  );
  if (captured.some((arg) => someNode(arg, isSubqueryOrWindow))) return true;
  return captured.some(readsColumn) && node.args.some(readsOuter);
}

const isSubqueryOrWindow = (node: Node): boolean =>
  node.kind === 'subquery' || (node.kind === 'aggregate' && node.over !== undefined);

const readsColumn = (node: Expression): boolean => someExpression(node, ({ kind }) => kind === 'column');

/** The call over values that are computed before it. */
function closed(node: Call): Expression {
  const values: Expression[] = [];
  mapComputed(node, (value) => {
    values.push(value);
    return value;
  });
  return computeFirst(values, (...computed) =>
    mapComputed(node, (value) => computed[values.indexOf(value)] ?? value),
  );
}

/** Replaces the arguments of a call, and in lambdas what does not depend on their parameters. */
const mapComputed = (node: Call, replace: (value: Expression) => Expression): Call => ({
  ...node,
  args: node.args.map((arg) => {
    if (arg.kind === 'lambda') return mapBody(arg, new Set(), replace);
    return someNode(arg, isComputed) ? replace(arg) : arg;
  }),
});

const isComputed = ({ kind }: { readonly kind: string }): boolean =>
  kind === 'column' || kind === 'aggregate' || kind === 'subquery';

function mapBody(
  node: Lambda,
  outer: ReadonlySet<number>,
  replace: (value: Expression) => Expression,
): Lambda {
  const own = new Set([...outer, ...node.parameters]);
  const isOwn = (part: Expression) => someNode(part, (inner) => inner.kind === 'local' && own.has(inner.id));
  const mapper: Mapper = {
    ...unchanged,
    expression: (part) => {
      if (part.kind === 'lambda') return mapBody(part, own, replace);
      return isComputed(part) && !isOwn(part) ? replace(part) : mapParts(part, mapper);
    },
  };
  return mapParts(node, mapper);
}

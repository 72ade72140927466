import { foldName } from '@querygate/text';
import type * as Syntax from '../syntax/nodes.ts';
import { walk } from '../syntax/walk.ts';
import { forEachNode } from '../tree/map.ts';
import type { Query } from '../tree/nodes.ts';
import { isScalar } from '../types.ts';
import { refuse } from './carried-tenant.ts';
import { lastName } from './carry-tenant.ts';
import { NotDerivable } from './edit-text.ts';

/** Functions whose value is another one each time, or one of several. */
const arbitrary: ReadonlySet<string> = new Set([
  ...['rand', 'generate_uuid', 'any_value', 'max_by', 'min_by'],
  ...['approx_top_count', 'approx_top_sum'],
]);

/** Aggregates whose value depends on the order of the rows. */
const ordered: ReadonlySet<string> = new Set(['array_agg', 'array_concat_agg', 'string_agg']);

/** Functions of the place of a row in its window. */
const placed: ReadonlySet<string> = new Set([
  ...['row_number', 'lag', 'lead', 'first_value', 'last_value', 'nth_value', 'ntile'],
]);

/** Requires that the values of a query are the same whenever it reads the same rows. @throws NotDerivable */
export function requireDefinedValues({ functions, script, query }: Syntax.Statement): void {
  const [statement] = script;
  if (statement !== undefined) refuse(statement, 'statements of a script before the query');
  for (const definition of functions) {
    if (definition.aggregate) refuse(definition, 'an aggregate function that the text defines');
    if (definition.body.kind === 'ForeignBody') refuse(definition, 'a function in another language than SQL');
    walk(definition, requireDefined);
  }
  walk(query, requireDefined);
}

function requireDefined(node: Syntax.Node, around: readonly Syntax.Node[]): void {
  if (node.kind === 'HavingExtreme') refuse(node, 'HAVING MAX or MIN: one of several rows');
  if (node.kind !== 'FunctionCall') return;
  const name = lastName(node.name);
  const { over } = node;
  if (arbitrary.has(name)) refuse(node, `${name.toUpperCase()} may have another value in each run`);
  if (ordered.has(name) && over === undefined && node.orderBy.length === 0)
    refuse(node, `${name.toUpperCase()} without ORDER BY may have another value in each run`);
  const windows = windowsOf(over, around);
  const isUnordered = over !== undefined && windows.every(({ orderBy }) => orderBy.length === 0);
  const dependsOnOrder = placed.has(name) || ordered.has(name);
  if (isUnordered && (dependsOnOrder || windows.some(({ frame }) => frame !== undefined)))
    refuse(node, `${name.toUpperCase()} without ORDER BY may have another value in each run`);
}

/** A window, and the named ones that it extends. */
function windowsOf(
  over: Syntax.Identifier | Syntax.Window | undefined,
  around: readonly Syntax.Node[],
): readonly Syntax.Window[] {
  const named = around.findLast((node) => 'windows' in node)?.windows ?? [];
  const found = new Set<Syntax.Window>();
  for (let next = over; next !== undefined; ) {
    const name = next.kind === 'Identifier' ? foldName(next.name) : undefined;
    const window: Syntax.Window | undefined =
      next.kind === 'Window' ? next : named.find((one) => foldName(one.name.name) === name)?.window;
    if (window === undefined || found.has(window)) break;
    found.add(window);
    next = window.base;
  }
  return [...found];
}

/** Requires that no sum depends on the order in which its rows are added. @throws NotDerivable */
export function requireExactSums(query: Query): void {
  forEachNode(query, (node) => {
    if (
      node.kind !== 'aggregate' ||
      !/^(?:f?sum|kahan_sum|avg|favg|stddev|var|covar|corr)/.test(node.function)
    )
      return;
    if (node.args.some(({ type }) => isScalar(type, 'FLOAT64')))
      throw new NotDerivable(
        'a sum or an average of FLOAT64 depends on the order in which rows are added; NUMERIC does not',
      );
  });
}

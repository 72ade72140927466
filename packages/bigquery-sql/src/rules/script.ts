import { foldName } from '@querygate/text';
import type * as Syntax from '../syntax/nodes.ts';
import { caseWhen, column, nullLiteral, select } from '../tree/build.ts';
import { sizeOf } from '../tree/map.ts';
import type { CommonTable, Expression, Member } from '../tree/nodes.ts';
import { isVolatile } from '../tree/volatile.ts';
import { withTables } from '../tree/with-tables.ts';
import { describeType, sameName, type Type, typedNulls } from '../types.ts';
import { convert, distance } from './coercion.ts';
import type { Context, ResolvedQuery } from './context.ts';
import { hasParameters } from './expressions/casts.ts';
import { requireBool } from './expressions/comparison.ts';
import { dependsOnRows } from './expressions/constant-values.ts';
import { commonRelation } from './queries/with.ts';
import { resolveType } from './resolve-type.ts';
import type { Relation, Scope } from './scope.ts';
import { Unsupported } from './unsupported.ts';

/** A variable of a script after one of its statements. */
type Variable = Member;

type Variables = readonly Variable[];

/** The nodes that a value may have where it takes the place of its variable. */
const maxRepeatedSize = 50;

/**
 * The query of a text, with the statements of a script before it: the value of a variable takes its place, and temporary
 * tables are common tables. A column hides the variable of its name.
 */
export function resolveScript(statement: Syntax.Statement, root: Scope, context: Context): ResolvedQuery {
  if (statement.script.length === 0) return context.query(statement.query, root);
  const tables: CommonTable[] = [];
  const relations = new Map<string, Relation>(root.relations);
  let variables: Variables = [];
  const scopeOf = (known: Variables): Scope => ({
    ...root,
    relations,
    ranges: [{ name: undefined, columns: known }],
  });
  /** A value that reads rows or is random is computed once, and a long one: SETs of each other would grow exponentially. */
  const keep = (name: string, value: Expression): Variable => {
    if (!dependsOnRows(value) && !isVolatile(value) && sizeOf(value) <= maxRepeatedSize) {
      const fixed = value.kind === 'literal' ? { ...value, hasFixedType: true as const } : value;
      return { name, value: fixed };
    }
    const table = context.fresh(name);
    tables.push({ name: table, query: select({ columns: [{ name: 'value', value }] }), recursive: false });
    return { name, value: readValue(table, context.fresh(name), value.type) };
  };
  const run = (node: Syntax.SetVariable | Syntax.IfStatement, known: Variables): Variables =>
    node.kind === 'SetVariable' ? assign(node, known) : branch(node, known);
  const runAll = (nodes: readonly (Syntax.SetVariable | Syntax.IfStatement)[], known: Variables) =>
    nodes.reduce((before, node) => run(node, before), known);
  const assign = (node: Syntax.SetVariable, known: Variables): Variables => {
    const { name } = node.name;
    const variable = known.find((one) => sameName(one.name, name));
    if (!variable) throw new Unsupported(node.name, `no variable is named ${name}`);
    const given = context.expression(node.value, scopeOf(known));
    const next = keep(variable.name, assigned(node.value, given, variable.value.type));
    return known.map((one) => (one === variable ? next : one));
  };
  const branch = (node: Syntax.IfStatement, known: Variables): Variables =>
    node.branches.toReversed().reduce(
      (otherwise, { condition, assignments }) => {
        const test = context.expression(condition, scopeOf(known));
        requireBool(condition, test, 'IF');
        const testOnce = keep('condition', test);
        const then = runAll(assignments, known);
        return known.map((before, at) => {
          const [yes = before, no = before] = [then[at], otherwise[at]];
          if (yes === no) return yes;
          return keep(before.name, caseWhen(testOnce.value, yes.value, no.value, before.value.type));
        });
      },
      runAll(node.otherwise, known),
    );

  for (const node of statement.script) {
    if (node.kind === 'Declare')
      variables = [...variables, ...declared(node, variables, scopeOf(variables), { context, keep })];
    else if (node.kind === 'CreateTempTable') {
      const resolved = context.query(node.query, scopeOf(variables));
      requireStorable(node, resolved);
      const name = context.fresh(node.name.name);
      tables.push({ name, query: resolved.query, recursive: false });
      relations.set(foldName(node.name.name), commonRelation(name, resolved));
    } else variables = run(node, variables);
  }
  const resolved = context.query(statement.query, scopeOf(variables));
  return { ...resolved, query: withTables(tables, resolved.query) };
}

function readValue(table: string, alias: string, type: Type): Expression {
  const query = select({
    columns: [{ name: 'value', value: column(alias, 'value', type) }],
    from: { kind: 'reference', alias, name: table },
  });
  return { kind: 'subquery', form: 'scalar', query, isVariable: true, type };
}

function declared(
  node: Syntax.Declare,
  known: Variables,
  scope: Scope,
  { context, keep }: { context: Context; keep: (name: string, value: Expression) => Variable },
): Variables {
  const repeated = node.names.find(({ name }, at) =>
    [...known, ...node.names.slice(0, at)].some((other) => sameName(other.name, name)),
  );
  if (repeated) throw new Unsupported(repeated, `${repeated.name} is declared twice`);
  if (node.type && hasParameters(node.type))
    throw new Unsupported(node.type, 'a variable takes a type without parameters: CAST its values instead');
  const given = node.value && context.expression(node.value, scope);
  const type = node.type ? resolveType(node.type) : given && typedNulls(given.type);
  if (!type) throw new Unsupported(node, 'DECLARE needs a type or DEFAULT');
  const value = given ? assigned(node.value ?? node, given, type) : nullLiteral(type);
  const kept = keep(node.names.map(({ name }) => name).join('_'), value);
  return node.names.map(({ name }) => ({ ...kept, name }));
}

function assigned(place: Syntax.Node, value: Expression, type: Type): Expression {
  if (distance(value, type) !== undefined) return convert(value, type);
  throw new Unsupported(
    place,
    `a variable of type ${describeType(type)} takes no ${describeType(value.type)}`,
  );
}

/** The columns of a table have names that differ. */
function requireStorable({ name, query: place }: Syntax.CreateTempTable, { columns }: ResolvedQuery): void {
  const unusable = columns.find(
    (one, at) => one.isAnonymous || columns.slice(0, at).some((other) => sameName(other.name, one.name)),
  );
  if (unusable) throw new Unsupported(place, `${name.name}: each column of a table needs a name of its own`);
}

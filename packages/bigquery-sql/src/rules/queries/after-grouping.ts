import { aliasesOf } from '../../tree/aliases-of.ts';
import { aggregate, call, column, nullLiteral, select } from '../../tree/build.ts';
import { isEqual } from '../../tree/equal.ts';
import { unusedName } from '../../tree/fresh-names.ts';
import { mapParts, type Mapper, mapperWith, someExpression, someNode, unchanged } from '../../tree/map.ts';
import type { Aggregate, Expression, Grouping, Member, Node, Select } from '../../tree/nodes.ts';
import { afterGroups, isGroupAggregate, isPath } from '../../tree/query-parts.ts';
import { describeType, isScalar, type Type } from '../../types.ts';
import { collationKey, isCollated, textOfKey } from '../collation.ts';
import { type Place, Unsupported } from '../unsupported.ts';
import type { Output } from './outputs.ts';

/** GROUP BY and the select list, and how clauses after GROUP BY read the keys. */
export interface AfterGrouping {
  readonly groupBy?: Grouping;
  readonly outputs: readonly Output[];
  /** Rewrites an expression of a clause after GROUP BY. */
  read(value: Expression): Expression;
}

/** @param keys as they are written: those that name a column of the select list are that column */
export function afterGrouping(
  groupBy: Grouping | undefined,
  outputs: readonly Output[],
  keys: readonly Output[] = [],
): AfterGrouping {
  if (groupBy?.sets) return ofSets(groupBy, outputs, keys);
  const texts = (groupBy?.keys ?? []).flatMap((key) => textOfKey(key) ?? []);
  return { ...(groupBy && { groupBy }), outputs, read: anyOfGroup(texts) };
}

/**
 * With several grouping sets, `a + 1` is computed of the grouped `a` if `a` is a key, even if `a + 1` is a key, too:
 * it is NULL wherever `a` is. DuckDB would take the key instead, as it would for a literal that is one. IFNULL makes such
 * a key an expression that nothing else is, and equal keys two.
 */
function ofSets(
  { keys, ...sets }: Grouping,
  outputs: readonly Output[],
  written: readonly Output[],
): AfterGrouping {
  const values = keys.map((key) => expressionOf(key, outputs));
  const isOfKeys = (value: Expression): boolean =>
    !someNode(value, (part) => part.kind === 'column' && !values.some((key) => isEqual(key, part)));
  const isHidden = (value: Expression) => !isPath(value) || (value.kind === 'field' && isOfKeys(value));
  const hidden = keys.flatMap((key, at) => {
    const value = expressionOf(key, outputs);
    if (!isHidden(value)) return [];
    const equal = values.slice(0, at + 1).filter((other) => isEqual(other, value));
    const output = key.kind === 'position' ? outputs[key.index - 1] : undefined;
    return { value, output, key: equal.reduce(asKey, value) };
  });
  const keyOf = (part: Expression) => hidden.find(({ value }) => isEqual(value, part))?.key ?? part;
  const read = (part: Expression): Expression => {
    if (isGroupAggregate(part))
      return part.function === 'grouping' ? { ...part, args: part.args.map(keyOf) } : part;
    if (hidden.some(({ key }) => isEqual(key, part))) return part;
    const key = isOfKeys(part) ? part : keyOf(part);
    return key === part ? mapParts(part, mapper) : key;
  };
  const mapper: Mapper = { ...unchanged, expression: read };
  return {
    groupBy: { keys: keys.map(keyOf), ...sets },
    outputs: outputs.map((output) => ({
      ...output,
      value:
        hidden.find((key) => key.output === output)?.key ??
        (written.includes(output) ? keyOf(output.value) : read(output.value)),
    })),
    read,
  };
}

/** The value as an expression that is no other one. */
export const asKey = (value: Expression): Expression => call('ifnull', [nullLiteral(), value], value.type);

/** Texts that are grouped without case: each is one of its group after it. */
function anyOfGroup(texts: readonly Expression[]): AfterGrouping['read'] {
  const replaced = (value: Expression): Expression => {
    if (isGroupAggregate(value)) return value;
    const isKey = texts.some((text) => isEqual(text, value));
    return isKey ? aggregate('any_value', [value], value.type) : mapParts(value, mapper);
  };
  const mapper: Mapper = { ...unchanged, expression: replaced };
  return texts.length === 0 ? (value) => value : replaced;
}

/** The rows of SELECT DISTINCT; of texts that are equal but for their case, one of them. */
export function distinctRows(query: Select, alias: string): Select {
  if (!query.columns.some(({ value }) => isCollated(value.type))) return query;
  const columns = query.columns.map(({ name, value }) => column(alias, name, value.type));
  const keys = columns.map(collationKey);
  const any = anyOfGroup(keys.flatMap((key) => textOfKey(key) ?? []));
  return select({
    columns: columns.map((one) => ({ name: one.name, value: any(one) })),
    from: { kind: 'derived', alias, query: { ...query, distinct: false } },
    groupBy: { keys },
  });
}

/** @throws Unsupported for a column that DISTINCT cannot compare */
export function requireDistinguishable(
  place: Place,
  columns: readonly { readonly value: Expression }[],
): void {
  const wrong = columns.find(({ value: { type } }) => !isGroupable(type) && !isCollated(type));
  if (wrong) throw new Unsupported(place, `SELECT DISTINCT does not take ${describeType(wrong.value.type)}`);
}

/** True if values of a type can be grouped and distinguished by DISTINCT. */
export const isGroupable = (type: Type): boolean =>
  type.kind === 'struct'
    ? type.fields.every((field) => isGroupable(field.type))
    : type.kind === 'array'
      ? isGroupable(type.element)
      : !isScalar(type, 'JSON') && !isCollated(type);

/** True if PARTITION BY, set operations and aggregates' DISTINCT take a type, not only GROUP BY and SELECT DISTINCT. */
export const isGroupableAnywhere = (type: Type): boolean =>
  type.kind !== 'array' && type.kind !== 'struct' && isGroupable(type);

/** The end of a message about a type that cannot be grouped: what has a type that can be. */
export const groupableInstead = (type: Type): string => {
  if (isScalar(type, 'FLOAT64')) return ': CAST it AS STRING';
  const isText = type.kind === 'array' || type.kind === 'struct' || isScalar(type, 'JSON');
  return isText ? ': write TO_JSON_STRING(value)' : '';
};

/** The expression that a key groups by, also if the key names an output column. */
export const expressionOf = (key: Expression, outputs: readonly Output[]): Expression =>
  key.kind === 'position' ? (outputs[key.index - 1]?.value ?? key) : key;

/**
 * True if a test holds for an aggregate or window function of the query that an expression belongs to, which may also be
 * an argument of a function that has it in a subquery.
 */
export const someAggregate = (value: Expression, test: (node: Aggregate) => boolean = () => true): boolean =>
  someExpression(value, (part) => part.kind === 'aggregate' && test(part)) ||
  someNode(value, (part) => part.kind === 'aggregate' && part.isArgument === true && test(part));

/**
 * A query in whose subqueries are aggregate or window functions of its own, which a function has as its arguments: these
 * are computed in a query below it, because DuckDB does not know them in a subquery.
 */
export function computedFirst(query: Select, fresh: (prefix: string) => string): Select {
  const all = afterGroups(query);
  if (!all.some((value) => someNode(value, isOfQuery))) return query;
  // Whatever this query is a part of has none of them.
  return mapParts(all.some(readsArgument) ? split(query, fresh) : query, ofNoCall);
}

/** Where all windows are above the groups, those that are themselves arguments are computed below the others. */
function split(query: Select, fresh: (prefix: string) => string): Select {
  if (canSplit(query)) return splitQuery(query, fresh, false);
  const above = splitQuery(query, fresh, true);
  return afterGroups(above).some(readsArgument) ? splitQuery(above, fresh, false) : above;
}

const isOfQuery = (part: Node) => part.kind === 'aggregate' && part.isArgument === true;

const ofNoCall: Mapper = mapperWith({
  expression(part) {
    if (part.kind !== 'aggregate') return mapParts(part, ofNoCall);
    const { isArgument: _, ...own } = part;
    return mapParts(own, ofNoCall);
  },
});

/** @param windowsAbove true if all windows are computed in the query above, as QUALIFY is */
function splitQuery(query: Select, fresh: (prefix: string) => string, windowsAbove: boolean): Select {
  const { columns, having, qualify, orderBy } = query;
  const isAbove = (value: Expression) => readsArgument(value) || (windowsAbove && someNode(value, isWindow));
  const below = membersBelow(query, fresh('computed'), { isAbove, windowsAbove });
  const after = (all: readonly Expression[]) => all.filter(readsArgument).map(below.read);
  const shown = columns.map(({ name, value }, at) => ({
    name,
    value: isAbove(value) ? below.read(value) : below.at(at),
  }));
  const sorted = orderBy.map((key) => ({ ...key, value: below.read(key.value) }));
  const where = [...after(having), ...(windowsAbove ? [] : after(qualify))];
  const { distinct, limit, offset, ...rest } = query;
  const before = (all: readonly Expression[]) => all.filter((one) => !readsArgument(one));
  const inner = {
    having: before(having),
    qualify: windowsAbove ? [] : before(qualify),
    columns: below.members,
    orderBy: [],
  };
  return select({
    columns: shown,
    distinct,
    ...(windowsAbove && { qualify: qualify.map(below.read) }),
    from: { kind: 'derived', alias: below.alias, query: { ...rest, ...inner, distinct: false } },
    where,
    orderBy: sorted,
    ...(limit && { limit }),
    ...(offset && { offset }),
  });
}

const isWindow = (part: Node): boolean => part.kind === 'aggregate' && part.over !== undefined;

/** HAVING comes before window functions, and these before QUALIFY: none of them can be on the other side of another. */
function canSplit({ columns, having, qualify, orderBy }: Select): boolean {
  const values = [...columns, ...orderBy].map(({ value }) => value);
  const windows = (test: (node: Aggregate) => boolean) =>
    [...values, ...qualify].some((value) =>
      someAggregate(value, (node) => node.over !== undefined && test(node)),
    );
  if (having.some(readsArgument) && windows((node) => !readsArgument(node))) return false;
  return !(qualify.length > 0 && windows(readsArgument));
}

/** True if a subquery has an argument that its query computes. */
const readsArgument = (value: Expression): boolean =>
  someExpression(value, (part) => part.kind === 'subquery' && someNode(part.query, isOfQuery));

/** The columns of the query below: those of the select list at their positions, which GROUP BY may name, and others. */
function membersBelow(
  { columns, from }: Select,
  alias: string,
  { isAbove, windowsAbove }: { isAbove(value: Expression): boolean; readonly windowsAbove: boolean },
) {
  const members: Member[] = columns.map(({ name, value }) => ({
    name,
    value: isAbove(value) ? nullLiteral(value.type) : value,
  }));
  const names = new Set(members.map(({ name }) => name));
  const own: ReadonlySet<string> = new Set(from ? aliasesOf(from) : []);
  const read = ({ name, value }: Member) => column(alias, name, value.type);
  const added = (part: Expression): Expression => {
    const { isArgument: _, ...own } = part as Aggregate;
    const value: Expression = part.kind === 'aggregate' ? own : part;
    const known = members.slice(columns.length).find((member) => isEqual(member.value, value));
    const member = known ?? { name: unusedName('computed', names), value };
    if (known === undefined) members.push(member);
    return read(member);
  };
  const isOwn = (part: Expression) => part.kind === 'column' && own.has(part.from);
  const inQuery: Mapper = mapperWith({
    expression: (part) => {
      if (isOfQuery(part)) return windowsAbove && isWindow(part) ? mapParts(part, mapper) : added(part);
      return isOwn(part) ? added(part) : mapParts(part, inQuery);
    },
  });
  // A window function of such a subquery is computed after it.
  const isBelow = (part: Expression) =>
    part.kind === 'aggregate' && !(part.over && (windowsAbove || readsArgument(part)));
  const mapper: Mapper = {
    ...inQuery,
    expression: (part) => (isOwn(part) || isBelow(part) ? added(part) : mapParts(part, mapper)),
  };
  return { alias, members, at: (index: number) => read(members[index] as Member), read: mapper.expression };
}

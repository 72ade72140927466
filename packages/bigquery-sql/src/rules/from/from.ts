import { didYouMean, foldName } from '@querygate/text';
import type * as Syntax from '../../syntax/nodes.ts';
import { forEachNode, type Mapper, mapParts, mapperWith } from '../../tree/map.ts';
import type { From, SystemTime } from '../../tree/nodes.ts';
import { nowParameter } from '../../tree/own-parameters.ts';
import { printExpression } from '../../tree/print.ts';
import { isVolatile } from '../../tree/volatile.ts';
import { describeType, sameName, scalar } from '../../types.ts';
import { convert, distance } from '../coercion.ts';
import { type Context, type ResolvedFrom, unknownQuery } from '../context.ts';
import { dependsOnRows } from '../expressions/constant-values.ts';
import { rangeOf } from '../queries/outputs.ts';
import { columnsIn, findRelation, outermost, type Relation, relationNames, type Scope } from '../scope.ts';
import { Unsupported } from '../unsupported.ts';
import { derivedFrom } from './derived.ts';
import { informationRelation, isInformationSchema, noView } from './information-schema.ts';
import { resolveJoin } from './joins.ts';
import { resolvePivot } from './pivot.ts';
import { sampled } from './sampled.ts';
import { resolveTableFunction } from './table-functions/table-function.ts';
import { openRelation } from './table-relations.ts';
import { arrayItem, resolveUnnest } from './unnest.ts';
import { resolveUnpivot } from './unpivot.ts';
import { wildcardRelation } from './wildcard-table.ts';

/** @param scope the names to which the item may be correlated */
export function resolveFrom(node: Syntax.FromItem, scope: Scope, context: Context): ResolvedFrom {
  const array = arrayItem(node, scope);
  if (array) return resolveUnnest(array, scope, context);
  switch (node.kind) {
    case 'Table':
      return resolveTable(node, scope, context);
    case 'DerivedTable': {
      const resolved = context.attempt(() => context.query(node.query, scope), unknownQuery);
      const alias = context.fresh(node.alias?.name ?? 'subquery');
      return derivedFrom(resolved, node.alias?.name, alias);
    }
    case 'Join':
      return resolveJoin(node, scope, context);
    case 'Pivot':
      return resolvePivot(node, scope, context);
    case 'Unpivot':
      return resolveUnpivot(node, scope, context);
    case 'TableSample': {
      const source = context.from(node.source, scope);
      if (source.from?.kind === 'unnest')
        throw new Unsupported(node.spec, 'TABLESAMPLE is of a table or query: write WHERE RAND() < share');
      return { ...source, from: sampled(node.spec, source.from) };
    }
    case 'TableFunction':
      return resolveTableFunction(node, scope, context);
    case 'Unnest':
      throw new Unsupported(node, 'UNNEST takes an array');
  }
}

function resolveTable(node: Syntax.Table, scope: Scope, context: Context): ResolvedFrom {
  const { path, alias, systemTime, withOffset } = node;
  if (withOffset) throw new Unsupported(withOffset, 'WITH OFFSET needs an array');
  const name = path.parts.at(-1)?.name ?? '';
  const shown = path.parts.map((part) => part.name).join('.');
  const relation = isInformationSchema(path)
    ? informationRelation(path, scope)
    : relationAt(path, shown, scope);
  const time = systemTime && resolveSystemTime(systemTime, relation, { shown, scope, context });
  const range = alias?.name ?? name;
  if (!relation) {
    return context.attempt<ResolvedFrom>(
      () => {
        if (isInformationSchema(path)) throw new Unsupported(path, noView(path, scope));
        throw new Unsupported(path, noTable(path, shown, scope));
      },
      { from: undefined, ranges: [{ name: range, columns: [], acceptsAnyColumn: true }] },
    );
  }
  const fresh = context.fresh(range);
  const from = relation.from(fresh, path.start, context.fresh);
  if (!time) return { from, ranges: [rangeOf(relation, range, fresh)] };
  const of = JSON.stringify([relation.of, printExpression(time.value)]);
  return { from: atTime(from, time), ranges: [rangeOf({ ...relation, of }, range, fresh)] };
}

function noTable({ parts: [first, ...rest] }: Syntax.Path, shown: string, scope: Scope): string {
  const name = rest.at(-1)?.name ?? first.name;
  if (/^__TABLES(?:_SUMMARY)?__$/i.test(name))
    return `${name} is not supported: INFORMATION_SCHEMA.TABLES has the names of tables`;
  const owner = scope.ranges.find(
    (range) => rest.length === 0 && columnsIn(range, name).some(({ type }) => type.kind === 'array'),
  );
  if (owner)
    return `${name} is an array of ${owner.name ?? 'FROM'}: write ${owner.name === undefined ? '' : `${owner.name}.${name}, or `}UNNEST(${name})`;
  const names = [...relationNames(scope)];
  const isOtherDataset = rest.length > 0 && names.includes(name);
  const ofFile = tableOfFile(shown, names);
  if (ofFile !== undefined) return `no table is named ${shown}; did you mean ${ofFile}?`;
  return `no table is named ${shown}${isOtherDataset ? `; did you mean ${name}?` : didYouMean(name, names)}`;
}

/** The table whose rows a file has, as in `orders.ndjson`. */
function tableOfFile(shown: string, names: readonly string[]): string | undefined {
  const [, table] =
    /^(?:.*[/\\])?([^/\\]+?)\.(?:ndjson|jsonl|json|csv|parquet)(?:\.(?:gz|zst))?$/i.exec(shown) ?? [];
  return names.find((name) => sameName(name, table ?? ''));
}

/** @returns undefined if it names the present */
function resolveSystemTime(
  node: Syntax.Expression,
  relation: Relation | undefined,
  { shown, scope, context }: { readonly shown: string; readonly scope: Scope; readonly context: Context },
): SystemTime | undefined {
  if (relation && !relation.isTable)
    throw new Unsupported(node, `FOR SYSTEM_TIME AS OF is of a table, and ${shown} is a query`);
  const time = context.expression(node, scope);
  if (time.kind === 'parameter' && time.name === nowParameter) return undefined;
  if (time.type.kind === 'null' || distance(time, timestamp) === undefined)
    throw new Unsupported(node, `FOR SYSTEM_TIME AS OF takes TIMESTAMP, not ${describeType(time.type)}`);
  if (dependsOnRows(time) || isVolatile(time))
    throw new Unsupported(node, 'FOR SYSTEM_TIME AS OF takes literals, parameters and functions of them');
  const parameters: string[] = [];
  forEachNode(time, (part) => {
    if (part.kind === 'parameter' && part.name !== nowParameter) parameters.push(part.name);
  });
  return { value: convert(time, timestamp), parameters, start: node.start };
}

const timestamp = scalar('TIMESTAMP');

/** The same item, with the rows that its tables had at a time. */
function atTime(from: From, systemTime: SystemTime): From {
  const mapper: Mapper = mapperWith({
    from: (part) => (part.kind === 'table' ? { ...part, systemTime } : mapParts(part, mapper)),
  });
  return mapper.from(from);
}

/** A common table or one of a script, which have no path, or a table by its last part; `events_*` is a wildcard. */
function relationAt({ parts }: Syntax.Path, shown: string, scope: Scope): Relation | undefined {
  const name = parts.at(-1)?.name ?? '';
  const relation = findRelation(scope, name);
  if (relation && (parts.length === 1 || relation.isTable)) return relation;
  const { relations: tables, hasOpenTables } = outermost(scope);
  const found = name.endsWith('*') ? wildcardRelation(name.slice(0, -1), tables) : tables.get(foldName(name));
  if (found?.isTable) return found;
  return hasOpenTables ? openRelation(name, shown) : undefined;
}

import type { Column, OrderKey, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { ResultColumn } from '../../catalog/model/header-types.ts';
import { ArgumentReader, invalid, readCount, shorten } from '../../row-arguments/argument-reader.ts';
import {
  type Aggregate,
  type AggregateFunction,
  aggregateFunctions,
  argumentsKey,
  type Condition,
} from '../../row-arguments/row-arguments.ts';
import { type RowTask, rowTask } from '../../row-arguments/row-task.ts';
import type { EndpointRequest } from '../message/prepared-request.ts';
import { isCondition, parseCondition, parseTree } from './row-conditions.ts';

/** The row arguments of a REST request, in PostgREST's words. */
export interface RowRequest {
  readonly task: RowTask;
  /** The columns of its one row, if it has aggregates. */
  readonly aggregates: readonly ResultColumn[] | undefined;
  /** Equal for equal requests. */
  readonly key: string;
}

/** The parameters of row arguments that are not columns. */
export const rowWords = ['and', 'or', 'not.and', 'not.or', 'order', 'limit', 'offset', 'select'] as const;

/**
 * Parameters that the query declares are its own, whatever their names.
 *
 * @returns undefined for the rows as they are
 * @throws GatewayError INVALID_PARAMETER
 */
export function readRowRequest({ query, parameters }: EndpointRequest): RowRequest | undefined {
  const { rowArguments } = query;
  if (rowArguments === undefined) return undefined;
  const reader = new ArgumentReader(query);
  const declared = new Set(query.parameters.map(({ name }) => name));
  const columns = new Set([...rowArguments.filter, ...rowArguments.order].map(({ name }) => name));
  const conditions: Condition[] = [];
  const single = new Map<string, string>();
  for (const [name, texts] of parameters) {
    if (declared.has(name) || (name === 'limit' && query.pages !== undefined)) continue;
    const given = texts.filter((text) => text !== '');
    if (isWord(name)) {
      for (const text of given) {
        const negated = name.startsWith('not.');
        const kind = name.slice(negated ? 'not.'.length : 0);
        if (kind === 'and' || kind === 'or') {
          const tree = parseTree(reader, kind, text);
          conditions.push(negated ? { kind: 'not', condition: tree } : tree);
        } else if (single.has(name)) throw invalid(name, 'is repeated; send it once');
        else single.set(name, text);
      }
    } else {
      for (const text of given)
        if (columns.has(name) || isCondition(text)) conditions.push(parseCondition(reader, name, text));
    }
  }
  const [order, limit, offset, select] = [...rowWords.slice(-4)].map((word) => single.get(word));
  if (conditions.length === 0 && single.size === 0) return undefined;
  const given = {
    where: conditions.length === 0 ? undefined : reader.both('and', conditions),
    orderBy: order === undefined ? [] : order.split(',').map((key) => parseOrderKey(reader, key)),
    offset: offset === undefined ? 0 : readCount('offset', offset),
    first: limit === undefined ? undefined : readCount('limit', limit),
  };
  const paged = ['order', 'limit', 'offset'].find((word) => single.has(word));
  if (select !== undefined && paged !== undefined)
    throw invalid(paged, 'cannot be used with select: aggregates are over all rows that the conditions keep');
  const aggregates = select === undefined ? undefined : parseSelect(reader, select);
  const task = rowTask(
    query.columns,
    given,
    aggregates?.map(({ aggregate }) => aggregate),
  );
  return {
    task,
    aggregates: aggregates?.map(({ name, aggregate }) => columnOf(query, name, aggregate)),
    key: argumentsKey([given, aggregates]),
  };
}

const isWord = (name: string): name is (typeof rowWords)[number] =>
  (rowWords as readonly string[]).includes(name);

/** `timestamp.desc.nullsfirst` */
function parseOrderKey(reader: ArgumentReader, text: string): OrderKey {
  const found = /^(\w+)(?:\.(asc|desc))?(?:\.(nullsfirst|nullslast))?$/.exec(text);
  const [, name, direction, nulls] = found ?? [];
  if (name === undefined)
    throw invalid(
      'order',
      `got ${shorten(text)}; write columns with directions, as in timestamp.desc,id.asc.nullslast`,
    );
  return reader.orderKey(
    name,
    direction === 'desc',
    nulls === undefined ? undefined : nulls === 'nullsfirst',
  );
}

interface NamedAggregate {
  readonly name: string;
  readonly aggregate: Aggregate;
}

/** `count(),amount.sum(),average:amount.avg()` */
function parseSelect(reader: ArgumentReader, text: string): readonly NamedAggregate[] {
  const named = text.split(',').map((one): NamedAggregate => {
    const found = /^(?:(\w+):)?(?:(\w+)\.)?(\w+)\(\)$/.exec(one);
    const [, alias, column, name = ''] = found ?? [];
    if (!isFunction(name))
      throw invalid(
        'select',
        `got ${shorten(one)}; write aggregates, as in count(),amount.sum(),highest:amount.max()`,
      );
    return { name: alias ?? name, aggregate: reader.aggregate(name, column) };
  });
  const twice = named.find(({ name }, at) => named.findIndex((other) => other.name === name) < at);
  if (twice === undefined) return named;
  throw invalid('select', `two values are named ${twice.name}; name one of them, as in highest:amount.max()`);
}

const isFunction = (name: string): name is AggregateFunction =>
  (aggregateFunctions as readonly string[]).includes(name);

function columnOf(query: SavedQuery, name: string, aggregate: Aggregate): ResultColumn {
  return { name, type: typeOf(query, aggregate), repeated: false };
}

function typeOf({ columns }: SavedQuery, { function: name, column }: Aggregate): Column['type'] {
  const type = columns.find((one) => one.name === column)?.type ?? 'integer';
  if (name === 'count') return 'integer';
  return name === 'avg' && type === 'integer' ? 'float' : type;
}

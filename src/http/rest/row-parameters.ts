import { quoteShort } from '@querygate/text';
import type { Call } from '../../call/gate.ts';
import { sqlParameter } from '../../catalog/binding/caller-sql.ts';
import { notUnicode } from '../../catalog/binding/list-values.ts';
import type { OrderKey, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { ResultColumn } from '../../catalog/model/header-types.ts';
import {
  ArgumentReader,
  type Hints,
  invalid,
  readCount,
} from '../../row-arguments/reading/argument-reader.ts';
import {
  type Aggregate,
  type AggregateFunction,
  aggregateFunctions,
  type Condition,
} from '../../row-arguments/row-arguments.ts';
import { rowTask } from '../../row-arguments/row-task.ts';
import type { Part, RowRequest } from '../../call/part.ts';
import { type EndpointRequest, treeWords } from '../../call/endpoint-request.ts';
import { isCondition, parseCondition, parseTree } from '../../row-arguments/reading/postgrest-conditions.ts';
import { namesPage, pageWords, readPage } from './row-page.ts';

/** The parameters of row arguments that are not columns. */
export const rowWords = [...treeWords, 'order', 'limit', 'offset', 'select'] as const;

/**
 * The row arguments of a request; undefined without them. Parameters that the query declares are its own, whatever their names.
 *
 * @throws GatewayError INVALID_PARAMETER
 */
export function readRowRequest(
  { query, parameters }: Pick<EndpointRequest, 'query' | 'parameters'>,
  hints?: Hints,
): RowRequest | undefined {
  if (query.rowArguments === undefined) return undefined;
  const reader = new ArgumentReader(query, hints);
  const declared = new Set(query.parameters.map(({ name }) => name));
  const columns = new Set(query.columns.map(({ name }) => name));
  const others = new Set(['format', sqlParameter, ...(query.pages === undefined ? [] : pageWords)]);
  const conditions: Condition[] = [];
  const single = new Map<string, string>();
  for (const [name, texts] of parameters) {
    if (declared.has(name) || others.has(name)) continue;
    // PostgREST's word for rows as they are.
    const given = texts.filter((text) => text !== '' && !(name === 'select' && text === '*'));
    // An invalid percent-encoding is a half of a surrogate pair, which no message should show.
    if ((isWord(name) || columns.has(name)) && !given.every((text) => text.isWellFormed()))
      throw invalid(name, notUnicode);
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
      // The name of a column means that column, whatever follows.
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
  const aggregates = select === undefined ? undefined : parseSelect(reader, select);
  const paged = ['order', 'limit', 'offset'].find((word) => single.has(word));
  if (select !== undefined && paged !== undefined)
    throw invalid(paged, 'cannot be used with select: aggregates are over all rows that the conditions keep');
  const computed = aggregates?.map(({ aggregate }) => aggregate);
  return {
    task: rowTask(query.columns, given, computed),
    aggregates: aggregates?.map(({ name, aggregate }) => columnOf(query, name, aggregate)),
  };
}

const isWord = (name: string): name is (typeof rowWords)[number] =>
  (rowWords as readonly string[]).includes(name);

/** `timestamp.desc.nullsfirst` */
function parseOrderKey(reader: ArgumentReader, text: string): OrderKey {
  const [, name, direction, nulls] = /^(\w+)(?:\.(asc|desc))?(?:\.(nullsfirst|nullslast))?$/.exec(text) ?? [];
  if (name === undefined)
    throw invalid(
      'order',
      `got ${quoteShort(text)}; write columns with directions, as in timestamp.desc,id.asc.nullslast`,
    );
  const nullsFirst = nulls === undefined ? undefined : nulls === 'nullsfirst';
  return reader.orderKey(name, direction === 'desc', nullsFirst);
}

interface NamedAggregate {
  readonly name: string;
  readonly aggregate: Aggregate;
}

/** `count(),amount.sum(),average:amount.avg()` */
function parseSelect(reader: ArgumentReader, text: string): readonly NamedAggregate[] {
  const named = text.split(',').map((one): NamedAggregate => {
    const [, alias, column, name = ''] = /^(?:(\w+):)?(?:(\w+)\.)?(\w+)\(\)$/.exec(one) ?? [];
    if (!isFunction(name))
      throw invalid(
        'select',
        `got ${quoteShort(one)}; write aggregates, as in count(),amount.sum(),highest:amount.max()`,
      );
    return { name: alias ?? name, aggregate: reader.aggregate(name, column) };
  });
  const names = named.map(({ name }) => name.toLowerCase());
  const twice = named.find(({ name }, at) => names.indexOf(name.toLowerCase()) < at);
  if (twice === undefined) return named;
  throw invalid('select', `two values are named ${twice.name}; name one of them, as in highest:amount.max()`);
}

const isFunction = (name: string): name is AggregateFunction =>
  (aggregateFunctions as readonly string[]).includes(name);

function columnOf(
  { columns }: SavedQuery,
  alias: string,
  { function: name, column }: Aggregate,
): ResultColumn {
  const ofColumn = columns.find((one) => one.name === column)?.type ?? 'integer';
  const type = name === 'avg' && ofColumn === 'integer' ? 'float' : ofColumn;
  return { name: alias, type: name === 'count' ? 'integer' : type, repeated: false };
}

const whole: Part = { rowRequest: undefined, page: undefined };

/** Reads the row arguments of a request, or its page. @param hints for messages @throws GatewayError INVALID_PARAMETER */
export function readPartRequest({ endpoint, bound }: Call, hints?: Hints): Part {
  const { query, sql } = bound;
  if (query.rowArguments === undefined && query.pages === undefined) return whole;
  const rowRequest = query.rowArguments === undefined ? undefined : rowRequestOf(endpoint, hints);
  if (sql !== undefined) {
    if (rowRequest !== undefined || namesPage(endpoint))
      throw invalid(sqlParameter, 'has rows of its own; filter, order and cut them in the SQL');
    return whole;
  }
  const page = query.pages === undefined ? undefined : readPage(endpoint, bound);
  if (page !== undefined && rowRequest !== undefined)
    throw invalid(
      'limit',
      'pages cannot be filtered or ordered; leave out limit, after and before, or the others',
    );
  return { rowRequest, page };
}

/** True if a call requests neither some rows of its result nor a page of them. @throws GatewayError as `readPartRequest` does */
export function requestsWhole(call: Call): boolean {
  const { page, rowRequest } = readPartRequest(call);
  return page === undefined && rowRequest === undefined;
}

/** Kept as long as what the URL was parsed to. */
const rowRequests = new WeakMap<EndpointRequest, { readonly request: RowRequest | undefined }>();

function rowRequestOf(endpoint: EndpointRequest, hints: Hints | undefined): RowRequest | undefined {
  const known = rowRequests.get(endpoint) ?? { request: readRowRequest(endpoint, hints) };
  rowRequests.set(endpoint, known);
  return known.request;
}

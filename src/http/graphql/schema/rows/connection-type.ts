import {
  type GraphQLFieldConfigArgumentMap,
  GraphQLBoolean,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLString,
} from 'graphql';
import type { SavedQuery } from '../../../../catalog/model/saved-query.ts';
import { getOrAdd } from '../../../../get-or-add.ts';
import { pascalCase } from '../../../../names/graphql-names.ts';
import { invalid, readCount } from '../../../../row-arguments/reading/argument-reader.ts';
import type { Page } from '../../../../row-pages/page-of-result.ts';
import { defaultPageSize, type PageRequest } from '../../../../row-pages/page-request.ts';
import { parseRows } from '../../../../results/result-document.ts';
import type { Row } from '../../../../results/row-parts.ts';
import type { Context, ResultPage } from '../../context.ts';
import { collectFields, selectionOf, selectionsBelow } from '../../document/collect-fields.ts';
import { rowListBytes } from '../../rows/row-size.ts';
import { leafExtension } from '../../execution/execution-schema.ts';
import { compileEdgeFields } from '../../rows/row-selection.ts';
import { objectType } from '../object-type.ts';
import { resultFields } from '../shared-types.ts';

/** @see https://relay.dev/graphql/connections.htm */
const pageInfo = objectType<Page>({
  name: 'PageInfo',
  description: 'Where a page begins and ends.',
  fields: {
    hasNextPage: {
      type: new GraphQLNonNull(GraphQLBoolean),
      description: 'Whether there are rows after the page; of a page before a cursor, true.',
    },
    hasPreviousPage: {
      type: new GraphQLNonNull(GraphQLBoolean),
      description: 'Whether there are rows before the page; of a page after a cursor, true.',
    },
    startCursor: {
      type: GraphQLString,
      description: 'The cursor of the first row; null for no rows.',
      resolve: ({ cursors }) => cursors[0],
    },
    endCursor: {
      type: GraphQLString,
      description: 'The cursor of the last row; null for no rows.',
      resolve: ({ cursors }) => cursors.at(-1),
    },
  },
});

interface Edge {
  readonly cursor: string | undefined;
  readonly node: Row;
}

/** `truncated` would say what `pageInfo` says better. */
const { truncated: _, ...ofResult } = resultFields;

/** The type of a page of a query. @param row the type of its rows */
export function connectionType(
  query: SavedQuery,
  row: GraphQLObjectType,
): GraphQLObjectType<ResultPage, Context> {
  return getOrAdd(types, row, () => buildConnectionType(query, row));
}

const types = new WeakMap<GraphQLObjectType, GraphQLObjectType<ResultPage, Context>>();

function buildConnectionType(
  query: SavedQuery,
  row: GraphQLObjectType,
): GraphQLObjectType<ResultPage, Context> {
  const name = pascalCase(query.name);
  const edge = objectType<Edge>({
    name: `${name}Edge`,
    description: `A row of ${query.name} with its place in the order.`,
    fields: {
      cursor: {
        type: new GraphQLNonNull(GraphQLString),
        description: 'For after and before: it belongs to this query with these parameters.',
      },
      node: { type: new GraphQLNonNull(row), description: 'The row.' },
    },
  });
  return objectType<ResultPage>({
    name: `${name}Connection`,
    description: `A page of ${query.name}, at most ${query.maxRows} rows.`,
    fields: {
      edges: {
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(edge))),
        description: 'The rows, in the order of the saved query.',
        resolve: async (page, _args, context, info): Promise<readonly Edge[]> => {
          await context.chargeObjects(edgeListBytes(info, page, row));
          return parseRows(page.document).map((node, at) => ({ cursor: page.cursors[at], node }));
        },
        extensions: leafExtension<ResultPage, Context>(({ document, cursors }, _args, context, info) => {
          const selection = context.selectionOf(info, (...fields) =>
            compileEdgeFields(row, edge.name, ...fields),
          );
          return context.writeRows(selection, { document, cursors });
        }),
      },
      pageInfo: {
        type: new GraphQLNonNull(pageInfo),
        description: 'Whether there are more rows, and where they begin.',
        resolve: (page) => page,
      },
      ...ofResult,
    },
  });
}

/** About the bytes of one list of edges in a response. */
function edgeListBytes(
  info: GraphQLResolveInfo,
  { document, cursors }: ResultPage,
  row: GraphQLObjectType,
): number {
  const [fields, scope] = selectionOf(info);
  return fields.reduce((sum, field) => {
    const added = cursors.length * (field.responseKey.length + 6);
    if (field.name !== 'node') return sum + added + cursors.reduce((bytes, { length }) => bytes + length, 0);
    const ofNode = collectFields(selectionsBelow(field), scope);
    return sum + added + rowListBytes({ fields: ofNode, scope, type: row }, document);
  }, 0);
}

export const pageArguments: GraphQLFieldConfigArgumentMap = {
  first: { type: GraphQLInt, description: `How many rows at most; ${defaultPageSize} by default.` },
  after: { type: GraphQLString, description: 'The rows after this cursor.' },
  last: { type: GraphQLInt, description: 'How many of the last rows at most, in place of first.' },
  before: { type: GraphQLString, description: 'The rows before this cursor; with last.' },
};

/** @throws GatewayError INVALID_PARAMETER */
export function readPageRequest(query: SavedQuery, values: Readonly<Record<string, unknown>>): PageRequest {
  const { first, last } = values;
  if (first != null && last != null) throw invalid('last', 'cannot be used with first; send one of them');
  const cursor = (name: 'after' | 'before') => (values[name] == null ? undefined : String(values[name]));
  const isBackward = last != null;
  const count = first ?? last;
  return {
    size:
      count == null
        ? Math.min(defaultPageSize, query.maxRows)
        : readCount(isBackward ? 'last' : 'first', String(count)),
    isBackward,
    after: cursor('after'),
    before: cursor('before'),
  };
}

import {
  type GraphQLFieldConfig,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
} from 'graphql';
import { isNullableColumn } from '../../../catalog/model/null-values.ts';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import { memoize } from '../../../memoize.ts';
import { camelCase, pascalCase } from '../../../names/graphql-names.ts';
import type { CachedResult } from '../../../results/get-result.ts';
import { parseRows, type ResultDocument } from '../../../results/result-document.ts';
import type { Row } from '../../../results/row-parts.ts';
import { parseSelectedRows } from '../../../row-arguments/gather-rows.ts';
import {
  bindAggregates,
  bindRows,
  type BoundAggregates,
} from '../../../row-arguments/pushed/pushed-query.ts';
import { type Aggregate, allRows, type RowArguments } from '../../../row-arguments/row-arguments.ts';
import { type RowOutcome, rowTask } from '../../../row-arguments/row-task.ts';
import type { Context } from '../context.ts';
import { rowListBytes } from '../rows/row-size.ts';
import { selectionOf } from '../document/collect-fields.ts';
import { leafExtension } from '../execution/execution-schema.ts';
import { keyExtension } from '../rows/field-extensions.ts';
import { compileRowFields } from '../rows/row-selection.ts';
import { outputValue } from '../rows/output-values.ts';
import { describeField } from './field-type.ts';
import { objectType } from './object-type.ts';
import { cellField } from './record-type.ts';
import { aggregateOutput, selectedAggregates } from './rows/aggregate-type.ts';
import { readRowArguments, rowArgumentTypes, whereArgument } from './rows/row-inputs.ts';
import type { RowField } from '../schema-extension.ts';
import { resultFields } from './shared-types.ts';

type RowFields = Readonly<Record<string, RowField>>;

/** The type of the rows of a result. */
export function rowTypeOf(result: GraphQLObjectType<CachedResult, Context>): GraphQLObjectType {
  const type = getNamedType(result.getFields().rows?.type);
  if (isObjectType(type)) return type;
  throw new TypeError(`${result.name} has no rows`);
}

/** The type of a saved query's field: its rows and their metadata. @param more further fields of rows */
export const resultTypeWith = (
  query: SavedQuery,
  more: RowFields | undefined,
): GraphQLObjectType<CachedResult, Context> =>
  more === undefined ? plainResultType(query) : buildResultType(query, more);

/** A query whose file has not changed is the same object in the next version of the catalog. */
const plainResultType = memoize((query: SavedQuery) => buildResultType(query, {}));

function buildResultType(query: SavedQuery, more: RowFields): GraphQLObjectType<CachedResult, Context> {
  const name = pascalCase(query.name);
  const row = objectType<Row>({
    name: `${name}Row`,
    description: describeRow(query),
    fields: {
      ...Object.fromEntries(
        query.columns.map((column): [string, GraphQLFieldConfig<Row, Context>] => {
          const field = camelCase(column.name);
          const place = { typeName: `${name}Row_${field}`, path: column.name, query: query.name };
          const one = { ...column, required: !isNullableColumn(column) };
          const cellIn = (values: Row) => outputValue(column, values[column.name]);
          return [field, cellField(place, one, describeField(column), cellIn)];
        }),
      ),
      ...Object.fromEntries(
        Object.entries(more).map(([field, { key, ...one }]) => [
          field,
          { ...one, extensions: keyExtension(key) },
        ]),
      ),
    },
  });
  const rows = rowsField(query, row);
  const aggregates = query.rowArguments && aggregatesField(query);
  return objectType<CachedResult>({
    name: `${name}Result`,
    description: `The result of ${query.name}, at most ${query.maxRows} rows.`,
    fields: { rows, ...(aggregates && { aggregates }), ...resultFields },
  });
}

function rowsField(query: SavedQuery, row: GraphQLObjectType<Row, Context>) {
  const field: GraphQLFieldConfig<CachedResult, Context> = {
    type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(row))),
    description: 'The rows, in the order of the saved query.',
    args: rowArgumentTypes(query),
    resolve: async (result, args, context, info) => {
      const { document, outcome } = await selectRows(query, result, args, context, true);
      const [fields, scope] = selectionOf(info);
      await context.chargeObjects(rowListBytes({ fields, scope, type: row }, document, outcome?.spans));
      return outcome === undefined ? parseRows(document) : parseSelectedRows(document, outcome);
    },
    extensions: leafExtension<CachedResult, Context>((result, args, context, info) => {
      const selection = context.selectionOf(info, (...fields) => compileRowFields(row, ...fields));
      const write = ({ document, outcome }: SelectedRows) =>
        context.writeRows(selection, { document, places: outcome?.rows });
      return Object.keys(args).length === 0
        ? write(result)
        : selectRows(query, result, args, context, false).then(write);
    }),
  };
  return field;
}

interface SelectedRows {
  readonly document: ResultDocument;
  readonly outcome?: RowOutcome;
}

/** The rows that a field has: all of a document, or those that its arguments keep. @throws GatewayError INVALID_PARAMETER */
async function selectRows(
  query: SavedQuery,
  result: CachedResult,
  args: Readonly<Record<string, unknown>>,
  context: Context,
  withSpans: boolean,
): Promise<SelectedRows> {
  const { document } = result;
  const turn = turnToRead(args, context);
  if (turn !== undefined) await turn;
  const given = readRowArguments(query, args);
  if (given === allRows) return { document };
  const pushed = await context.getPushed(result, (whole) => bindRows(whole, given));
  if (pushed !== undefined) return { document: pushed.document };
  return { document, outcome: await context.readRows(result, rowTask(query.columns, given, [], withSpans)) };
}

/** A condition may have a thousand values, and an operation hundreds of fields with it. */
const turnToRead = ({ where }: Readonly<Record<string, unknown>>, context: Context) =>
  where == null ? undefined : context.nextTurn();

function aggregatesField(query: SavedQuery): GraphQLFieldConfig<CachedResult, Context> {
  const output = aggregateOutput(query);
  return {
    type: new GraphQLNonNull(output.type),
    description: 'Values computed from the rows.',
    args: whereArgument(query),
    resolve: async (result, args, context, info) => {
      const turn = turnToRead(args, context);
      if (turn !== undefined) await turn;
      const given = readRowArguments(query, args);
      const selected = selectedAggregates(output, ...selectionOf(info));
      const texts = await aggregatesOf(query, result, given, selected, context);
      return new Map(selected.map((aggregate, at) => [aggregate, texts[at]]));
    },
  };
}

async function aggregatesOf(
  query: SavedQuery,
  result: CachedResult,
  given: RowArguments,
  aggregates: readonly Aggregate[],
  context: Context,
): Promise<RowOutcome['aggregates']> {
  let read: BoundAggregates['read'] | undefined;
  const pushed = await context.getPushed(result, (whole) => {
    const aggregatesOfAll = bindAggregates(whole, given.where, aggregates);
    read = aggregatesOfAll.read;
    return aggregatesOfAll.bound;
  });
  if (pushed !== undefined && read !== undefined) return read(pushed.document);
  return (await context.readRows(result, rowTask(query.columns, given, aggregates))).aggregates;
}

/** Clients with normalized caches take the field `id` for the identity of an object, unless they are configured. */
function describeRow({ name, columns }: SavedQuery): string {
  const hasId = columns.some((column) => camelCase(column.name) === 'id');
  const warning =
    'Not an entity: rows of other arguments may have the same id, so caches must not merge them by it.';
  return `One row of ${name}.${hasId ? ` ${warning}` : ''}`;
}

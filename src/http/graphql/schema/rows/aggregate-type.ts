import {
  type GraphQLFieldConfig,
  GraphQLFloat,
  GraphQLInt,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLScalarType,
} from 'graphql';
import type { Column, SavedQuery } from '../../../../catalog/model/saved-query.ts';
import { memoize } from '../../../../memoize.ts';
import { camelCase, pascalCase } from '../../../../names/graphql-names.ts';
import { parseRowJson } from '../../../../engine-contract/row-json.ts';
import { exactAggregate, isSummable } from '../../../../row-arguments/aggregate-rows.ts';
import type { Aggregate } from '../../../../row-arguments/row-arguments.ts';
import type { Context } from '../../context.ts';
import {
  type CollectedField,
  collectFields,
  type SelectionScope,
  selectionsBelow,
} from '../../document/collect-fields.ts';
import { outputValue } from '../../rows/output-values.ts';
import { scalarOf } from '../field-type.ts';
import { objectType } from '../object-type.ts';
import { scalars } from '../shared-types.ts';

/** The values of aggregates in their order; undefined for NULL. */
export type AggregateTexts = readonly (string | undefined)[];

/** The aggregate that a field of the type shows, and the place of its value. */
interface Place {
  readonly at: number;
  readonly aggregate: Aggregate;
  readonly column: Pick<Column, 'type' | 'repeated' | 'name'>;
}

/** The aggregates of the marked columns, and where each is in the type. */
export interface AggregateOutput {
  readonly type: GraphQLObjectType<AggregateTexts, Context>;
  readonly aggregates: readonly Aggregate[];
  /** By the names of its fields, but `count`: the places of their fields among the aggregates, by their names. */
  readonly groups: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

const functions = ['sum', 'avg', 'min', 'max'] as const;

const descriptions = {
  sum: 'The sum of the values that are not NULL.',
  avg: 'The average of the values that are not NULL.',
  min: 'The least value.',
  max: 'The greatest value.',
} as const;

const typeNames = { sum: 'Sums', avg: 'Averages', min: 'Minimums', max: 'Maximums' } as const;

/** The type of `aggregates`; only for a query with marked columns. */
export const aggregateOutput = memoize((query: SavedQuery): AggregateOutput => {
  const { filter = [], order = [] } = query.rowArguments ?? {};
  const marked = query.columns.filter((column) => filter.includes(column) || order.includes(column));
  const made = new Map<string, ReadonlyMap<string, number>>();
  const aggregates: Aggregate[] = [{ function: 'count', column: undefined }];
  const name = pascalCase(query.name);
  const groups = functions.flatMap((one): [string, GraphQLFieldConfig<AggregateTexts, Context>][] => {
    const columns = one === 'sum' || one === 'avg' ? marked.filter(isSummable) : marked;
    if (columns.length === 0) return [];
    const places = new Map<string, number>();
    const fields = columns.map((column): [string, GraphQLFieldConfig<AggregateTexts, Context>] => {
      const aggregate = { function: one, column: column.name };
      const place = { at: aggregates.length, aggregate, column: resultOf(one, column) };
      places.set(camelCase(column.name), place.at);
      aggregates.push(aggregate);
      const { description } = column;
      return [camelCase(column.name), { type: typeOf(place), description, resolve: valueAt(place) }];
    });
    const type = objectType<AggregateTexts>({
      name: `${name}${typeNames[one]}`,
      description: descriptions[one],
      fields: Object.fromEntries(fields),
    });
    made.set(one, places);
    return [
      [one, { type: new GraphQLNonNull(type), description: descriptions[one], resolve: (texts) => texts }],
    ];
  });
  const type = objectType<AggregateTexts>({
    name: `${name}Aggregates`,
    description: `Values computed from rows of ${query.name}; null where no row has a value.`,
    fields: {
      count: {
        type: new GraphQLNonNull(GraphQLInt),
        description: 'How many rows there are.',
        resolve: ([count]) => Number(count),
      },
      ...Object.fromEntries(groups),
    },
  });
  return { type, aggregates, groups: made };
});

/** The places of the aggregates that an operation selects, among all of them; at least one. */
export function selectedPlaces(
  { groups }: AggregateOutput,
  fields: readonly CollectedField[],
  scope: SelectionScope,
): readonly number[] {
  const places = fields.flatMap((field) =>
    collectFields(selectionsBelow(field), scope).map(({ name }) => groups.get(field.name)?.get(name)),
  );
  return [...new Set([0, ...places])].filter((place) => place !== undefined);
}

/** An average of integers has a fraction. */
function resultOf(name: (typeof functions)[number], { type, repeated, name: column }: Column) {
  return { name: column, type: name === 'avg' && type === 'integer' ? 'float' : type, repeated } as const;
}

const typeOf = ({ column }: Place): GraphQLScalarType =>
  column.type === 'integer' ? GraphQLFloat : scalars[scalarOf[column.type]];

const valueAt =
  ({ at, aggregate, column }: Place) =>
  (texts: AggregateTexts): unknown => {
    const text = exactAggregate(texts[at], aggregate, column.type);
    return text === undefined ? null : outputValue({ ...column, required: false }, parseRowJson(text));
  };

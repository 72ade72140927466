import {
  type GraphQLFieldConfig,
  GraphQLFloat,
  GraphQLInt,
  GraphQLNonNull,
  type GraphQLObjectType,
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

/** The values of aggregates; undefined for NULL. */
export type AggregateTexts = ReadonlyMap<Aggregate, string | undefined>;

/** The aggregates of the marked columns. */
export interface AggregateOutput {
  readonly type: GraphQLObjectType<AggregateTexts, Context>;
  /** By the names of their fields, as in `sum amount`. */
  readonly aggregates: ReadonlyMap<string, Aggregate>;
}

const functions = {
  sum: { typeName: 'Sums', description: 'The sum of the values that are not NULL.' },
  avg: { typeName: 'Averages', description: 'The average of the values that are not NULL.' },
  min: { typeName: 'Minimums', description: 'The least value.' },
  max: { typeName: 'Maximums', description: 'The greatest value.' },
} as const;

const rowCount: Aggregate = { function: 'count', column: undefined };

/** The type of `aggregates`; only for a query with marked columns. */
export const aggregateOutput = memoize((query: SavedQuery): AggregateOutput => {
  const { filter = [], order = [] } = query.rowArguments ?? {};
  const marked = query.columns.filter((column) => filter.includes(column) || order.includes(column));
  const aggregates = new Map<string, Aggregate>();
  const name = pascalCase(query.name);
  const groups = (['sum', 'avg', 'min', 'max'] as const).flatMap((one): [string, FieldConfig][] => {
    const columns = one === 'sum' || one === 'avg' ? marked.filter(isSummable) : marked;
    if (columns.length === 0) return [];
    const { typeName, description } = functions[one];
    const fields = columns.map((column): [string, FieldConfig] => {
      const field = camelCase(column.name);
      const aggregate = { function: one, column: column.name };
      aggregates.set(`${one} ${field}`, aggregate);
      return [field, aggregateField(aggregate, column)];
    });
    const type = objectType<AggregateTexts>({
      name: `${name}${typeName}`,
      description,
      fields: Object.fromEntries(fields),
    });
    return [[one, { type: new GraphQLNonNull(type), description, resolve: (texts) => texts }]];
  });
  const type = objectType<AggregateTexts>({
    name: `${name}Aggregates`,
    description: `Values computed from rows of ${query.name}; null where no row has a value.`,
    fields: {
      count: {
        type: new GraphQLNonNull(GraphQLInt),
        description: 'How many rows there are.',
        resolve: (texts) => Number(texts.get(rowCount)),
      },
      ...Object.fromEntries(groups),
    },
  });
  return { type, aggregates };
});

type FieldConfig = GraphQLFieldConfig<AggregateTexts, Context>;

function aggregateField(aggregate: Aggregate, { name, type, repeated, description }: Column): FieldConfig {
  // An average of integers has a fraction.
  const resultType = aggregate.function === 'avg' && type === 'integer' ? 'float' : type;
  const column = { name, type: resultType, repeated, required: false };
  return {
    type: resultType === 'integer' ? GraphQLFloat : scalars[scalarOf[resultType]],
    description,
    resolve(texts) {
      const text = exactAggregate(texts.get(aggregate), aggregate, resultType);
      return text === undefined ? null : outputValue(column, parseRowJson(text));
    },
  };
}

/** The aggregates that an operation selects; at least one. */
export function selectedAggregates(
  { aggregates }: AggregateOutput,
  fields: readonly CollectedField[],
  scope: SelectionScope,
): readonly Aggregate[] {
  const selected = fields.flatMap((field) =>
    collectFields(selectionsBelow(field), scope).flatMap(
      ({ name }) => aggregates.get(`${field.name} ${name}`) ?? [],
    ),
  );
  return [...new Set([rowCount, ...selected])];
}

import { sqlParameter } from '../../catalog/binding/caller-sql.ts';
import { pageWords } from '../../http/rest/row-page.ts';
import type { Column, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { JsonObject } from '../../catalog/binding/parameter-schema.ts';

/** The row arguments of a query string; nothing that is a parameter of the query. */
export function rowParameters(query: SavedQuery): readonly JsonObject[] {
  return [...conditionParameters(query), ...pageParameters(query)];
}

function pageParameters({ pages, maxRows }: SavedQuery): readonly JsonObject[] {
  if (pages === undefined) return [];
  const limit = rowParameter(
    'limit',
    'Reads the rows in pages of so many; Link has the next and the previous one.',
  );
  return [
    { ...limit, schema: { type: 'integer', minimum: 0, maximum: maxRows } },
    rowParameter('after', 'The page after a cursor, as Link has it.'),
    rowParameter('before', 'The page before a cursor, as Link has it.'),
  ];
}

function conditionParameters({ rowArguments, parameters, pages }: SavedQuery) {
  if (rowArguments === undefined) return [];
  const { filter, order } = rowArguments;
  // A column with one of these names is filtered in a tree only.
  const others = new Set([
    ...parameters.map(({ name }) => name),
    ...['format', sqlParameter],
    ...(pages === undefined ? [] : pageWords),
  ]);
  const names = order.map(({ name }) => name).join(', ');
  const all = [
    ...filter.map((column) =>
      rowParameter(column.name, `A condition on the rows. ${column.description}`, exampleOf(column)),
    ),
    ...(filter.length === 0
      ? []
      : ['and', 'or'].map((name) =>
          rowParameter(
            name,
            `Conditions on the rows of which ${name === 'and' ? 'all' : 'one'} must be true.`,
            `(${filter[0]?.name}.is.null,${filter[0]?.name}.${exampleOf(filter[0])})`,
          ),
        )),
    ...(order.length === 0
      ? []
      : [rowParameter('order', `The columns to order by: ${names}.`, `${order[0]?.name}.desc.nullslast`)]),
    rowParameter(
      'select',
      'Aggregates in place of the rows.',
      `count(),highest:${[...filter, ...order][0]?.name}.max()`,
    ),
    { ...rowParameter('limit', 'How many rows at most.'), schema: { type: 'integer', minimum: 0 } },
    {
      ...rowParameter('offset', 'How many rows to leave out before them.'),
      schema: { type: 'integer', minimum: 0 },
    },
  ];
  return all.filter(({ name }) => !others.has(name));
}

/** `x-row-argument`: for readers that show the parameters of the query alone. */
const rowParameter = (name: string, description: string, example?: string) => ({
  name,
  in: 'query',
  required: false,
  description,
  schema: { type: 'string' },
  ...(example !== undefined && { example }),
  'x-row-argument': true,
});

const examples: Partial<Record<Column['type'], string>> = {
  string: 'like.a*',
  boolean: 'is.true',
  timestamp: 'gte.2026-01-31T12:00:00Z',
  datetime: 'gte.2026-01-31T12:00:00',
  date: 'gte.2026-01-31',
  time: 'gte.12:00:00',
  bytes: 'not.is.null',
};

const exampleOf = (column: Column | undefined): string => (column && examples[column.type]) ?? 'gte.1';

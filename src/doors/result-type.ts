import type { Answer } from '../answer/answer.ts';
import { camelCase, pascalCase } from '../catalog/names.ts';
import type { Column, SavedQuery } from '../catalog/saved-query.ts';
import type { Builder } from './builder.ts';
import type { CostRef } from './cost-type.ts';

type Row = Readonly<Record<string, unknown>>;

/** The type of a saved query's field: its rows, and what a dashboard needs to say about them. */
export function addResultType(builder: Builder, query: SavedQuery, cost: CostRef) {
  const name = pascalCase(query.name);
  const row = builder.objectRef<Row>(`${name}Row`).implement({
    description: `One row of ${query.name}.`,
    fields: (t) =>
      Object.fromEntries(
        query.columns.map((column) => [
          camelCase(column.name),
          t.field({
            type: column.repeated && column.type !== 'record' ? [columnType(column)] : columnType(column),
            nullable: !column.required,
            description: describe(column),
            resolve: (values) => values[column.name] as never,
          }),
        ]),
      ),
  });
  return builder.objectRef<Answer>(`${name}Result`).implement({
    description: `The answer of ${query.name}, at most ${query.maxRows} rows.`,
    fields: (t) => ({
      rows: t.field({
        type: [row],
        description: 'The rows, in the order of the saved query.',
        resolve: (answer) => JSON.parse(answer.json) as Row[],
      }),
      rowCount: t.exposeInt('rowCount', { description: 'How many rows there are.' }),
      truncated: t.exposeBoolean('truncated', { description: 'True where max rows cut the result.' }),
      cost: t.field({
        type: cost,
        nullable: true,
        description: 'What computing the rows cost; null on an engine that costs nothing.',
        resolve: (answer) => answer.cost,
      }),
      computedAt: t.expose('computedAt', { type: 'DateTime', description: 'When the rows were computed.' }),
    }),
  });
}

const scalarOf = {
  string: 'String',
  integer: 'SafeInt',
  float: 'Float',
  numeric: 'String',
  boolean: 'Boolean',
  timestamp: 'DateTime',
  datetime: 'LocalDateTime',
  date: 'String',
  time: 'String',
  bytes: 'String',
  json: 'JSON',
  record: 'JSON',
} as const satisfies Record<Column['type'], string>;

function columnType({ type }: Column) {
  return scalarOf[type];
}

const spelling: Partial<Record<Column['type'], string>> = {
  numeric: 'Decimal text, exact.',
  datetime: 'In UTC, without a zone.',
  date: 'YYYY-MM-DD.',
  time: 'HH:MM:SS, with a fraction where there is one.',
  bytes: 'Base64.',
};

function describe({ description, unit, type }: Column): string {
  return [description, unit && `Unit: ${unit}.`, spelling[type]].filter(Boolean).join(' ');
}

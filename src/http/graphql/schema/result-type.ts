import { camelCase, pascalCase } from '../../../catalog/names.ts';
import type { Column, SavedQuery } from '../../../catalog/saved-query.ts';
import type { CachedResult, CacheStatus } from '../../../results/get-result.ts';
import { parseRows } from '../../../results/result-document.ts';
import type { Builder } from './builder.ts';
import type { CostRef } from './cost-type.ts';

type Row = Readonly<Record<string, unknown>>;

type CacheStatusRef = ReturnType<typeof addCacheStatus>;

/** One for all saved queries. */
export function addCacheStatus(builder: Builder) {
  return builder.enumType('CacheStatus', {
    description: 'How an answer was obtained.',
    values: {
      HIT: { description: 'It was kept, and is fresh.' },
      STALE: { description: 'It was kept and has expired; newer rows could not be had.' },
      MISS: { description: 'It was computed for this request.' },
      SHARED: { description: 'It was computed for an equal question that was asked just before.' },
      BYPASS: {
        description: 'It was computed because nothing is kept, or because the request asked for that.',
      },
    } satisfies Record<CacheStatus, object>,
  });
}

/** The type of a saved query's field: its rows, and what a dashboard needs to say about them. */
export function addResultType(
  builder: Builder,
  query: SavedQuery,
  { cost, cacheStatus }: { readonly cost: CostRef; readonly cacheStatus: CacheStatusRef },
) {
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
  return builder.objectRef<CachedResult>(`${name}Result`).implement({
    description: `The answer of ${query.name}, at most ${query.maxRows} rows.`,
    fields: (t) => ({
      rows: t.field({
        type: [row],
        description: 'The rows, in the order of the saved query.',
        resolve: ({ document: content }, _args, context) => {
          context.spend(content.encodings.identity.byteLength);
          return [...parseRows(content)];
        },
      }),
      rowCount: t.int({
        description: 'How many rows there are.',
        resolve: ({ document: content }) => content.metadata.rowCount,
      }),
      truncated: t.boolean({
        description: 'True where max rows cut the result.',
        resolve: ({ document: content }) => content.metadata.truncated,
      }),
      cost: t.field({
        type: cost,
        nullable: true,
        description: 'What computing the rows cost; null on an engine that costs nothing.',
        resolve: ({ document: content }) => content.metadata.cost,
      }),
      computedAt: t.field({
        type: 'DateTime',
        description: 'When the rows were computed.',
        resolve: ({ document: content }) => new Date(content.computedAt),
      }),
      stale: t.boolean({
        description: 'True where the rows have expired, and are told because newer ones could not be had.',
        resolve: ({ cacheStatus }) => cacheStatus === 'STALE',
      }),
      cacheStatus: t.field({
        type: cacheStatus,
        description: 'How the rows were obtained.',
        resolve: (answer) => answer.cacheStatus,
      }),
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

import { parameterTypes as bindTypes } from '@querygate/bigquery-sql/types';
import { z } from 'zod';
import { budgetSchema } from '../../config/budget.ts';
import { reservationName, reservationRule } from '../../config/reservation.ts';
import { maxListItems, maxValueLength } from '../binding/value-limits.ts';
import { timeUnits } from '../../config/time-units.ts';
import { secondsPattern } from '../../files/durations.ts';
import { asIn, otherWords } from '../../files/schema-problems.ts';
import { lowerCaseUuid } from '../model/find-query.ts';
import { graphqlName } from '../../names/graphql-names.ts';
import { labelKey } from '../../names/label-names.ts';
import { metricName, metricNameRule } from '../../names/prometheus-names.ts';
import { federationSchema } from './schema/federation-schema.ts';
import { columnType, fieldsSchema, typeHint } from './schema/record-fields.ts';

// Patterns have no flags: the JSON Schema for editors could not express them.
const identifier = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, {
  error: ({ input }) =>
    `must be letters, digits and _, not starting with a digit${identifierHint(String(input))}`,
});
const notGraphqlName = 'must be a GraphQL name';
const nameOfGraphql = z.string().regex(graphqlName, notGraphqlName);
/** `at_least` for `at-least`. */
function identifierHint(name: string): string {
  const meant = name.replace(/\W+/g, '_').replace(/^(?=\d)/, '_');
  return /[A-Za-z]/.test(meant) ? `, as in ${meant}` : '';
}

const text = z.string().trim().min(1, 'must not be empty');
/** Blanks are part of a regular expression; the end of a block of YAML is not. */
const patternText = z
  .string()
  .overwrite((given) => given.replace(/(?<![\r\n])[\r\n]+$/, ''))
  .min(1, 'must not be empty');

/** Why a text or a number is not a time in seconds; the largest has as many digits as the pattern takes. */
function secondsText(input: unknown): string {
  const text = String(input);
  if (/^(?:0+|-\d+)s$/.test(text)) return 'must be at least 1s';
  return Number(text.replace(/s$/, '')) > maxSeconds
    ? `must be at most ${maxSeconds}s`
    : 'must be seconds, as in 900s';
}

const maxSeconds = 99_999_999;

const secondsProblem = ({ input }: { readonly input?: unknown }): string => secondsText(input);

const seconds = z
  .string({ error: secondsProblem })
  .regex(secondsPattern, { error: secondsProblem })
  .transform((value) => Number.parseInt(value, 10));

const span = z
  .string('must be a time, as in 10m')
  .regex(/^[1-9][0-9]{0,5}[smhd]$/, {
    error: ({ input }) =>
      /^[1-9]\d{6,}[smhd]$/.test(String(input))
        ? `must be at most 999999${String(input).slice(-1)}`
        : 'must be a time, as in 10m',
  })
  .transform((text) => (Number.parseInt(text, 10) * (timeUnits[text.slice(-1)] ?? 0)) / 1_000);

// The reader of headers gives what looks like a number or a boolean as it is written: requests carry text only.
const scalarText = z
  .union([z.string(), z.number(), z.boolean()], { error: 'must be text, a number, true or false' })
  .transform(String)
  .refine((value) => value !== '', 'must not be empty');

const day = z
  .string()
  .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/, 'must be a day, as in 2026-01-31')
  .refine((value) => isDay(value), 'must be a day of the calendar');

const isDay = (value: string) => {
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
};

const deprecated = z.strictObject(
  {
    since: day,
    sunset: day.optional(),
    reason: text.optional(),
    successor: text.optional(),
  },
  { error: asIn('{ since: 2026-01-31 }') },
);

const versionOf = z.union(
  [
    z.int().min(1).max(9999),
    z.string().regex(/@[1-9][0-9]{0,3}$/, 'must be a name with a number, as in area.query-name@2'),
  ],
  { error: 'must be the number of a version, or its name, as in area.query-name@2' },
);

const shadow = z.union(
  [versionOf, z.strictObject({ version: versionOf, share: z.number().gt(0).max(1).optional() })],
  { error: 'must be a version, as in area.query-name@2, or { version: area.query-name@2, share: 0.1 }' },
);

/** A segment of a path that needs no percent-encoding. */
const alias = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, 'must be letters, digits, ., _ and -, at most 128, or a UUID')
  .transform(lowerCaseUuid);

/** A value of a parameter: a list of them if it is repeated. */
const parameterText = z.union([scalarText, z.array(scalarText).max(maxListItems)], {
  error: 'must be text, a number, true or false, or a list of them',
});

const parameterBase = {
  description: text,
  required: z.boolean().default(false),
  default: parameterText.optional(),
  example: parameterText.optional(),
  bind: z.enum(bindTypes).optional(),
  repeated: z.boolean().default(false),
  max_items: z.int().min(1).max(maxListItems).optional(),
  min: scalarText.optional(),
  max: scalarText.optional(),
  max_length: z.int().min(1).max(maxValueLength).optional(),
  pattern: patternText.optional(),
  tenant: z.boolean().default(false),
  tenant_pattern: patternText.optional(),
};

const plainTypes = [
  'string',
  'pattern',
  'date',
  'datetime',
  'timestamp',
  'integer',
  'float',
  'boolean',
] as const;
const parameterTypes = [...plainTypes, 'enum'];

const ofEnum = 'it belongs to a parameter with type: enum';

const plainParameter = z.strictObject(
  { type: z.enum(plainTypes), ...parameterBase },
  { error: otherWords({ enum: ofEnum, values: ofEnum, unknown: ofEnum }) },
);

const enumParameter = z.strictObject({
  type: z.literal('enum'),
  enum: z
    .string({
      error: ({ input }) =>
        input === undefined
          ? undefined
          : 'must be the name of an enum of GraphQL, as in Interval; its values are those of values',
    })
    .regex(graphqlName, notGraphqlName),
  unknown: z.enum(['default', 'refuse']).default('refuse'),
  values: z
    .record(
      z.string().min(1),
      z.strictObject({
        name: nameOfGraphql.refine(
          (name) => !['true', 'false', 'null'].includes(name),
          'must not be true, false or null',
        ),
        description: text,
        also: z.array(scalarText, { error: 'must be a list, as in [1hr, 60min]' }).max(20).default([]),
      }),
      { error: asIn('{ free: { name: FREE, description: The free tier. } }') },
    )
    .refine((values) => Object.keys(values).length > 0, 'must list at least one value'),
  ...parameterBase,
});

const columnForm = '{ type: integer, description: Number of requests. }';
const parameterForm = '{ type: string, description: Project reference. }';

const column = z.strictObject(
  {
    type: columnType,
    repeated: z.boolean().default(false),
    required: z.boolean().default(false),
    unit: text.optional(),
    description: text,
    filter: z.boolean().default(false),
    order: z.boolean().default(false),
    fields: fieldsSchema.optional(),
  },
  { error: asIn(columnForm) },
);

const prometheus = z.strictObject({
  labels: z
    .array(identifier, { error: 'must be a list of columns, as in [project, status]' })
    .max(20)
    .default([]),
  metrics: z
    .record(
      z.string().regex(metricName, metricNameRule),
      z.strictObject({
        column: identifier,
        type: z.enum(['gauge', 'counter']).default('gauge'),
        help: text.optional(),
      }),
    )
    .refine((metrics) => Object.keys(metrics).length > 0, 'must list at least one metric'),
});

/** A parameter by itself. */
export const parameterSchema = z.discriminatedUnion('type', [plainParameter, enumParameter], {
  error: (issue) =>
    issue.code === 'invalid_union'
      ? `must be one of ${parameterTypes.join(', ')}${typeHint((issue.input as { type?: unknown }).type, parameterTypes)}`
      : asIn(parameterForm)(issue),
});

const ofTenant = 'mark the parameter of the tenant with tenant: true';

/** Words of other programs, and those that are near a key of another meaning. */
const wordsOfHeader = {
  tenant: ofTenant,
  tenants: ofTenant,
  tenant_check: ofTenant,
  tenant_id: ofTenant,
  tenant_column: ofTenant,
  cache: 'caching',
  cache_ttl: 'caching',
  ttl: 'caching',
  limit: 'max_rows',
  params: 'parameters',
  parameter: 'parameters',
  arguments: 'parameters',
  fields: 'columns',
  column: 'columns',
  outputs: 'columns',
  title: 'description',
  summary: 'description',
  uuid: 'id',
  materialize: 'it belongs to a part of other queries, which has serve: off',
};

const headerShape = {
  id: z
    .guid('must be a UUID, such as uuidgen prints: clients find the query by it')
    .transform((id) => id.toLowerCase()),
  aliases: z.array(alias, { error: 'must be a list, as in [area.old-name]' }).max(20).default([]),
  description: text,
  tags: z
    .array(
      z
        .string()
        .regex(
          /^[a-z][a-z0-9-]{0,62}$/,
          'must be lowercase letters, digits and -, a letter first, at most 63',
        ),
      { error: 'must be a list, as in [billing, logs]' },
    )
    .max(20)
    .default([]),
  default: z.boolean().default(false),
  deprecated: deprecated.optional(),
  shadow: shadow.optional(),
  max_rows: z.int().min(1).max(100_000),
  tenant_unchecked: text.optional(),
  caching: z.union([z.literal('disabled'), seconds], {
    error: ({ input }) => {
      if (input === undefined) return 'is missing';
      return `${secondsText(input)}, or disabled`;
    },
  }),
  cache_warming: seconds.optional(),
  stale_if_error: seconds.optional(),
  warm: z
    .array(z.record(identifier, parameterText, { error: asIn('{ project: abc }') }), {
      error: 'must be a list, as in [{ project: abc }]',
    })
    .max(100)
    .default([]),
  live: seconds.optional(),
  key: z
    .array(identifier, { error: 'must be a list of columns, as in [timestamp]' })
    .min(1)
    .max(20)
    .optional(),
  query_sandboxing: z.enum(['enabled', 'disabled']).default('disabled'),
  labels: z
    .array(
      z
        .string()
        .regex(labelKey, 'must be lowercase letters, digits, _ and -, a letter first, at most 63')
        .refine((key) => key !== 'endpoint', 'endpoint is set by the gateway itself'),
      { error: 'must be a list, as in [team]' },
    )
    .max(60)
    .default([]),
  parameters: z
    .record(identifier, parameterSchema, { error: asIn(`{ project: ${parameterForm} }`) })
    .default({}),
  strict: z.boolean().default(false),
  columns: z
    .record(identifier, column, { error: asIn(`{ requests: ${columnForm} }`) })
    .refine((columns) => Object.keys(columns).length > 0, 'must list at least one column'),
  page: z
    .strictObject(
      {
        by: z.array(identifier, { error: 'must be a list of columns, as in [timestamp, id]' }).min(1).max(5),
      },
      { error: asIn('{ by: [timestamp, id] }') },
    )
    .optional(),
  row_arguments: z.literal('all', 'must be all').optional(),
  push: z.boolean().default(false),
  budget: budgetSchema.optional(),
  reservation: z.string().regex(reservationName, reservationRule).optional(),
  incremental: z.boolean('must be true or false').default(false),
  late: span.optional(),
  reconcile: span.optional(),
  batch: z
    .enum(['auto', 'off'], 'must be off, or left out: one run serves several tenants wherever it can')
    .default('auto'),
  federation: federationSchema.optional(),
  prometheus: prometheus.optional(),
};

/**
 * The YAML header of a saved-query file.
 *
 * @see design "A saved query file"; spec "Endpoint definition"
 */
export const headerSchema = z.strictObject(headerShape, { error: otherWords(wordsOfHeader) });

export type Header = z.output<typeof headerSchema>;

import { GraphQLScalarType, type GraphQLScalarTypeConfig, Kind, type ValueNode } from 'graphql';
import { quoteShort } from '@querygate/text';
import { GraphQLSafeInt, GraphQLUUID } from 'graphql-scalars';
import { parseDate, parseDatetime, parseTimestamp } from '../../../files/timestamps.ts';
import { memoize } from '../../../memoize.ts';

/** Points in time. Our own: the type in graphql-scalars goes through a JavaScript Date, which loses microseconds. */
export const dateTime = timeScalar({
  name: 'DateTime',
  description: 'A point in time as ISO 8601 text, as in 2026-01-31T12:00:00Z; without a zone it is UTC.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  parse: parseTimestamp,
  right: 'an ISO 8601 timestamp, as in 2026-01-31T12:00:00Z',
});

/** The type of arguments that are days. */
export const date = timeScalar({
  name: 'Date',
  description: 'A day as ISO 8601 text, as in 2026-01-31.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/local-date.html',
  parse: parseDate,
  right: 'a date, as in 2026-01-31',
});

/** The type of arguments that are dates with a time of day. */
export const localDateTime = timeScalar({
  name: 'LocalDateTime',
  description: 'A date and time without a time zone as ISO 8601 text, as in 2026-01-31T12:00:00.',
  parse: parseDatetime,
  right: 'a date and time without a time zone, as in 2026-01-31T12:00:00',
});

interface TimeScalar
  extends Pick<GraphQLScalarTypeConfig<string, string>, 'name' | 'description' | 'specifiedByURL'> {
  /** undefined for a wrong text. */
  readonly parse: (text: string) => string | undefined;
  readonly right: string;
}

function timeScalar({ parse, right, ...config }: TimeScalar): GraphQLScalarType<string, string> {
  const parseValue = (value: unknown): string => {
    // As it is: rows are compared by digits that parameters leave out too, and an empty parameter counts as absent.
    if (value === '' || (typeof value === 'string' && parse(value) !== undefined)) return value;
    throw new TypeError(`must be ${right}`);
  };
  return new GraphQLScalarType<string, string>({
    ...config,
    serialize: String,
    parseValue,
    // graphql-js reads the literals of a field again for each object that has it.
    parseLiteral: memoize((node: ValueNode) =>
      parseValue(node.kind === Kind.STRING ? node.value : undefined),
    ),
  });
}

/** The type of arguments that are UUIDs. */
export const uuid = new GraphQLScalarType({
  ...GraphQLUUID.toConfig(),
  description: 'A UUID.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc9562',
});

/** The type of arguments that are integers. */
export const safeInt = new GraphQLScalarType({
  ...GraphQLSafeInt.toConfig(),
  parseValue: parseSafeInt,
  coerceInputValue: parseSafeInt,
});

function parseSafeInt(value: unknown): number {
  if (typeof value !== 'string') return Number(GraphQLSafeInt.parseValue(value));
  throw new TypeError(`must be a whole number, without quotes; got ${quoteShort(value)}`);
}

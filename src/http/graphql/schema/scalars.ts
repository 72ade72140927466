import { GraphQLScalarType, Kind } from 'graphql';
import { GraphQLUUID } from 'graphql-scalars';
import { parseTimestamp } from '../../../files/timestamps.ts';

/**
 * The type of arguments that are points in time. Our own: the one in graphql-scalars goes through a JavaScript Date, which
 * loses microseconds.
 */
export const dateTime = new GraphQLScalarType<string, string>({
  name: 'DateTime',
  description: 'A point in time as ISO 8601 text, as in 2026-01-31T12:00:00Z; without a zone it is UTC.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: String,
  parseValue: parseDateTime,
  parseLiteral: (node) => parseDateTime(node.kind === Kind.STRING ? node.value : undefined),
});

function parseDateTime(value: unknown): string {
  const parsed = typeof value === 'string' ? parseTimestamp(value) : undefined;
  if (parsed !== undefined) return parsed;
  throw new TypeError('must be an ISO 8601 timestamp, as in 2026-01-31T12:00:00Z');
}

/** The type of arguments that are UUIDs. */
export const uuid = new GraphQLScalarType({
  ...GraphQLUUID.toConfig(),
  description: 'A UUID.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc9562',
});

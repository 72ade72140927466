import { GraphQLScalarType, Kind } from 'graphql';
import { isoText, parseTimestamp } from '../../../files/timestamps.ts';

/**
 * Our own DateTime: the one in graphql-scalars goes through a JavaScript Date, which loses microseconds. Resolvers
 * return an integer of microseconds, as REST rows have it; arguments are ISO 8601 text.
 */
export const dateTime = new GraphQLScalarType<string, string>({
  name: 'DateTime',
  description:
    'A point in time as an RFC 3339 timestamp in UTC with microseconds, as in 2026-01-31T12:00:00.000000Z.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: (value) => (value instanceof Date ? isoText(value.getTime() * 1000) : isoText(Number(value))),
  parseValue: parseDateTime,
  parseLiteral: (node) => parseDateTime(node.kind === Kind.STRING ? node.value : undefined),
});

function parseDateTime(value: unknown): string {
  const parsed = typeof value === 'string' ? parseTimestamp(value) : undefined;
  if (parsed !== undefined) return parsed;
  throw new TypeError('must be an ISO 8601 timestamp, as in 2026-01-31T12:00:00Z');
}

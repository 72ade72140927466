import { GraphQLScalarType, Kind } from 'graphql';
import { parseTimestamp } from '../../../files/timestamps.ts';

/**
 * DateTime of our own: the one of graphql-scalars goes through a JavaScript Date, which cuts microseconds.
 * Inside, a timestamp is what the wire has: an integer of microseconds on the way out, ISO 8601 text on the way in.
 */
export const dateTime = new GraphQLScalarType<string, string>({
  name: 'DateTime',
  description:
    'A moment as an RFC 3339 timestamp in UTC with microseconds, as in 2026-01-31T12:00:00.000000Z.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: (value) => (value instanceof Date ? isoText(value.getTime() * 1000) : isoText(Number(value))),
  parseValue: read,
  parseLiteral: (node) => read(node.kind === Kind.STRING ? node.value : undefined),
});

function read(value: unknown): string {
  const parsed = typeof value === 'string' ? parseTimestamp(value) : undefined;
  if (parsed !== undefined) return parsed;
  throw new TypeError('it must be an ISO 8601 timestamp, as in 2026-01-31T12:00:00Z');
}

/** @param micros since the epoch */
export function isoText(micros: number): string {
  const fraction = ((micros % 1_000_000) + 1_000_000) % 1_000_000;
  const seconds = new Date((micros - fraction) / 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(fraction).padStart(6, '0')}Z`;
}

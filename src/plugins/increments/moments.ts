import type { Increment, Narrowed } from '@querygate/bigquery-sql/derive';
import { timestampText } from '../../files/timestamps.ts';

/** The first moment that SQL has, and the last one. */
const [always, never] = ['0001-01-01T00:00:00.000000Z', '9999-12-31T23:59:59.999999Z'];

/** Of no row, so that all are read. */
export const wholeWindow: Increment['read'] = {
  until: Number.POSITIVE_INFINITY,
  from: Number.POSITIVE_INFINITY,
};

/** The values of the parameters of a narrowed query. @param now the current time in its SQL, in microseconds since the epoch */
export function moments(
  { parameters: { from, until, now } }: Pick<Narrowed, 'parameters'>,
  read: Increment['read'],
  current: number,
): Readonly<Record<string, string>> {
  return { [from]: momentText(read.from), [until]: momentText(read.until), [now]: momentText(current) };
}

function momentText(micros: number): string {
  if (micros === Number.POSITIVE_INFINITY) return never;
  return micros === Number.NEGATIVE_INFINITY ? always : timestampText(BigInt(Math.round(micros)));
}

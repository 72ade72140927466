import { DuckDBDateValue, DuckDBTimestampTZValue, DuckDBTimestampValue } from '@duckdb/node-api';
import type { Bindings, RowCondition } from '@querygate/bigquery-sql/duckdb';
import type { Bounds, PlacedFile } from './placed-file.ts';

const comparedTypes: ReadonlySet<string> = new Set(['STRING', 'INT64', 'TIMESTAMP', 'DATETIME', 'DATE']);
const dayMicros = 86_400_000_000n;

/** False if no row of a file can pass all conditions with these values: its statistics say so. */
export const mayHaveRows = (
  file: Pick<PlacedFile, 'bounds'>,
  conditions: readonly RowCondition[],
  bindings: Bindings,
): boolean =>
  conditions.every(({ column, operator, value }) => {
    const known = boundsOf(file, column);
    const bound = comparable(value, bindings);
    if (known === undefined || bound === undefined) return true;
    const [least, greatest] = known.map((text) => compare(text, bound));
    return least === undefined || greatest === undefined || mayPass[operator](least, greatest);
  });

/** The bounds of a stored column; undefined if they are not known. */
export const boundsOf = ({ bounds }: Pick<PlacedFile, 'bounds'>, column: string): Bounds | undefined =>
  Object.hasOwn(bounds, column) ? bounds[column] : undefined;

/** By the order of the smallest and of the greatest value beside the one that they are compared with. */
const mayPass: Readonly<Record<RowCondition['operator'], (least: number, greatest: number) => boolean>> = {
  '=': (least, greatest) => least <= 0 && greatest >= 0,
  '<': (least) => least < 0,
  '<=': (least) => least <= 0,
  '>': (_, greatest) => greatest > 0,
  '>=': (_, greatest) => greatest >= 0,
};

/** As bounds have it: a whole number, or the bytes of a text; undefined for other values. */
export function comparable(node: RowCondition['value'], bindings: Bindings): bigint | Buffer | undefined {
  if (node.type.kind !== 'scalar' || !comparedTypes.has(node.type.name)) return undefined;
  const value = node.kind === 'literal' ? node.value : bindings.get(node.name)?.value;
  if (node.type.name === 'STRING') return typeof value === 'string' ? Buffer.from(value) : undefined;
  if (typeof value === 'string') return microsOfLiteral(value);
  if (value instanceof DuckDBTimestampTZValue || value instanceof DuckDBTimestampValue) return value.micros;
  if (value instanceof DuckDBDateValue) return BigInt(value.days) * dayMicros;
  return typeof value === 'bigint' ? value : undefined;
}

/** The microseconds of a literal date or time in UTC; undefined for one that is written in another way. */
function microsOfLiteral(text: string): bigint | undefined {
  const [, day, time = '00:00:00', fraction = ''] =
    /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?)?(?:Z|\+00(?::?00)?)?$/.exec(text) ?? [];
  const ms = Date.parse(`${day}T${time}Z`);
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1000n + BigInt(fraction.padEnd(6, '0'));
}

/** DuckDB compares texts by their bytes. */
function compare(bound: string, value: bigint | Buffer): number {
  if (typeof value !== 'bigint') return Buffer.compare(Buffer.from(bound), value);
  const number = BigInt(bound);
  return number < value ? -1 : number > value ? 1 : 0;
}

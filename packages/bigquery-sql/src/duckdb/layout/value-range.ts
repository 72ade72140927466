/** BigQuery's smallest and largest values of the types of DuckDB that hold more, as infinity, as SQL. */
export const ranges = {
  DATE: [`DATE '0001-01-01'`, `DATE '9999-12-31'`],
  TIME: [`TIME '00:00:00'`, `TIME '23:59:59.999999'`],
  TIMESTAMP: [`TIMESTAMP '0001-01-01 00:00:00'`, `TIMESTAMP '9999-12-31 23:59:59.999999'`],
  TIMESTAMPTZ: ['make_timestamptz(-62135596800000000)', 'make_timestamptz(253402300799999999)'],
} as const;

/** True if a type of DuckDB has values that the one of BigQuery does not have. */
export const hasRange = (type: string): type is keyof typeof ranges => Object.hasOwn(ranges, type);

/** SQL of a value that is NULL if it is out of the range of its type. The value is written twice. */
export function withinRange(type: string, value: string): string {
  if (!hasRange(type)) return value;
  const [least, greatest] = ranges[type];
  return `CASE WHEN ${value} BETWEEN ${least} AND ${greatest} THEN ${value} END`;
}

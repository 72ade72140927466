import type { PrometheusText } from '../catalog/model/saved-query.ts';
import { arrowParts } from './arrow.ts';
import { columnShapes } from './column-shapes.ts';
import { csvParts } from './csv.ts';
import { type Format, formats } from './format.ts';
import { ndjsonParts } from './ndjson.ts';
import { prometheusText } from './prometheus.ts';
import type { Rows } from './rows.ts';

/** A part of a body, made in some milliseconds; undefined for work that made none. */
export type Part = string | Uint8Array | undefined;

type Convert = (rows: Rows, prometheus: PrometheusText | undefined) => Generator<Part, void>;

/** For every format; undefined for JSON, which rows are in, and for Parquet, which `writeParquet` makes as a whole. */
const converters: { readonly [Name in keyof typeof formats]: Convert | undefined } = {
  json: undefined,
  csv: (rows) => csvParts(rows, false),
  csvBom: (rows) => csvParts(rows, true),
  ndjson: (rows) => ndjsonParts(rows),
  parquet: undefined,
  *arrow(rows) {
    yield* arrowParts(rows, yield* columnShapes(rows));
  },
  *prometheus(rows, declared) {
    if (declared === undefined) throw new TypeError('the query declares no metrics');
    yield yield* prometheusText(rows, declared);
  },
};

const byFormat = new Map<Format, Convert | undefined>(
  Object.entries(converters).map(([name, convert]) => [formats[name as keyof typeof formats], convert]),
);

/**
 * Converts rows in parts.
 *
 * @param prometheus of the query; needed for that format only
 */
export function convertRows(
  format: Format,
  rows: Rows,
  prometheus: PrometheusText | undefined,
): Generator<Part, void> {
  const convert = byFormat.get(format);
  if (convert === undefined) throw new TypeError(`rows are not converted to ${format.names[0]} here`);
  return convert(rows, prometheus);
}

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

/**
 * Converts rows in parts, to any format but JSON, which they are in, and Parquet, which `writeParquet` makes.
 *
 * @param prometheus of the query; needed for that format only
 */
export function* convertRows(
  format: Format,
  rows: Rows,
  prometheus: PrometheusText | undefined,
): Generator<Part, void> {
  switch (format) {
    case formats.csv:
    case formats.csvBom:
      return yield* csvParts(rows, format === formats.csvBom);
    case formats.ndjson:
      return yield* ndjsonParts(rows);
    case formats.arrow:
      return yield* arrowParts(rows, yield* columnShapes(rows));
    case formats.prometheus:
      if (prometheus === undefined) break;
      yield yield* prometheusText(rows, prometheus);
      return;
  }
  throw new TypeError(`rows are not converted to ${format.names[0]} here`);
}

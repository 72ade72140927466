/** A representation of the rows of a result. */
export interface Format {
  /** As in `?format=csv`, and as an extension of a path; the first one names the format. */
  readonly names: readonly [string, ...string[]];
  /** As responses name it. */
  readonly contentType: string;
  /** Media types by which a caller may ask for it, without parameters. */
  readonly mediaTypes: readonly string[];
  /** What the parameter `version` of a media range must be, if it is given. */
  readonly version?: string;
  /** Of the file that a browser saves; undefined for what is not saved. */
  readonly fileExtension: string | undefined;
  /** True if its bytes are compressed, so that a content coding would gain nothing. */
  readonly isCompressed?: true;
}

/** As the gateway stores results. */
const json: Format = {
  names: ['json'],
  contentType: 'application/json; charset=utf-8',
  mediaTypes: ['application/json'],
  fileExtension: undefined,
};

/** @see RFC 4180, RFC 7111 */
const csv: Format = {
  names: ['csv'],
  contentType: 'text/csv; charset=utf-8; header=present',
  mediaTypes: ['text/csv'],
  fileExtension: 'csv',
};

/** CSV that begins with a byte-order mark: Excel takes other files for text in a code page of Windows. */
const csvBom: Format = { ...csv, names: ['csv-bom'], mediaTypes: [] };

const ndjson: Format = {
  names: ['ndjson', 'jsonl'],
  contentType: 'application/x-ndjson; charset=utf-8',
  mediaTypes: ['application/x-ndjson', 'application/ndjson', 'application/jsonl'],
  fileExtension: 'ndjson',
};

const parquet: Format = {
  names: ['parquet'],
  contentType: 'application/vnd.apache.parquet',
  mediaTypes: ['application/vnd.apache.parquet'],
  fileExtension: 'parquet',
  isCompressed: true,
};

/** The stream format of Arrow IPC, not the file format. */
const arrow: Format = {
  names: ['arrow', 'arrows'],
  contentType: 'application/vnd.apache.arrow.stream',
  mediaTypes: ['application/vnd.apache.arrow.stream'],
  fileExtension: 'arrows',
};

/** Only for queries whose header declares it. */
const prometheus: Format = {
  names: ['prometheus', 'prom'],
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  mediaTypes: ['text/plain'],
  version: '0.0.4',
  fileExtension: undefined,
};

/** Every format, the most preferred first. */
export const formats = { json, csv, csvBom, ndjson, parquet, arrow, prometheus } as const;

const byName = new Map(
  Object.values<Format>(formats).flatMap((format) => format.names.map((name) => [name, format])),
);

export const formatNamed = (name: string): Format | undefined => byName.get(name);

/** What may be written as `?format=` or as an extension. */
export const formatNames: readonly string[] = [...byName.keys()];

/** Extensions of files that a caller may expect, and that are not available. */
const otherExtensions: ReadonlySet<string> = new Set(
  'avro feather htm html msgpack ods orc pdf sqlite tsv txt xls xlsx xml yaml yml'.split(' '),
);

/** True for the extension of a file, in any case; false for a text that is rather a part of a name. */
export function isExtension(text: string): boolean {
  const lower = text.toLowerCase();
  return byName.has(lower) || otherExtensions.has(lower);
}

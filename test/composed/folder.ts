import type { Parameters } from '../../packages/bigquery-sql/conformance/parameters.ts';
import { parseCatalog } from '../../src/catalog/folder/load-catalog.ts';
import { StartError } from '../../src/errors.ts';
import { declarations } from '../random-rest/saved-query.ts';

/** The files of a queries folder, by path: `reader.sql` is the query, the others are what it reads. */
export type Folder = ReadonlyMap<string, string>;

/** The file of a part. */
export const partFile = (sql: string, parameters: Parameters): string =>
  `/*---\nserve: off\n${declarationsOf(parameters)}---*/\n${sql}\n`;

/** The file of the query that reads the parts. */
export const readerFile = (sql: string, parameters: Parameters): string =>
  `/*---
id: 11111111-2222-4333-8444-555555555555
description: It reads the parts
max_rows: 10000
caching: disabled
${declarationsOf(parameters)}columns:
  x: { type: string, description: a column }
---*/
${sql}
`;

/** LIMIT and OFFSET take what is never NULL. */
const declarationsOf = (parameters: Parameters): string =>
  declarations(parameters, (name) => {
    const given = parameters[name];
    return typeof given === 'object' && typeof given.value === 'string';
  });

/** The SQL of the reader with all that it reads, as the engines run it; otherwise why the folder is refused. */
export function linkedSql(folder: Folder): { readonly sql: string } | { readonly refused: string } {
  try {
    const files = new Map([...folder].map(([path, text]) => [path, { text }]));
    const [query] = parseCatalog('', files).queries;
    return { sql: query?.sql ?? '' };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return { refused: error.problems.map(({ file, message }) => `${file}: ${message}`).join('; ') };
  }
}

import { createHash } from 'node:crypto';

/** A caller's project: its reference, and the functions that it calls. */
export interface Project {
  readonly ref: string;
  /** UUIDs. */
  readonly functions: readonly string[];
}

/** By size: the first has a fifth of all rows, the last about a thousandth. */
export const projects: readonly Project[] = Array.from({ length: 50 }, (_, at) => ({
  ref: [...createHash('sha256').update(`project ${at}`).digest().subarray(0, 20)]
    .map((byte) => String.fromCharCode(97 + (byte % 26)))
    .join(''),
  functions: Array.from({ length: 1 + (at % 4) }, (_, number) => uuid(`function ${at} ${number}`)),
}));

/** The tables that `queries/demo/_shared.sql` draws its callers from, with these projects instead. */
export function projectTables(): string {
  const rows = projects.map(({ ref, functions }, at) =>
    [at + 1, `'${ref}'`, `'eu-central-1'`, functions.length, `'hello-${at}'`].join(', '),
  );
  const functions = projects.flatMap(({ ref, functions }, at) =>
    functions.map((id, number) =>
      [
        `'${ref}'`,
        number + 1,
        `'${id}'`,
        `'hello-${at}'`,
        `'${at + number}'`,
        40 + 97 * number,
        0.6,
        0.02,
      ].join(', '),
    ),
  );
  return `
    CREATE OR REPLACE TABLE demo.projects AS
    FROM (VALUES ${tuples(rows)}) AS projects (number, ref, region, functions, main_function);
    CREATE OR REPLACE TABLE demo.functions AS
    FROM (VALUES ${tuples(functions)})
      AS functions (ref, number, function_id, slug, version, median, spread, failing);`;
}

const tuples = (rows: readonly string[]) => rows.map((row) => `(${row})`).join(', ');

function uuid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

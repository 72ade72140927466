import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import type { Case } from './cases.ts';
import { now, project, shippedRows } from './shipped-rows.ts';
import type { Field, TableSchema } from '../src/table-schema.ts';
import type { Table } from './table.ts';

export interface Shipped {
  /** The tables of the saved queries, with rows around every bound that the queries draw. */
  readonly tables: readonly Table[];
  /** Every saved query with every value of its enums and a few of its other parameters. */
  readonly cases: readonly Case[];
}

/** The saved queries that the project ships. */
export function loadShipped(): Shipped {
  const rows = shippedRows();
  return {
    tables: loadSchemas().map((table) => ({ ...table, rows: rows[table.name] ?? [] })),
    cases: filesOf('*.sql')
      .map(readQuery)
      .flatMap((query) => combinationsOf(query.parameters).map((parameters) => caseOf(query, parameters))),
  };
}

const filesOf = (pattern: string) =>
  globSync(join(import.meta.dirname, '../../../queries', pattern)).toSorted();

/** The tables that the saved queries read. */
export const loadSchemas = (): readonly TableSchema[] =>
  filesOf('tables/*.json').map((file) => ({
    name: basename(file, '.json'),
    fields: withModes(JSON.parse(readFileSync(file, 'utf8'))),
  }));

const withModes = (fields: readonly Field[]): readonly Field[] =>
  fields.map((field) => ({
    ...field,
    mode: field.mode ?? 'NULLABLE',
    ...(field.fields && { fields: withModes(field.fields) }),
  }));

/** A saved query, as far as cases need it: its header is YAML in the comment that begins its file. */
interface SavedQuery {
  readonly name: string;
  readonly sql: string;
  readonly parameters: readonly Parameter[];
}

interface Parameter {
  readonly name: string;
  readonly required: boolean;
  /** The values of an enum. */
  readonly values: readonly string[];
}

function readQuery(file: string): SavedQuery {
  const [, header = '', sql = ''] = /^\/\*---\n(.*?)\n---\*\/\n(.*)$/s.exec(readFileSync(file, 'utf8')) ?? [];
  const declared: Readonly<Record<string, { required?: boolean; values?: object }>> =
    parse(header).parameters;
  const parameters = Object.entries(declared).map(([name, { required = false, values = {} }]) => ({
    name,
    required,
    values: Object.keys(values),
  }));
  return { name: basename(file, '.sql'), sql, parameters };
}

function caseOf({ name, sql: text }: SavedQuery, parameters: Readonly<Record<string, string>>): Case {
  // The reference has a clock that can't be set.
  const sql = text.replaceAll(/current_timestamp\(\)/gi, `timestamp '${now}'`);
  const template = { text: name, file: `${name}.sql`, line: 1, placeholders: [] };
  const referenceSql = withoutQuantiles(sql);
  return { subject: name, kind: 'query', sql, referenceSql, parameters, wrong: false, template, inputs: [] };
}

/**
 * The reference lacks APPROX_QUANTILES. The equivalent query computes the exact quantiles by nearest rank from the
 * sorted values.
 */
const withoutQuantiles = (sql: string) =>
  sql
    .replaceAll(/approx_quantiles\((\w+), 100\)/gi, 'array_agg($1 ignore nulls order by $1)')
    .replaceAll(
      /(\w+)\[offset\((\d+)\)\]/gi,
      '$1[safe_offset(cast(greatest(ceil(array_length($1) * $2 / 100), 1) as int64) - 1)]',
    );

/** Values of parameters without an enum; optional ones are also tried empty. */
const samples: Readonly<Record<string, readonly string[]>> = {
  project: [project, 'nobody'],
  function_id: ['f1'],
  iso_timestamp_start: ['2024-02-29T12:00:00Z'],
  iso_timestamp_end: ['2024-03-01T11:59:59.999999+00:00'],
};

function choices(parameter: Parameter): readonly string[] {
  if (parameter.values.length > 0) return parameter.values;
  const known = samples[parameter.name] ?? [];
  return parameter.required ? known : ['', ...known];
}

function combinationsOf(parameters: readonly Parameter[]): readonly Readonly<Record<string, string>>[] {
  return parameters.reduce<readonly Readonly<Record<string, string>>[]>(
    (found, parameter) =>
      found.flatMap((chosen) => choices(parameter).map((text) => ({ ...chosen, [parameter.name]: text }))),
    [{}],
  );
}

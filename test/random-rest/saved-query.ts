import type { Parameters, ParameterValue } from '../../packages/bigquery-sql/conformance/parameters.ts';
import type { ParameterType } from '../../packages/bigquery-sql/src/types.ts';

/** The type in a header of a parameter that the SQL takes with a type. */
const headerTypes: Readonly<Record<ParameterType, string>> = {
  STRING: 'string',
  INT64: 'integer',
  FLOAT64: 'float',
  NUMERIC: 'float',
  BIGNUMERIC: 'float',
  BOOL: 'boolean',
  DATE: 'date',
  DATETIME: 'datetime',
  TIMESTAMP: 'timestamp',
};

/** All columns of a row as one JSON text, so that rows of any columns have one header. */
export const asJson = (sql: string): string => `SELECT TO_JSON_STRING(t) AS x FROM (\n${sql}\n) AS t`;

/** LIMIT and OFFSET take no NULL, so that their parameters must have a value. */
const isRequired = (sql: string, name: string): boolean =>
  new RegExp(`(?:LIMIT|OFFSET) @${name}\\b`).test(sql);

/** The file of a saved query that returns `x`, a JSON text for each row. */
export function savedQuery(number: number, sql: string, parameters: Parameters): string {
  return `/*---
id: 11111111-2222-4333-8444-${String(number).padStart(12, '0')}
description: a random query
max_rows: 10000
caching: disabled
${declarations(parameters, (name) => isRequired(sql, name))}columns:
  x: { type: string, description: a row }
---*/
${sql}
`;
}

/** The parameters in the header of a file. */
export function declarations(parameters: Parameters, isRequired: (name: string) => boolean): string {
  const declared = Object.entries(parameters).map(([name, given]) => {
    const { type, isList } = typed(given);
    const list = isList ? 'repeated: true, ' : '';
    return `  ${name}: { type: ${headerTypes[type]}, bind: ${type}, ${list}${isRequired(name) ? 'required: true, ' : ''}description: a value of the test }\n`;
  });
  return declared.length === 0 ? '' : `parameters:\n${declared.join('')}`;
}

/** The query string of values; NULL is an absent one. */
export function searchOf(parameters: Parameters): string {
  const pairs = Object.entries(parameters).flatMap(([name, given]) =>
    typed(given).texts.map((text): [string, string] => [name, text]),
  );
  return String(new URLSearchParams(pairs));
}

function typed(given: ParameterValue): {
  readonly type: ParameterType;
  readonly isList: boolean;
  readonly texts: readonly string[];
} {
  const { type, value } = typeof given === 'string' ? { type: 'STRING' as const, value: given } : given;
  return { type, isList: Array.isArray(value), texts: value === null ? [] : [value].flat() };
}

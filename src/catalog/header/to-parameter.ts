import type { ParameterType } from '@querygate/bigquery-sql/types';
import { canonicalText } from '../binding/check-value.ts';
import type { Parameter, ParameterText } from '../model/saved-query.ts';
import type { Header } from './header-schema.ts';

/** The types in the SQL that a parameter of each type can have. A list has the second one, if there is one, by default. */
export const bindTypesOf: Readonly<Record<Parameter['type'], readonly ParameterType[]>> = {
  string: ['STRING'],
  pattern: ['STRING'],
  enum: ['STRING'],
  date: ['STRING', 'DATE'],
  datetime: ['STRING', 'DATETIME'],
  timestamp: ['STRING', 'TIMESTAMP'],
  integer: ['STRING', 'INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC'],
  float: ['STRING', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC'],
  boolean: ['STRING', 'BOOL'],
};

/** A parameter as the header declares it. Keys that the header leaves out are not set. */
export function toParameter(name: string, declared: Header['parameters'][string]): Parameter {
  const { type, description, required, bind, repeated, min, max, max_items, max_length, pattern } = declared;
  const bound = bind ?? (repeated ? bindTypesOf[type][1] : undefined) ?? 'STRING';
  const common = {
    name,
    description,
    required,
    default: listText(declared.default, repeated),
    example: listText(declared.example, repeated),
    ...(bound !== 'STRING' && { bind: bound }),
    ...(repeated && { repeated }),
    ...(max_items !== undefined && { maxItems: max_items }),
    ...(min !== undefined && { min: canonicalText({ type, bind: bound }, min) }),
    ...(max !== undefined && { max: canonicalText({ type, bind: bound }, max) }),
    ...(max_length !== undefined && { maxLength: max_length }),
    ...(pattern !== undefined && { pattern }),
  };
  if (declared.type !== 'enum') return { ...common, type: declared.type };
  const values = Object.entries(declared.values).map(([value, described]) => ({ value, ...described }));
  return { ...common, type: 'enum', enum: declared.enum, unknown: declared.unknown, values };
}

/** One value is a list of it. */
function listText(text: ParameterText | undefined, repeated: boolean): ParameterText | undefined {
  return repeated && typeof text === 'string' ? [text] : text;
}

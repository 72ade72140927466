import type { CastExpr, DataType } from 'sql-parser-cst';
import { Refusal } from '../refusal.ts';
import type { Rule } from '../translator.ts';
import { arrayOf, type ScalarName, scalar, structOf, type Type } from '../type.ts';
import { callMacro } from './calls.ts';

/** CAST has one macro for each type it makes, with a signature for each type it takes. */
export const cast: Rule<CastExpr> = (node, scope, to) => {
  const { expr, dataType, format } = node.args.expr;
  if (format) throw new Refusal(format, 'CAST … FORMAT is not supported');
  const type = parseDataType(dataType);
  if (type.kind !== 'scalar') throw new Refusal(dataType, 'only casts to scalar types are supported');
  const macro = `cast_${type.name.toLowerCase()}`;
  const made = callMacro(node, macro, [to.expr(expr, scope)], to, `CAST AS ${type.name}`);
  return { text: node.castKw.name === 'SAFE_CAST' ? `TRY(${made.text})` : made.text, type };
};

const names: Readonly<Record<string, ScalarName>> = {
  INT64: 'INT64',
  INT: 'INT64',
  INTEGER: 'INT64',
  BIGINT: 'INT64',
  SMALLINT: 'INT64',
  TINYINT: 'INT64',
  BYTEINT: 'INT64',
  FLOAT64: 'FLOAT64',
  NUMERIC: 'NUMERIC',
  DECIMAL: 'NUMERIC',
  BOOL: 'BOOL',
  BOOLEAN: 'BOOL',
  STRING: 'STRING',
  BYTES: 'BYTES',
  DATE: 'DATE',
  TIME: 'TIME',
  DATETIME: 'DATETIME',
  TIMESTAMP: 'TIMESTAMP',
  JSON: 'JSON',
};

/** A type as it is written in CAST, ARRAY<…> and STRUCT<…>. */
export function parseDataType(node: DataType): Type {
  if (node.type === 'data_type_name' || node.type === 'time_data_type') {
    const text =
      node.type === 'time_data_type'
        ? node.timeKw.name
        : [node.name]
            .flat()
            .map(({ name }) => name)
            .join(' ');
    const name = names[text.toUpperCase()];
    if (name) return scalar(name);
    throw new Refusal(node, `the type ${text} is not supported`);
  }
  if (node.type === 'identifier') {
    const name = names[node.name.toUpperCase()];
    if (name) return scalar(name);
    throw new Refusal(node, `the type ${node.name} is not supported`);
  }
  if (node.type === 'parametric_data_type') {
    const params = node.params?.params.items ?? [];
    const [first] = params;
    if (node.typeKw.name === 'ARRAY' && first?.type === 'array_type_param')
      return arrayOf(parseDataType(first.dataType));
    if (node.typeKw.name === 'STRUCT') {
      return structOf(
        params.map((param) => ({
          name: param.type === 'struct_type_param' ? param.name.name : '',
          type: parseDataType(param.dataType),
        })),
      );
    }
  }
  throw new Refusal(node, 'this type is not supported');
}

import type { CastExpr, DataType, Node } from 'sql-parser-cst';
import { callMacro, nullOnError } from '../macros/macro-call.ts';
import type { Sql } from '../scope.ts';
import type { Rule, Translator } from '../translator.ts';
import {
  anonymousField,
  arrayOf,
  describeType,
  duckdbType,
  isScalar,
  quote,
  type ScalarName,
  scalar,
  structOf,
  type Type,
} from '../types.ts';
import { Unsupported } from '../unsupported.ts';

/** CAST is one macro for each target type, with a signature for each source type. */
export const cast: Rule<CastExpr> = (node, scope, tr) => {
  const { expr, dataType, format } = node.args.expr;
  const type = parseDataType(dataType);
  const castOf = (value: Sql): Sql => ({ ...castTo(node, value, type, tr), type });
  const value = readAsText(expr, type) ?? tr.expr(expr, scope);
  if (format) throw new Unsupported(format, 'CAST … FORMAT is not supported');
  return node.castKw.name === 'SAFE_CAST'
    ? nullOnError([value], ([arg = value]) => castOf(arg))
    : castOf(value);
};

/** A fractional literal that is cast to NUMERIC is read as text: as FLOAT64 it would lose digits. */
function readAsText(node: Node, type: Type): Sql | undefined {
  if (!isScalar(type, 'NUMERIC') || node.type !== 'number_literal' || /^(\d+|0x.*)$/i.test(node.text))
    return undefined;
  return { text: `'${node.text}'`, type: scalar('STRING') };
}

/** Casts a value; elements of arrays and fields of structs one by one. */
function castTo(node: Node, value: Sql, type: Type, tr: Translator): Sql {
  const from = value.type;
  if (from.kind === 'null') return { text: `CAST(NULL AS ${duckdbType(type)})`, type };
  if (type.kind === 'scalar')
    return callMacro(node, `cast_${type.name.toLowerCase()}`, [value], `CAST AS ${type.name}`);
  if (type.kind === 'array' && from.kind === 'array') {
    if (from.element.kind === 'null') return { text: `CAST(${value.text} AS ${duckdbType(type)})`, type };
    const name = quote(tr.fresh('element'));
    const element = castTo(node, { text: name, type: from.element }, type.element, tr);
    return { text: `list_transform(${value.text}, lambda ${name}: ${element.text})`, type };
  }
  if (type.kind === 'struct' && from.kind === 'struct' && type.fields.length === from.fields.length) {
    const name = quote(tr.fresh('struct'));
    const fields = from.fields.map((field, index) => {
      const target = type.fields[index] ?? field;
      const text = `(${name}).${quote(field.name || anonymousField(index))}`;
      const value = castTo(node, { text, type: field.type }, target.type, tr);
      return `${quote(target.name || anonymousField(index))} := ${value.text}`;
    });
    const struct = `CASE WHEN ${name} IS NOT NULL THEN struct_pack(${fields.join(', ')}) END`;
    return { text: `list_transform([${value.text}], lambda ${name}: ${struct})[1]`, type };
  }
  throw new Unsupported(node, `cannot cast ${describeType(from)} to ${describeType(type)}`);
}

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

/** Parses a type in CAST, ARRAY<…> or STRUCT<…>. */
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
    throw new Unsupported(node, `the type ${text} is not supported`);
  }
  if (node.type === 'identifier') {
    const name = names[node.name.toUpperCase()];
    if (name) return scalar(name);
    throw new Unsupported(node, `the type ${node.name} is not supported`);
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
  throw new Unsupported(node, 'this type is not supported');
}

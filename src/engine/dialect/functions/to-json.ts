import type { FuncCall, Node } from 'sql-parser-cst';
import { quoteText } from '../expr/literals.ts';
import { callMacro, plainArguments } from '../macros/macro-call.ts';
import type { Sql } from '../scope.ts';
import type { Rule, Translator } from '../translator.ts';
import { describeType, isScalar, scalar } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import { type ValueTextFormat, valueText } from './value-text.ts';

/** TO_JSON_STRING of a value of any type; `true` as second argument puts each field and element on its own line. */
export const toJsonString: Rule<FuncCall> = (node, scope, tr) => {
  const [value, pretty, another] = plainArguments(node);
  if (!value || another) throw new Unsupported(node, 'TO_JSON_STRING takes a value and optionally a BOOL');
  if (pretty && pretty.type !== 'boolean_literal')
    throw new Unsupported(pretty, 'the second argument of TO_JSON_STRING must be TRUE or FALSE');
  const textFormat = pretty?.type === 'boolean_literal' && pretty.value ? indentedFormat : compactFormat;
  return {
    text: valueText(tr.expr(value, scope), textFormat(scalarText(node)), tr),
    type: scalar('STRING'),
  };
};

/** Unlike TO_JSON_STRING, TO_JSON keeps large numbers as numbers. */
export const toJson: Rule<FuncCall> = (node, scope, tr) => {
  const [value, another] = plainArguments(node);
  if (!value || another) throw new Unsupported(another ?? node, 'TO_JSON takes exactly one argument');
  return asJson(jsonText(tr.expr(value, scope), node, tr));
};

export const jsonArray: Rule<FuncCall> = (node, scope, tr) => {
  const items = plainArguments(node).map((item) => jsonText(tr.expr(item, scope), node, tr));
  return asJson(`'[' || ${items.join(" || ',' || ") || "''"} || ']'`);
};

/** JSON_OBJECT with literal names; BigQuery sorts them alphabetically. */
export const jsonObject: Rule<FuncCall> = (node, scope, tr) => {
  const args = plainArguments(node);
  if (args.length % 2 === 1) throw new Unsupported(node, 'JSON_OBJECT takes pairs of a name and a value');
  const fields = args.flatMap((name, index) => {
    if (index % 2 === 1) return [];
    if (name.type !== 'string_literal')
      throw new Unsupported(name, 'JSON_OBJECT takes string literals as names');
    return [{ name: name.value, text: jsonText(tr.expr(args[index + 1] ?? name, scope), node, tr) }];
  });
  const names = fields.map(({ name }) => name);
  // Of several fields with the same name the first one is kept.
  const distinct = fields.filter(({ name }, index) => names.indexOf(name) === index);
  const sorted = distinct.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return asJson(jsonObjectText(sorted));
};

const asJson = (text: string): Sql => ({ text: `CAST(${text} AS JSON)`, type: scalar('JSON') });

function jsonText(value: Sql, node: Node, tr: Translator): string {
  const textFormat = compactFormat((inner) => {
    if (isScalar(inner.type, 'JSON', 'INT64')) return `CAST(${inner.text} AS VARCHAR)`;
    if (isScalar(inner.type, 'NUMERIC')) return asString(inner, node);
    if (isScalar(inner.type, 'FLOAT64')) return `bq.format_point(bq.json_of_float64(${inner.text}))`;
    return scalarText(node)(inner);
  });
  return valueText(value, textFormat, tr);
}

type ScalarText = (value: Sql) => string;

const scalarText =
  (node: Node): ScalarText =>
  (value) => {
    const { text, type } = value;
    if (isScalar(type, 'STRING')) return `bq.json_quoted(${text})`;
    if (isScalar(type, 'BOOL')) return `CAST(${text} AS VARCHAR)`;
    if (isScalar(type, 'INT64')) return `bq.json_of_int64(${text})`;
    if (isScalar(type, 'FLOAT64')) return `bq.json_of_float64(${text})`;
    if (isScalar(type, 'NUMERIC')) return `bq.json_of_numeric(${asString(value, node)})`;
    if (isScalar(type, 'BYTES')) return `'"' || to_base64(${text}) || '"'`;
    if (isScalar(type, 'JSON')) return `bq.json_of_json(${text})`;
    if (isScalar(type, 'DATE', 'TIME')) return `'"' || ${asString(value, node)} || '"'`;
    if (isScalar(type, 'DATETIME')) return `'"' || replace(${asString(value, node)}, ' ', 'T') || '"'`;
    if (isScalar(type, 'TIMESTAMP'))
      return `'"' || replace(replace(${asString(value, node)}, ' ', 'T'), '+00', 'Z') || '"'`;
    throw new Unsupported(node, `JSON of ${describeType(type)} is not supported`);
  };

const asString = (value: Sql, node: Node) => callMacro(node, 'cast_string', [value], 'TO_JSON_STRING').text;

const jsonObjectText = (fields: readonly { readonly name: string; readonly text: string }[]) =>
  `'{' || ${fields.map(({ name, text }) => `${quoteText(`${JSON.stringify(name)}:`)} || ${text}`).join(" || ',' || ") || "''"} || '}'`;

const compactFormat = (text: ScalarText): ValueTextFormat => ({
  null: 'null',
  scalar: text,
  array: (elements) => `'[' || array_to_string(${elements}, ',') || ']'`,
  struct: jsonObjectText,
});

const indentedFormat = (text: ScalarText): ValueTextFormat => ({
  null: 'null',
  scalar: (value) => {
    if (isScalar(value.type, 'JSON')) return "bq.fail('TO_JSON_STRING does not indent JSON')";
    return text(value);
  },
  array: (elements, depth) =>
    `coalesce('[' || ${line(depth + 1)} || nullif(array_to_string(${elements}, ',' || ${line(depth + 1)}), '') || ${line(depth)} || ']', '[]')`,
  struct: (fields, depth) =>
    fields.length === 0
      ? "'{}'"
      : `'{' || ${fields
          .map(
            (field) =>
              `${line(depth + 1)} || ${quoteText(`${JSON.stringify(field.name)}: `)} || ${field.text}`,
          )
          .join(" || ',' || ")} || ${line(depth)} || '}'`,
});

const line = (depth: number) => `chr(10) || '${'  '.repeat(depth)}'`;

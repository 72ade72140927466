import {
  call,
  castTo,
  concatTexts,
  integerLiteral,
  list,
  nullLiteral,
  textLiteral,
  transformList,
} from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { arrayOf, describeType, isScalar, scalar, type Type } from '../../../types.ts';
import { callMacro } from '../../macro-call.ts';
import { type Place, Unsupported } from '../../unsupported.ts';
import type { SpecialFunction } from '../special-function.ts';
import { joinTexts, type ValueTextFormat, valueText } from './value-text.ts';

const string = scalar('STRING');

/** TO_JSON_STRING of a value of any type; `true` as second argument puts each field and element on its own line. */
export const toJsonString: SpecialFunction = (place, [value, pretty, another]) => {
  if (!value || another) throw new Unsupported(place, 'TO_JSON_STRING takes a value and optionally a BOOL');
  if (pretty?.kind === 'literal' && pretty.value === null) return nullLiteral(string);
  if (pretty && (pretty.kind !== 'literal' || typeof pretty.value !== 'boolean'))
    throw new Unsupported(place, 'the second argument of TO_JSON_STRING must be TRUE or FALSE');
  const isPretty = pretty?.kind === 'literal' && pretty.value === true;
  return valueText(value, (isPretty ? indentedFormat : compactFormat)(scalarText(place)));
};

/** Unlike TO_JSON_STRING, TO_JSON keeps large numbers as numbers, unless its second argument is true. */
export const toJson: SpecialFunction = (place, [value, stringify, another]) => {
  if (!value || another) throw new Unsupported(place, 'TO_JSON takes a value');
  if (stringify && (stringify.kind !== 'literal' || typeof stringify.value !== 'boolean'))
    throw new Unsupported(place, 'stringify_wide_numbers must be TRUE or FALSE');
  const isStringified = stringify?.kind === 'literal' && stringify.value === true;
  return asJson(
    isStringified ? valueText(value, valueFormat(wideNumbersAsText(place))) : jsonText(place, value),
  );
};

export const jsonArray: SpecialFunction = (place, items) =>
  asJson(
    enclosed(
      '[',
      joinTexts(
        items.map((item) => jsonText(place, item)),
        ',',
      ),
      ']',
    ),
  );

/** JSON_OBJECT of pairs of a name and a value, or of an array of names and one of values; BigQuery sorts the names. */
export const jsonObject: SpecialFunction = (place, args) => {
  const [names, values] = args.length === 2 ? args : [];
  if (names?.type.kind === 'array' && values?.type.kind === 'array')
    return objectOfArrays(place, names, names.type.element, values, values.type.element);
  if (args.length % 2 === 1) throw new Unsupported(place, 'JSON_OBJECT takes pairs of a name and a value');
  const fields = args.flatMap((name, index) => {
    if (index % 2 === 1) return [];
    requireName(place, name.type);
    return [{ name, text: jsonText(place, args[index + 1] ?? name) }];
  });
  const literals = fields.flatMap(({ name, text }) =>
    name.kind === 'literal' && name.value !== null ? [{ name: String(name.value), text }] : [],
  );
  if (literals.length < fields.length)
    return objectOf(
      list(
        fields.map(({ name }) => name),
        arrayOf(string),
      ),
      list(
        fields.map(({ text }) => text),
        arrayOf(string),
      ),
    );
  return asJson(jsonObjectText(firstOfEach(literals).toSorted((a, b) => (a.name < b.name ? -1 : 1))));
};

function objectOfArrays(
  place: Place,
  names: Expression,
  nameType: Type,
  values: Expression,
  valueType: Type,
): Expression {
  requireName(place, nameType);
  const texts = transformList(values, valueType, (value) => jsonText(place, value), arrayOf(string));
  return objectOf(names, texts);
}

const objectOf = (names: Expression, texts: Expression): Expression =>
  asJson(call('bq.json_object_of', [names, texts], string));

function requireName(place: Place, type: Type): void {
  if (!isScalar(type, 'STRING') && type.kind !== 'unknown')
    throw new Unsupported(place, `JSON_OBJECT takes names of STRING, not ${describeType(type)}`);
}

/** A value of any type as JSON; NULL becomes the JSON null. */
export const asJsonValue = (place: Place, value: Expression): Expression =>
  isScalar(value.type, 'JSON') ? value : asJson(jsonText(place, value));

const asJson = (text: Expression): Expression => castTo(text, scalar('JSON'));

const jsonText = (place: Place, value: Expression): Expression =>
  valueText(
    value,
    valueFormat((inner) => {
      if (isScalar(inner.type, 'JSON', 'INT64')) return castTo(inner, string);
      if (isScalar(inner.type, 'NUMERIC', 'BIGNUMERIC')) return asString(place, inner);
      if (isScalar(inner.type, 'FLOAT64'))
        return callMacro(place, 'format_point', [callMacro(place, 'json_of_float64', [inner])]);
      return scalarText(place)(inner);
    }),
  );

type ScalarText = (value: Expression) => Expression;

/** Like `jsonText`, but numbers beyond FLOAT64's exactness are strings. */
const wideNumbersAsText =
  (place: Place): ScalarText =>
  (value) =>
    isScalar(value.type, 'NUMERIC', 'BIGNUMERIC')
      ? callMacro(place, 'json_of_decimal', [asString(place, value)])
      : isScalar(value.type, 'JSON')
        ? castTo(value, string)
        : scalarText(place)(value);

const scalarText =
  (place: Place): ScalarText =>
  (value) => {
    const { type } = value;
    const replaced = (text: Expression, part: string, other: string) =>
      call('replace', [text, textLiteral(part), textLiteral(other)], string);
    if (isScalar(type, 'STRING')) return callMacro(place, 'json_quoted', [value]);
    if (isScalar(type, 'BOOL')) return castTo(value, string);
    if (isScalar(type, 'INT64')) return callMacro(place, 'json_of_int64', [value]);
    if (isScalar(type, 'FLOAT64')) return callMacro(place, 'json_of_float64', [value]);
    if (isScalar(type, 'NUMERIC', 'BIGNUMERIC'))
      return callMacro(place, 'json_of_numeric', [asString(place, value)]);
    if (isScalar(type, 'BYTES')) return inQuotes(call('to_base64', [value], string));
    if (isScalar(type, 'JSON')) return callMacro(place, 'json_of_json', [value]);
    if (isScalar(type, 'DATE', 'TIME')) return inQuotes(asString(place, value));
    if (isScalar(type, 'INTERVAL')) return inQuotes(callMacro(place, 'json_of_interval', [value]));
    if (isScalar(type, 'DATETIME')) return inQuotes(replaced(asString(place, value), ' ', 'T'));
    if (isScalar(type, 'TIMESTAMP'))
      return inQuotes(replaced(replaced(asString(place, value), ' ', 'T'), '+00', 'Z'));
    if (type.kind === 'unknown') return castTo(value, string);
    throw new Unsupported(place, `JSON of ${describeType(type)} is not supported`);
  };

const asString = (place: Place, value: Expression) =>
  callMacro(place, 'cast_string', [value], 'TO_JSON_STRING');

const enclosed = (open: string, parts: readonly Expression[], close: string): Expression =>
  concatTexts([textLiteral(open), ...parts, textLiteral(close)]);

const inQuotes = (text: Expression) => enclosed('"', [text], '"');

type Fields = Parameters<ValueTextFormat['struct']>[0];

const jsonObjectText = (fields: Fields): Expression =>
  concatTexts([
    ...fields.flatMap(({ name, text }, at) => [
      textLiteral(`${at === 0 ? '{' : ','}${JSON.stringify(name)}:`),
      text,
    ]),
    textLiteral(fields.length === 0 ? '{}' : '}'),
  ]);

const compactFormat = (text: ScalarText): ValueTextFormat => ({
  null: 'null',
  hasBounds: true,
  scalar: text,
  array: (elements) => enclosed('[', [call('array_to_string', [elements, textLiteral(',')], string)], ']'),
  struct: jsonObjectText,
});

/** A JSON value: TO_JSON_STRING alone writes all fields with equal names. */
const valueFormat = (text: ScalarText): ValueTextFormat => ({
  ...compactFormat(text),
  struct: (fields) => jsonObjectText(firstOfEach(fields)),
});

/** Of several fields with the same name the first one is kept. */
const firstOfEach = (fields: Fields): Fields =>
  fields.filter(({ name }, index) => fields.findIndex((other) => other.name === name) === index);

const indentedFormat = (text: ScalarText): ValueTextFormat => ({
  null: 'null',
  hasBounds: true,
  scalar(value, depth) {
    if (!isScalar(value.type, 'JSON')) return text(value);
    return call('bq.json_indented', [text(value), integerLiteral(depth)], string);
  },
  array(elements, depth) {
    const joined = call('array_to_string', [elements, textLiteral(`,${line(depth + 1)}`)], string);
    const inside = call('nullif', [joined, textLiteral('')], string);
    const lines = enclosed(`[${line(depth + 1)}`, [inside], `${line(depth)}]`);
    // An empty array has no lines.
    const inOneLine = concatTexts([textLiteral('['), joined, textLiteral(']')]);
    return call('coalesce', [lines, inOneLine], string);
  },
  struct(fields, depth) {
    if (fields.length === 0) return textLiteral('{}');
    const members = fields.map(({ name, text }) =>
      concatTexts([textLiteral(`${line(depth + 1)}${JSON.stringify(name)}: `), text]),
    );
    return enclosed('{', joinTexts(members, ','), `${line(depth)}}`);
  },
});

const line = (depth: number) => `\n${'  '.repeat(depth)}`;

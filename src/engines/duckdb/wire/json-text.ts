import {
  call,
  caseWhen,
  castTo,
  concatTexts,
  type Expression,
  integerLiteral,
  isNull,
  list,
  type Member,
  not,
  nullLiteral,
  operation,
  type RecordValue,
  struct,
  textLiteral,
  transformList,
} from '@querygate/bigquery-sql/tree';
import { scalar, storedFields, type Type, unknown } from '@querygate/bigquery-sql/types';
import { type LargeIntegers, unsafeInteger } from '../../../engine-contract/engine-errors.ts';

const text = scalar('STRING');

/**
 * A value as JSON text; NULL if it is NULL, unless it is an array. For nested records, serializing in the database costs
 * a tenth of building JavaScript objects.
 *
 * @param value cheap to repeat: a column, or a record of columns
 * @param large what becomes of integers that JSON numbers cannot represent
 */
export function jsonText(value: Expression, type: Type, large: LargeIntegers = 'fail'): Expression {
  if (value.kind === 'record') return recordText(value, type, large);
  const json = castTo(call('to_json', [wireValue(value, type, large)]), text);
  return type.kind === 'array' ? json : caseWhen(not(isNull(value)), json, undefined, text);
}

/**
 * A record whose fields are columns as JSON text, the same text as of the record in one piece. The parts are
 * concatenated as text: building the nested values first would take DuckDB five times as long.
 */
function recordText(record: RecordValue, type: Type, large: LargeIntegers): Expression {
  const { present, repeated } = record;
  const element = type.kind === 'array' ? type.element : type;
  const object = objectText(record, element, large);
  if (!repeated) return caseWhen(present, object, undefined, text);
  const array = call('concat', [textLiteral('['), object, textLiteral(']')], text);
  return caseWhen(present, array, textLiteral('[]'), text);
}

function objectText({ fields }: RecordValue, type: Type, large: LargeIntegers): Expression {
  const typeAt = (at: number) => (type.kind === 'struct' ? type.fields[at]?.type : undefined) ?? unknown;
  const members = runsOf(fields).map(([from, to]) => {
    const [first] = fields.slice(from, to);
    if (first?.value.kind === 'record') {
      const inner = call(
        'coalesce',
        [recordText(first.value, typeAt(from), large), textLiteral('null')],
        text,
      );
      return concatTexts([textLiteral(`${JSON.stringify(first.name)}:`), inner]);
    }
    const plain = fields
      .slice(from, to)
      .map(({ name, value }, at) => ({ name, value: wireValue(value, typeAt(from + at), large) }));
    const json = castTo(call('to_json', [struct(plain)]), text);
    // Without its braces.
    return call('left', [call('right', [json, integerLiteral(-1)], text), integerLiteral(-1)], text);
  });
  const separated = members.flatMap((member, at) => (at === 0 ? [member] : [textLiteral(','), member]));
  return call('concat', [textLiteral('{'), ...separated, textLiteral('}')], text);
}

/** Splits fields into runs: each record alone, and the plain fields between two records together. */
function runsOf(fields: readonly Member[]): readonly (readonly [from: number, to: number])[] {
  const isRecord = (at: number) => fields[at]?.value.kind === 'record';
  const starts = [...fields.keys()].filter((at) => at === 0 || isRecord(at) || isRecord(at - 1));
  return starts.map((from, at) => [from, starts[at + 1] ?? fields.length]);
}

/** The largest integer that JSON readers with double precision keep exact, 2^53 − 1. */
const safeInteger = Number.MAX_SAFE_INTEGER;

/** A value whose `to_json` is the value as REST sends it. */
function wireValue(value: Expression, type: Type, large: LargeIntegers): Expression {
  switch (type.kind) {
    case 'array':
      return wireList(value, type.element, large);
    case 'struct':
      return wireStruct(value, type, large);
    case 'scalar':
      return wireScalar(value, type, large);
    default:
      return value;
  }
}

function wireScalar(
  value: Expression,
  type: Extract<Type, { kind: 'scalar' }>,
  large: LargeIntegers,
): Expression {
  switch (type.name) {
    case 'INT64': {
      const isSafe = operation('BETWEEN', [value, integerLiteral(-safeInteger), integerLiteral(safeInteger)]);
      if (large === 'text') {
        const json = (part: Expression) => call('to_json', [part], scalar('JSON'));
        return caseWhen(isSafe, json(value), json(castTo(value, text)), scalar('JSON'));
      }
      const failure = call('error', [textLiteral(unsafeInteger)], type);
      const branches = [
        { when: isSafe, result: value },
        { when: not(isNull(value)), result: failure },
      ];
      return { kind: 'case', branches, type };
    }
    case 'FLOAT64':
      return caseWhen(call('isfinite', [value], scalar('BOOL')), value);
    case 'BIGNUMERIC':
      // It is stored as an integer.
      return call('host_bignumeric_text', [value], text);
    case 'NUMERIC': {
      const zeros = textLiteral('(\\.\\d*[1-9])0+$|\\.0+$');
      return call('regexp_replace', [castTo(value, text), zeros, textLiteral('\\1')], text);
    }
    case 'TIMESTAMP':
      return call('epoch_us', [value], scalar('INT64'));
    case 'DATETIME':
      return call('replace', [castTo(value, text), textLiteral(' '), textLiteral('T')], text);
    case 'BYTES':
      return call('base64', [value], text);
    default:
      return value;
  }
}

/** BigQuery has no NULL arrays in results: NULL becomes an empty array. */
function wireList(value: Expression, element: Type, large: LargeIntegers): Expression {
  const items = call('coalesce', [value, list([], value.type)], value.type);
  const isUnchanged = wireValue(nullLiteral(element), element, large).kind === 'literal';
  return isUnchanged ? items : transformList(items, element, (item) => wireValue(item, element, large));
}

function wireStruct(
  value: Expression,
  type: Extract<Type, { kind: 'struct' }>,
  large: LargeIntegers,
): Expression {
  const names = storedFields(type.fields);
  const fields = type.fields.map((field, at) => {
    const own = call('struct_extract_at', [value, integerLiteral(at + 1)], field.type);
    return { own, name: names[at] ?? '', value: wireValue(own, field.type, large) };
  });
  if (fields.every(({ own, value: wire }) => own === wire)) return value;
  return caseWhen(not(isNull(value)), struct(fields.map(({ name, value: wire }) => ({ name, value: wire }))));
}

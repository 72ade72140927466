import { call, castTo, concatTexts, integerLiteral, nullLiteral, operation } from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { nowParameter } from '../../../tree/own-parameters.ts';
import { describeType, isScalar, scalar, type Type } from '../../../types.ts';
import { convert } from '../../coercion.ts';
import { callMacro } from '../../macro-call.ts';
import { type Place, Unsupported } from '../../unsupported.ts';
import { parseCastFormat, readElement, writeElement } from './cast-elements.ts';
import { formattedTime } from './format-time.ts';
import { parsedTime, type TimeType } from './parse-time.ts';
import { timePatternOf } from './time-pattern.ts';

const [string, int64] = [scalar('STRING'), scalar('INT64')];

/** What is wrong with the format of a CAST: SAFE_CAST gives NULL for it. */
export class InvalidFormat extends Unsupported {}

/** `CAST(value AS type FORMAT format AT TIME ZONE zone)`. */
export function castWithFormat(
  place: Place,
  value: Expression,
  type: Type,
  format: Expression,
  zone: Expression | undefined,
): Expression {
  const written = constantText(format);
  if (written === undefined) throw new Unsupported(place, 'the format of CAST must be a string literal');
  if (written === null || value.type.kind === 'null') return nullLiteral(type);
  if (isScalar(value.type, 'BYTES') || isScalar(type, 'BYTES')) return castBytes(place, value, type, written);
  if (isScalar(type, 'STRING')) return castToText(place, value, written, zone);
  if (!isScalar(value.type, 'STRING'))
    throw new Unsupported(
      place,
      `cannot cast ${describeType(value.type)} to ${describeType(type)} by a format`,
    );
  return castFromText(place, value, type, written, zone);
}

/** The text of a literal, or of several joined by `||`; null for NULL. */
function constantText(node: Expression): string | null | undefined {
  if (node.kind === 'literal')
    return node.value === null || isScalar(node.type, 'STRING') ? (node.value as string | null) : undefined;
  if (node.kind !== 'operation' || node.operator !== '||') return undefined;
  const parts = node.operands.map(constantText);
  if (parts.includes(undefined)) return undefined;
  return parts.includes(null) ? null : parts.join('');
}

const timeTypes: readonly TimeType[] = ['DATE', 'DATETIME', 'TIME', 'TIMESTAMP'];

const timeTypeOf = (type: Type): TimeType | undefined => timeTypes.find((name) => isScalar(type, name));

function castToText(
  place: Place,
  value: Expression,
  format: string,
  zone: Expression | undefined,
): Expression {
  const type = timeTypeOf(value.type);
  if (!type) throw new Unsupported(place, `CAST of ${describeType(value.type)} by a format is not supported`);
  const elements = elementsOf(place, format).map((element) => {
    const parts = writeElement(element, type);
    if (parts) return parts;
    throw new InvalidFormat(place, `the format element ${element} is not valid for ${type}`);
  });
  return formattedTime(place, elements.flat(), type, value, zone);
}

function elementsOf(place: Place, format: string): readonly string[] {
  const elements = parseCastFormat(format);
  if (elements) return elements;
  throw new InvalidFormat(place, `${JSON.stringify(format)} is not a format of CAST`);
}

const now: Expression = { kind: 'parameter', name: nowParameter, type: scalar('TIMESTAMP') };

function castFromText(
  place: Place,
  value: Expression,
  to: Type,
  format: string,
  zone: Expression | undefined,
): Expression {
  const type = timeTypeOf(to);
  if (!type) throw new Unsupported(place, `CAST AS ${describeType(to)} by a format is not supported`);
  const elements = elementsOf(place, format);
  const steps = elements.map((element) => {
    const step = readElement(element, type);
    if (step) return step;
    throw new InvalidFormat(place, `the format element ${element} is not valid to read ${type}`);
  });
  const kinds = steps.flatMap(({ kind }) => (kind === undefined ? [] : [kind]));
  const repeated = kinds.find((kind, at) => kinds.indexOf(kind) !== at);
  if (repeated) throw new InvalidFormat(place, `the format has more than one element for the ${repeated}`);
  // What the format does not read is the first day of the current month.
  const civil = call(
    'bq.civil',
    [now, zone ?? convert({ kind: 'literal', type: string, value: 'UTC' }, string)],
    scalar('DATETIME'),
  );
  const missing = { year: call('year', [civil], int64), month: call('month', [civil], int64) };
  return parsedTime(place, type, timePatternOf(steps, missing), value, zone);
}

/** The encodings of BYTES as text. */
function castBytes(place: Place, value: Expression, type: Type, format: string): Expression {
  const name = format.toUpperCase().replace('UTF-8', 'UTF8').replace('BASE16', 'HEX');
  const isText = isScalar(type, 'STRING') && isScalar(value.type, 'BYTES');
  if (!isText && !(isScalar(type, 'BYTES') && isScalar(value.type, 'STRING')))
    throw new Unsupported(
      place,
      `cannot cast ${describeType(value.type)} to ${describeType(type)} by a format`,
    );
  switch (name) {
    case 'HEX':
      return callMacro(place, isText ? 'to_hex' : 'from_hex', [value]);
    case 'BASE64':
      return callMacro(place, isText ? 'to_base64' : 'from_base64', [value]);
    case 'BASE32':
      return callMacro(place, isText ? 'to_base32' : 'from_base32', [value]);
    case 'UTF8':
      return callMacro(place, isText ? 'cast_string' : 'cast_bytes', [value]);
    case 'ASCII':
      return asciiOnly(place, value, isText);
    case 'BASE2':
    case 'BASE8':
    case 'BASE64M':
      throw new Unsupported(place, `the format ${name} of BYTES is not supported`);
    default:
      throw new InvalidFormat(place, `${JSON.stringify(format)} is not a format of BYTES`);
  }
}

/** Fails for characters beyond ASCII, whose code points ASCII refuses. */
function asciiOnly(place: Place, value: Expression, isText: boolean): Expression {
  const points = callMacro(place, 'to_code_points', [value]);
  const highest = call('list_max', [points], int64);
  const fits = operation('<', [call('coalesce', [highest, integerLiteral(0)], int64), integerLiteral(128)]);
  const converted = callMacro(place, isText ? 'cast_string' : 'cast_bytes', [value]);
  const fail = castTo(
    call('bq.fail', [concatTexts([convert({ kind: 'literal', type: string, value: 'not ASCII' }, string)])]),
    converted.type,
  );
  return {
    kind: 'case',
    branches: [{ when: fits, result: converted }],
    otherwise: fail,
    type: converted.type,
  };
}

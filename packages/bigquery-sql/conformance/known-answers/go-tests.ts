import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { intervalText } from '../cli-answer.ts';
import { canonicalJson } from '../scalar-text.ts';
import type { Answer, Value } from '../values.ts';
import { goField, type GoValue, goValuesWith } from './go-values.ts';
import { isInSomeOrder, type KnownAnswer } from './known-answer.ts';

const file = 'query_test.go';

/** The statements of `query_test.go` of go-zetasqlite, with their rows or that they fail. */
export function goTests(checkout: string): readonly KnownAnswer[] {
  return goValuesWith('name', readFileSync(join(checkout, file), 'utf8')).flatMap((test) => {
    const [name, query] = [goField(test, 'name'), goField(test, 'query')];
    if (name?.kind !== 'text' || query?.kind !== 'text') return [];
    const rows = itemsOf(goField(test, 'expectedRows'));
    const fails = goField(test, 'expectedErr') !== undefined;
    return [
      {
        source: `${file} ${name.text}`,
        sql: query.text,
        ...(goField(test, 'args') && { skipped: 'has values for parameters' }),
        isStated: (answer) => (fails ? 'error' in answer : hasRows(answer, rows)),
      } satisfies KnownAnswer,
    ];
  });
}

const itemsOf = (value: GoValue | undefined): readonly GoValue[] =>
  value?.kind === 'list' ? value.items : [];

function hasRows(answer: Answer, rows: readonly GoValue[]): boolean {
  if ('error' in answer) return false;
  const found = answer.rows.map((row): Value => ({ type: 'ARRAY', items: row }));
  return isInSomeOrder(found, rows, isSame);
}

/** Structs are lists of maps of one field. */
function isSame(value: Value, stated: GoValue): boolean {
  if (value === null) return isNil(stated) || (itemsOf(stated).length === 0 && stated.kind === 'list');
  if (value.type === 'ARRAY') {
    if (isNil(stated)) return value.items.length === 0;
    return stated.kind === 'list' && isInSomeOrder(value.items, stated.items, isSame);
  }
  if (value.type === 'STRUCT') {
    const fields = itemsOf(stated).flatMap((item) => (item.kind === 'list' ? item.pairs : []));
    return (
      fields.length === value.fields.length &&
      value.fields.every((field, at) => {
        const own = fields[at]?.value;
        return own !== undefined && isSame(field.value, own);
      })
    );
  }
  const text = isNil(stated) ? undefined : textOf(stated);
  return text !== undefined && isSameText(value.type, value.text, text);
}

const isNil = (value: GoValue) => value.kind === 'name' && value.name === 'nil';

/** The text of a scalar; undefined for what Go computes. */
function textOf(value: GoValue): string | undefined {
  if (value.kind === 'text' || value.kind === 'number') return value.text;
  if (value.kind === 'name') return value.name;
  const [first] = value.kind === 'call' ? value.args : [];
  const isWritten =
    value.kind === 'call' && /^(int64|float64|createTimestampFormatFromString)$/.test(value.name);
  return isWritten && first ? textOf(first) : undefined;
}

function isSameText(type: string, found: string, stated: string): boolean {
  switch (type) {
    case 'FLOAT64':
      return isNear(Number(found), Number(stated.replace(/^([+-]?)inf$/i, '$1Infinity')));
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return isNear(Number(found), Number(stated));
    case 'BYTES':
      return (
        found === Buffer.from(stated, 'base64').toString('hex') ||
        found === Buffer.from(stated).toString('hex')
      );
    case 'JSON':
      return isJson(stated) && found === canonicalJson(stated);
    case 'INTERVAL':
      return found === intervalText(stated);
    case 'DATETIME':
    case 'TIMESTAMP':
    case 'TIME':
      return momentText(found) === momentText(stated);
    default:
      return found === stated;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** As the tests themselves compare them. */
const isNear = (a: number, b: number): boolean =>
  Object.is(a, b) || a === b || Math.abs(a - b) <= Math.abs(a + b) * 5e-6;

/** A moment without its zone, which is UTC, and without zeros at its end. */
const momentText = (text: string): string =>
  text
    .replace(/ ?(?:\+00(?::?00)?|Z|UTC)$/, '')
    .replace(' ', 'T')
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');

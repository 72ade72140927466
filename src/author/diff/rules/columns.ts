import { type Rules, rule } from './rule.ts';

/** Changes of columns, and fields of records. */
export const columnRules = {
  'column-added': rule('safe', 'safe', 'a column is new', 'a further member of each row, a further field'),
  'column-removed': rule(
    'breaking',
    'breaking',
    'a column, or a field of a record, is removed',
    'rows lack it, and operations that select it are invalid',
  ),
  'column-order': rule(
    'dangerous',
    'safe',
    'columns have another order, or a new one is not the last',
    'CSV, Arrow and Parquet have another order of columns',
  ),
  'column-widened': rule(
    'dangerous',
    'dangerous',
    '`integer` became `float`',
    'numbers may have a fraction; Arrow and Parquet have another type',
  ),
  'column-narrowed': rule(
    'dangerous',
    'safe',
    '`float` became `integer`',
    'Arrow and Parquet have another type; JSON has numbers as before',
  ),
  'column-text': rule(
    'dangerous',
    'dangerous',
    '`string` became `numeric`, `datetime`, `date` or `time`, or the reverse',
    'a text, but perhaps written in another way',
  ),
  'column-wire': rule(
    'breaking',
    'dangerous',
    '`timestamp` became `string`, or the reverse',
    'text instead of microseconds in REST, or the reverse; GraphQL has text, perhaps written in another way',
  ),
  'column-type': rule(
    'breaking',
    'breaking',
    'any other change of a column’s type, also between one value and a list',
    'values of another type or with another meaning',
  ),
  'column-record': rule(
    'safe',
    'breaking',
    'a record has fields with types in GraphQL, or is any JSON again',
    'REST is as before; operations must select fields, or must not',
  ),
  'field-renamed': rule(
    'safe',
    'breaking',
    'a field of a record has another name in GraphQL, for one beside it would have the same',
    'REST is as before; operations with the former name are invalid, or get the other field',
  ),
  'column-nullable': rule(
    'breaking',
    'breaking',
    'a column is no longer `required`',
    'rows may lack it, and the field may be null',
  ),
  'column-required': rule('safe', 'safe', 'a column became `required`', 'nothing'),
  'column-unit': rule(
    'dangerous',
    'dangerous',
    'a column has another unit',
    'the same types, but the numbers mean something else',
  ),
} as const satisfies Rules;

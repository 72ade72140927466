import { describe, expect, test } from 'vitest';
import { fitsSchemas } from '../../../src/catalog/binding/describe-parameter.ts';
import { exampleParameters } from '../../../src/catalog/binding/example-parameters.ts';
import { parseSavedQuery } from '../../../src/catalog/header/parse-saved-query.ts';
import { draftQuery, queryText } from '../../support/queries.ts';

const sqlOf = (sql: string, parameter: string) =>
  queryText({ columns: { x: 'integer' }, parameters: { p: `{ ${parameter}, description: P. }` }, sql });

const problemsOf = (parameter: string, sql = 'select @p as x') =>
  parseSavedQuery('q', 'q.sql', sqlOf(sql, parameter)).problems.map(
    ({ line, message }) => `${line} ${message}`,
  );

const parameterOf = (parameter: string, sql = 'select @p as x') =>
  draftQuery({ columns: { x: 'integer' }, parameters: { p: `{ ${parameter}, description: P. }` }, sql })
    .parameters[0];

describe('the keys of a parameter', () => {
  test('a pattern keeps its blanks, and a block of YAML ends without a line end', () => {
    expect(parameterOf('type: string, pattern: "^a "')?.pattern).toBe('^a ');
    expect(parameterOf('type: string, pattern: " "')?.pattern).toBe(' ');
    expect(problemsOf('type: string, pattern: ""').join()).toContain('pattern: must not be empty');
    expect(problemsOf('type: string, pattern: "^a ", default: a').join()).toContain(
      'default: must match ^a ',
    );
    const block = '\n    type: string\n    description: P.\n    pattern: |\n      ^a +$\n';
    const text = queryText({ columns: { x: 'integer' }, parameters: { p: block }, sql: 'select @p as x' });
    const { query, problems } = parseSavedQuery(
      'q',
      'q.sql',
      text.replace('{ type: \n', '\n').replace('\n, description: About p. }', ''),
    );
    expect([problems, query?.parameters[0]?.pattern]).toEqual([[], '^a +$']);
    const given = { p: '{ type: pattern, tenant: true, tenant_pattern: "^/{p}/ ", description: P. }' };
    expect(
      draftQuery({ columns: { x: 'integer' }, parameters: given, sql: 'select @p as x' }).tenant?.pattern,
    ).toBe('^/{p}/ ');
  });

  test.each([
    ['type: string, bind: INT64', 'bind: a parameter of type string can be bound as STRING'],
    ['type: integer, bind: int64', 'bind: must be one of STRING, INT64'],
    ['type: float, bind: INT64', 'bind: a parameter of type float can be bound as STRING, FLOAT64'],
    ['type: date, bind: NUMERIC', 'bind: a parameter of type date can be bound as STRING, DATE'],
    ['type: float, bind: NUMERIC, default: "1e-10"', 'default: must be a number of at most 29 digits before'],
    [
      'type: float, bind: NUMERIC, min: "1.1", max: "1.10", default: 1.2',
      'default: must be between 1.1 and 1.1',
    ],
    ['type: date, bind: TIMESTAMP', 'bind: a parameter of type date can be bound as STRING, DATE'],
    ['type: pattern, repeated: true', 'repeated: a pattern cannot be repeated'],
    ['type: integer, max_items: 3', 'max_items: needs repeated: true'],
    ['type: integer, repeated: true, max_items: 0', 'max_items: '],
    ['type: integer, repeated: true, max_items: 10001', 'max_items: '],
    ['type: integer, max_length: 3', 'max_length: needs type: string'],
    ['type: integer, pattern: x', 'pattern: needs type: string'],
    ['type: string, max_length: 5000', 'max_length: '],
    ['type: string, pattern: "["', 'pattern: must be a regular expression in RE2 syntax'],
    ['type: string, pattern: "(?=a)"', 'pattern: must be a regular expression in RE2 syntax'],
    ['type: string, pattern: "(a{1000}){1000}"', 'pattern: must be a regular expression of at most'],
    [
      'type: string, pattern: "[a-z]{257}"',
      'pattern: must be a regular expression of at most 256 characters',
    ],
    ['type: string, min: a', 'min: only an integer, a float, a date, a datetime and a timestamp have bounds'],
    ['type: boolean, max: true', 'max: only an integer'],
    ['type: integer, min: 1.5', 'min: must be an integer'],
    ['type: integer, min: 5, max: 4', 'min: 5 is more than max, 4'],
    ['type: float, min: one', 'min: must be a number'],
    ['type: date, min: 2026-02-30', 'min: must be a date, as in 2026-01-31, or relative to today, as in -1d'],
    ['type: date, min: -1h', 'min: a date is relative by days or weeks, as in -1d'],
    ['type: date, min: 0d, max: -1d', 'min: 0d is more than max, -1d'],
    ['type: timestamp, max: 12:00', 'max: must be an ISO 8601 timestamp'],
    ['type: datetime, min: 2026-01-01T00:00:00Z', 'min: must be a date and time without a time zone'],
    ['type: integer, min: 3, default: 2', 'default: must be at least 3'],
    ['type: integer, max: 3, example: 4', 'example: must be at most 3'],
    ['type: integer, min: 1, max: 3, default: 4', 'default: must be between 1 and 3'],
    ['type: integer, default: 12345678901234567890', 'default: must be an integer'],
    ['type: integer, default: 0x10', 'default: must be an integer'],
    ['type: string, default: null', 'default: must be text, a number, true or false'],
    ['type: integer, default: [1, 2]', 'default: a list needs repeated: true'],
    ['type: integer, repeated: true, default: [1, x]', 'default: value 2: must be an integer'],
    ['type: integer, repeated: true, max_items: 1, default: [1, 2]', 'default: has 2 values; the limit is 1'],
    [`type: string, default: ${'a'.repeat(4_097)}`, 'default: has 4097 characters; the limit is 4096'],
    ['type: string, example: "a\\0b"', 'example: contains a NUL byte'],
    [
      `type: string, repeated: true, default: [${Array(17).fill('a'.repeat(4_096)).join(', ')}]`,
      'default: has values of 69632 characters in all; the limit is 65536',
    ],
    ['type: integer, repeated: true, default: [1, [2]]', 'default.1: must be text, a number, true or false'],
    [
      'type: integer, repeated: true, required: true, default: [1]',
      'default: a required parameter cannot have a default',
    ],
    ['type: integer, default: -1d', 'default: must be an integer'],
    ['type: string, max_length: 2, default: abc', 'default: must have at most 2 characters'],
    ['type: string, pattern: ^a, example: b', 'example: must match ^a'],
    ['type: date, default: -1h', 'default: a date is relative by days or weeks'],
    [
      'type: date, default: -1x',
      'default: must be a date, as in 2026-01-31, or relative to today, as in -1d',
    ],
    ['type: date, default: -8d, min: -7d', 'default: must be at least '],
    ['type: timestamp, default: -999999d', 'default: must be an ISO 8601 timestamp'],
    [
      'type: timestamp, default: yesterday',
      'default: must be an ISO 8601 timestamp, as in 2026-01-31T12:00:00Z, or relative to now, as in -12h',
    ],
  ])('%s is refused', (parameter, message) => {
    const problems = problemsOf(parameter);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`7 parameters.p.${message}`);
  });

  test('a pattern with many line breaks before its end is refused', () => {
    const [problem] = problemsOf(`type: string, pattern: "a${'\\n'.repeat(100_000)}b"`);
    expect(problem).toContain('pattern: must be a regular expression of at most 1024 characters');
  });

  test.each([
    ['type: date, default: 2001-01-01, min: -7d, max: 0d', { default: '2001-01-01' }],
    ['type: date, example: -7d, min: 2999-01-01', { example: '-7d' }],
    ['type: date, default: -7d, min: -7d, max: 0d', { default: '-7d', min: '-7d', max: '0d' }],
    ['type: timestamp, min: 2026-01-01, default: +2w', { min: '2026-01-01T00:00:00.000000Z' }],
    ['type: integer, min: "+5"', { min: '5' }],
    ['type: integer, repeated: true', { repeated: true, bind: 'INT64' }],
    ['type: integer, repeated: true, bind: FLOAT64, default: 5', { bind: 'FLOAT64', default: ['5'] }],
    ['type: date, repeated: true', { bind: 'DATE' }],
    ['type: string, default: -1d', { default: '-1d' }],
    ['type: string, default: 1.10, example: 0012', { default: '1.10', example: '0012' }],
    ['type: string, default: 0x1F, example: True', { default: '0x1F', example: 'True' }],
    ['type: string, default: 1e3, example: +49', { default: '1e3', example: '+49' }],
    ['type: string, default: &v 1.10, example: *v', { default: '1.10', example: '1.10' }],
    [
      'type: string, repeated: true, default: [1.10, 12345678901234567890]',
      { default: ['1.10', '12345678901234567890'] },
    ],
    ['type: integer, bind: INT64, default: 010, max: 9007199254740993', { max: '9007199254740993' }],
    ['type: boolean, bind: BOOL, default: True', { default: 'True' }],
  ])('%s is accepted as %j', (parameter, expected) => {
    expect(problemsOf(parameter)).toEqual([]);
    expect(parameterOf(parameter)).toMatchObject(expected);
  });

  test('a parameter without any of them is as before', () => {
    expect(parameterOf('type: integer')).toEqual({
      name: 'p',
      type: 'integer',
      description: 'P.',
      required: false,
      default: undefined,
      example: undefined,
    });
    expect(parameterOf('type: string, repeated: true')).not.toHaveProperty('bind');
  });
});

describe('LIMIT and OFFSET', () => {
  const limit = 'select x from t\nlimit @p';
  test.each([
    ['type: integer, bind: INT64', limit, '12 LIMIT @p: @p is NULL if it is absent, and LIMIT takes no NULL'],
    ['type: integer, bind: INT64', 'select x from t limit 5\nOFFSET  @p', '12 OFFSET @p: @p is NULL'],
    [
      'type: integer, bind: INT64',
      'select x from t limit /* at * most */ -- rows\n# of t\n @p',
      '13 LIMIT @p: @p is NULL',
    ],
    ['type: integer, bind: INT64, default: -1', limit, '12 LIMIT @p: its default is negative'],
  ])('%s is refused in %s', (parameter, sql, message) => {
    const problems = problemsOf(parameter, sql);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(message);
  });

  test.each([
    ['type: integer, bind: INT64, default: 5', limit, '0'],
    ['type: integer, bind: INT64, required: true', limit, '0'],
    ['type: integer, bind: INT64, default: 5, min: 1', limit, '1'],
    ['type: integer', 'select x from t limit cast(@p as int64)', undefined],
    [
      'type: integer, bind: INT64',
      "select x from t where x > @p -- limit @p\n and y != 'limit @p'",
      undefined,
    ],
    ['type: integer, bind: INT64', 'select [1, 2][offset(@p)] as x', undefined],
  ])('%s in %s', (parameter, sql, min) => {
    expect(problemsOf(parameter, sql)).toEqual([]);
    expect(parameterOf(parameter, sql)?.min).toBe(min);
  });
});

describe('what looks like a number of YAML', () => {
  const valuesOf = (values: string) => `type: enum, enum: Version, values: ${values}`;
  const one = 'name: ONE, description: One.';
  const two = 'name: TWO, description: Two.';

  test('is a value of an enum, and another spelling of it, as it is written', () => {
    const declared = valuesOf(
      `{ 1.10: { ${one}, also: [01.1] }, 1.1: { ${two} }, True: { name: YES, description: Yes. } }`,
    );
    expect(problemsOf(declared)).toEqual([]);
    expect(parameterOf(declared)).toMatchObject({
      values: [{ value: '1.10', also: ['01.1'] }, { value: '1.1' }, { value: 'True' }],
    });
    expect(problemsOf(valuesOf(`{ 8001: { ${one}, also: [08001] } }`))).toEqual([]);
  });

  test('is one key with the same text in quotes', () => {
    expect(problemsOf(valuesOf(`{ 1: { ${one} }, "1": { ${two} } }`))[0]).toContain(
      'this key is there already',
    );
  });

  test('is a value of a set to keep warm, as it is written', () => {
    const query = draftQuery({
      columns: { x: 'integer' },
      parameters: { p: '{ type: string, description: P. }' },
      caching: ['caching: 60s', 'cache_warming: 30s', 'warm: [{ p: 1.10 }, { p: 0x1F }]'],
      sql: 'select @p as x',
    });
    expect(query.warm).toEqual([{ p: '1.10' }, { p: '0x1F' }]);
  });
});

test('a decimal that numbers of JSON would round is in no schema', () => {
  const fits = (text: string, bind: string) => {
    const parameter = parameterOf(`type: float, bind: ${bind}, default: '${text}'`);
    if (parameter === undefined) throw new Error('no parameter');
    return fitsSchemas(parameter, text);
  };
  expect(fits('0.10', 'NUMERIC')).toBe(true);
  expect(fits('12345678901234567.1', 'NUMERIC')).toBe(false);
  expect(fits('12345678901234567.1', 'FLOAT64')).toBe(true);
});

test('examples reach the SQL in the spelling of values', () => {
  const exampleOf = (parameter: string) => {
    const query = draftQuery({
      columns: { x: 'integer' },
      parameters: { p: `{ ${parameter}, description: P. }` },
      sql: 'select @p as x',
    });
    return exampleParameters(query).p;
  };
  expect(exampleOf("type: timestamp, bind: TIMESTAMP, example: '2026-01-31 12:00'")).toBe(
    '2026-01-31T12:00:00.000000Z',
  );
  expect(exampleOf("type: integer, repeated: true, default: ['+7', 08]")).toEqual(['7', '8']);
  expect(exampleOf("type: boolean, bind: BOOL, example: 'TRUE'")).toBe('true');
  expect(exampleOf('type: string')).toBe('');
});

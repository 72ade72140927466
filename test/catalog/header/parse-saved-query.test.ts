import { describe, expect, test } from 'vitest';
import { parseSavedQuery } from '../../../src/catalog/header/parse-saved-query.ts';
import { queryText } from '../../support/queries.ts';

const problemsOf = (text: string) =>
  parseSavedQuery('draft', 'draft.sql', text).problems.map(({ line, message }) => `${line} ${message}`);

const header = (lines: string[], sql = 'select 1 as x') =>
  [
    '/*---',
    'id: 3b241101-e2bb-4255-8caf-4136c566a962',
    'description: About it.',
    ...lines,
    '---*/',
    sql,
  ].join('\n');
const plain = ['max_rows: 10', 'caching: 900s', 'columns:', '  x: { type: integer, description: X. }'];

describe('a saved-query file', () => {
  test('is parsed to a saved query', () => {
    const text = header(
      [
        'max_rows: 10',
        'aliases: [Old.Name, 9DD9A6F6-8E9B-4fa4-b682-4f2f5cd99da3]',
        'caching: 900s',
        'cache_warming: 300s',
        'parameters:',
        '  n: { type: integer, default: 5, description: N. }',
        '  unit:',
        '    type: enum',
        '    enum: Unit',
        '    required: true',
        '    description: The unit.',
        '    values:',
        '      1s: { name: SECOND, also: [sec, 1], description: A second. }',
        'columns:',
        '  x: { type: integer, unit: ms, required: true, description: X. }',
      ],
      "select @n as x where @unit != '' -- @comment\n",
    );
    expect(parseSavedQuery('a.name', 'queries/a.name.sql', text).query).toEqual({
      id: '3b241101-e2bb-4255-8caf-4136c566a962',
      name: 'a.name',
      aliases: ['Old.Name', '9dd9a6f6-8e9b-4fa4-b682-4f2f5cd99da3'],
      description: 'About it.',
      sql: "select @n as x where @unit != '' -- @comment\n",
      source: { file: 'queries/a.name.sql', line: 20 },
      isDefault: false,
      isStrict: false,
      maxRows: 10,
      caching: { ttlSeconds: 900, warmingSeconds: 300, staleIfErrorSeconds: 900 },
      warm: [],
      tags: [],
      labels: [],
      parameters: [
        { name: 'n', type: 'integer', required: false, default: '5', example: undefined, description: 'N.' },
        {
          name: 'unit',
          type: 'enum',
          enum: 'Unit',
          required: true,
          default: undefined,
          example: undefined,
          unknown: 'refuse',
          description: 'The unit.',
          values: [{ value: '1s', also: ['sec', '1'], name: 'SECOND', description: 'A second.' }],
        },
      ],
      columns: [
        { name: 'x', type: 'integer', repeated: false, required: true, unit: 'ms', description: 'X.' },
      ],
      querySandboxing: 'disabled',
    });
  });

  test('may have a byte order mark and Windows line endings', () => {
    const { query } = parseSavedQuery(
      'draft',
      'draft.sql',
      `\uFEFF${header(plain).replaceAll('\n', '\r\n')}`,
    );
    expect(query?.source.line).toBe(9);
  });

  test.each([
    ['no header', 'select 1', ['1 must start with a YAML header between /*--- and ---*/']],
    [
      'SQL before the header',
      `select 0;\n${header(plain)}`,
      ['1 must start with a YAML header between /*--- and ---*/'],
    ],
    [
      'the end of the comment in the header',
      header([...plain, '# Every */5 minutes.']),
      [
        '8 has */, which ends the comment of the header in BigQuery: write * / in a comment, and "*\\/" in double quotes in a value',
      ],
    ],
    ['invalid YAML', header(['max_rows: [1', ...plain.slice(1)]), [/^4 not valid YAML: /]],
    [
      'a colon in a text without quotes',
      header([...plain.slice(0, 2), 'deprecated: Rows: all of them', ...plain.slice(2)]),
      [/ not valid YAML: a text that contains ": " must be in quotes$/],
    ],
    [
      'a repeated key',
      header([...plain, 'caching: disabled']),
      [/^8 not valid YAML: this key is there already/],
    ],
    [
      'a column with a name of JavaScript',
      header([...plain, '  __proto__: { type: integer, description: P. }'], 'select 1 as x, 2 as __proto__'),
      ['8 columns.__proto__: is reserved in JavaScript; choose another name'],
    ],
    [
      'names of JavaScript at any depth',
      header([
        ...plain,
        '  r: { type: record, fields: { a: { type: record, fields: { __proto__: integer } } }, description: R. }',
        'parameters:',
        '  e: { type: enum, enum: E, description: E., values: { __proto__: { name: A, description: A. }, b: {} } }',
      ]),
      [
        '8 columns.r.fields.a.fields.__proto__: is reserved in JavaScript; choose another name',
        '10 parameters.e.values.__proto__: is reserved in JavaScript; choose another name',
      ],
    ],
    ['an unknown key', header([...plain, 'owner: me']), ['8 unknown: owner']],
    [
      'misspelt keys that are required, of which none is also missing',
      header(['max_row: 10', 'cachng: 900s', 'columns:', '  x: { typ: integer, description: X. }']),
      [
        '7 columns.x: unknown: typ; did you mean type?',
        '4 unknown: max_row; did you mean max_rows?',
        '5 unknown: cachng; did you mean caching?',
      ],
    ],
    [
      'words of other programs',
      header(['max_rows: 10', 'cache: 60s', 'tenant: a', 'tenant_check: off', ...plain.slice(2)]),
      [
        '5 unknown: cache; did you mean caching?',
        '6 unknown: tenant; mark the parameter of the tenant with tenant: true',
        '7 unknown: tenant_check; mark the parameter of the tenant with tenant: true',
      ],
    ],
    [
      'other words for keys that are required, of which none is also missing',
      header(['title: T', 'max_rows: 10', 'caching: 900s', 'fields:', '  x: { type: integer }']),
      ['4 unknown: title; did you mean description?', '7 unknown: fields; did you mean columns?'],
    ],
    ...['params:\n  p: { type: string, description: P. }', 'parameter: {}', 'parameters:\n  - p'].map(
      (lines): [string, string, (string | RegExp)[]] => [
        `parameters in another form, of which none is also undeclared: ${lines}`,
        header([...plain, lines], 'select @p as x'),
        [/^8 (?:unknown: \w+; did you mean parameters\?|parameters: must be an object, as in .*)$/],
      ],
    ),
    [
      'a misspelt key of an object with a rule between its keys',
      header([...plain, 'budget: { bytes_per_dya: 3MB }']),
      ['8 budget: unknown: bytes_per_dya; did you mean bytes_per_day?'],
    ],
    [
      'times that are too long, or negative',
      header([
        'max_rows: 10',
        'caching: 99999999999s',
        'live: -5s',
        'stale_if_error: 1e400s',
        ...plain.slice(2),
      ]),
      [
        '5 caching: must be at most 99999999s, or disabled',
        '7 stale_if_error: must be at most 99999999s',
        '6 live: must be at least 1s',
      ],
    ],
    [
      'keys of parts and of enums',
      header(
        [
          ...plain,
          'materialize: refresh',
          'batch: on',
          'parameters:',
          '  p: { type: string, enum: P, description: P. }',
        ],
        'select @p as x',
      ),
      [
        '11 parameters.p: unknown: enum; it belongs to a parameter with type: enum',
        '9 batch: must be off, or left out: one run serves several tenants wherever it can',
        '8 unknown: materialize; it belongs to a part of other queries, which has serve: off',
      ],
    ],
    [
      'texts without a value, and those that look like a number',
      header(['tenant_unchecked:', ...plain.slice(0, 3), '  x: { type: integer, description: 1.10 }']),
      [
        '4 tenant_unchecked: has no value: it must be a string',
        '8 columns.x.description: must be text: put it in quotes',
      ],
    ],
    [
      'values of another type than those that are right',
      header([...plain, 'cache_warming: 30', 'live: 1', 'stale_if_error: 0s', 'labels: team', 'warm: [a]']),
      [
        '8 cache_warming: must be seconds, as in 900s',
        '10 stale_if_error: must be at least 1s',
        '12 warm.0: must be an object, as in { project: abc }',
        '9 live: must be seconds, as in 900s',
        '11 labels: must be a list, as in [team]',
      ],
    ],
    [
      'the values of an enum in the place of its name',
      header(
        [...plain, 'parameters:', '  a: { type: enum, enum: [x, y], description: A. }'],
        'select @a as x',
      ),
      [
        '9 parameters.a.enum: must be the name of an enum of GraphQL, as in Interval; its values are those of values',
        '9 parameters.a.values: is missing',
      ],
    ],
    [
      'an unknown nested key',
      header([...plain.slice(0, 3), '  x: { type: integer, descr: X. }']),
      [/^7 columns\.x: unknown: descr/],
    ],
    [
      'aliases that no path could have, or none in a list',
      header([...plain, 'aliases:', '  - ok', '  - a/b']),
      ['10 aliases.1: must be letters, digits, ., _ and -, at most 128, or a UUID'],
    ],
    [
      'an empty text',
      header(plain).replace(/description: .*/, "description: ''"),
      ['3 description: must not be empty'],
    ],
    [
      'one alias without brackets',
      header([...plain, 'aliases: old']),
      ['8 aliases: must be a list, as in [area.old-name]'],
    ],
    [
      'a spelling of two values',
      header(
        [
          ...plain,
          'parameters:',
          '  u:',
          '    type: enum',
          '    enum: Unit',
          '    description: U.',
          '    values:',
          '      s: { name: S, description: S., also: [sec, m] }',
          '      m:',
          '        name: M',
          '        description: M.',
          '        also:',
          '          - min',
          '          - sec',
        ],
        'select 1 as x where @u = @u',
      ),
      [
        '14 parameters.u.values.s.also: m is already a spelling of m',
        '20 parameters.u.values.m.also: sec is already a spelling of s',
      ],
    ],
    [
      'a default that is another spelling',
      header(
        [
          ...plain,
          'parameters:',
          '  u:',
          '    type: enum',
          '    enum: Unit',
          '    description: U.',
          '    default: sec',
          '    values:',
          '      s: { name: S, description: S., also: [sec] }',
        ],
        'select 1 as x where @u = @u',
      ),
      ['13 parameters.u.default: must be one of s'],
    ],
    ['no keys', '/*---\n{}\n---*/\nselect 1', [/id/, /description/, /max_rows/, /caching/, /columns/]],
    ['a bad id', header(plain).replace('3b241101', 'xyz'), [/^2 id: must be a UUID/]],
    ['rows below one', header(['max_rows: 0', ...plain.slice(1)]), [/^4 max_rows: /]],
    [
      'caching without a unit',
      header(['max_rows: 1', 'caching: 900', ...plain.slice(2)]),
      ['5 caching: must be seconds, as in 900s, or disabled'],
    ],
    [
      'warming without caching',
      header(['max_rows: 1', 'caching: disabled', 'cache_warming: 3s', ...plain.slice(2)]),
      ['6 cache_warming: cannot be used with caching: disabled'],
    ],
    [
      'stale_if_error without caching',
      header(['max_rows: 1', 'caching: disabled', 'stale_if_error: 3s', ...plain.slice(2)]),
      ['6 stale_if_error: cannot be used with caching: disabled'],
    ],
    ['warm without cache_warming', header([...plain, 'warm: [{}]']), ['8 warm: needs cache_warming']],
    [
      'live without caching',
      header(['max_rows: 1', 'caching: disabled', 'live: 3s', ...plain.slice(2)]),
      ['6 live: cannot be used with caching: disabled'],
    ],
    [
      'live that is longer than caching',
      header([...plain, 'live: 901s']),
      ['8 live: must not be longer than caching (900s)'],
    ],
    [
      'a key of other columns',
      header([...plain, 'key: [nothing, x, x]']),
      ['8 key.0: no column is named nothing', '8 key.2: x is listed twice'],
    ],
    [
      'warm sets that no caller could send',
      header(
        [
          ...plain,
          'cache_warming: 3s',
          'parameters:',
          '  p: { type: integer, required: true, description: P. }',
          'warm: [{ p: 1 }, { q: 1 }, {}, { p: x }]',
        ],
        'select @p as x',
      ),
      [
        '11 warm.1: not declared under parameters: q',
        '11 warm.2.p: is required; p.',
        '11 warm.3.p: got "x"; must be an integer between -9223372036854775808 and 9223372036854775807',
      ],
    ],
    [
      'a warm set with a misspelt parameter',
      header(
        [
          ...plain,
          'cache_warming: 3s',
          'parameters:',
          '  project: { type: string, description: P. }',
          'warm: [{ projekt: 1 }]',
        ],
        'select @project as x',
      ),
      ['11 warm.0: not declared under parameters: projekt; did you mean project?'],
    ],
    [
      'a number and a boolean in quotes, and a number with separators',
      header(
        [
          ...plain.map((line) => line.replace(/^max_rows:.*/, "max_rows: '100'")),
          'strict: "true"',
          'parameters:',
          '  n: { type: string, repeated: true, max_items: 1_000, description: N. }',
        ],
        'select array_length(@n) as x',
      ),
      [
        '4 max_rows: must be a number: remove its quotes',
        '10 parameters.n.max_items: must be a number, as in 1000',
        '8 strict: must be true or false: remove its quotes',
      ],
    ],
    [
      'a warming interval as long as caching',
      header([...plain, 'cache_warming: 900s']),
      ['8 cache_warming: must be shorter than caching (900s)'],
    ],
    [
      'another word for query_sandboxing',
      header([...plain, 'query_sandboxing: on']),
      [/^8 query_sandboxing: must be one of enabled, disabled/],
    ],
    [
      'a parameter with the name of SQL of a caller',
      header([...plain, 'parameters:', '  Sql: { type: string, description: S. }'], 'select @Sql as x\n'),
      [/parameters\.Sql: is reserved for a caller's own SQL/],
    ],
    [
      'SQL of callers beside rows that nobody checks',
      header(
        [
          ...plain,
          'query_sandboxing: enabled',
          'tenant_unchecked: All may see it.',
          'parameters:',
          '  p: { type: string, tenant: true, description: P. }',
        ],
        'with a as (select @p as x) select x from a\n',
      ),
      [/tenant_unchecked: cannot be used with query_sandboxing: enabled/],
    ],
    ['an invalid label', header([...plain, 'labels: [Team]']), [/^8 labels\.0: must be lowercase/]],
    ['a reserved label', header([...plain, 'labels: [endpoint]']), [/^8 labels\.0: endpoint is set by/]],
    [
      'an unknown type',
      header([...plain.slice(0, 3), '  x: { type: number, description: X. }']),
      [/^7 columns\.x\.type: /],
    ],
    [
      'columns with the same name in GraphQL',
      header([...plain, '  a_b: { type: json, description: B. }', '  aB: { type: json, description: B. }']),
      ['9 columns.aB: is the same name as a_b in SQL, or as aB in GraphQL'],
    ],
    [
      'an unused parameter',
      header([...plain, 'parameters:', '  p: { type: string, description: P. }']),
      ['9 parameters.p: declared, but the SQL never uses @p'],
    ],
    [
      'undeclared parameters',
      header(plain, "select 1 as x\nwhere '@a' = @b or @b = @c -- @d"),
      [
        '10 @b is used, but not declared under parameters',
        '10 @c is used, but not declared under parameters',
      ],
    ],
    [
      'a required parameter with a default',
      header(
        [...plain, 'parameters:', '  p: { type: string, required: true, default: a, description: P. }'],
        'select @p as x',
      ),
      ['9 parameters.p.default: a required parameter cannot have a default'],
    ],
    [
      'a default that the enum does not list',
      header(
        [
          ...plain,
          'parameters:',
          '  p:',
          '    type: enum',
          '    enum: P',
          '    default: c',
          '    description: P.',
          '    values: { a: { name: A, description: A. } }',
        ],
        'select @p as x',
      ),
      ['12 parameters.p.default: must be one of a'],
    ],
    [
      'a default of the wrong type',
      header(
        [...plain, 'parameters:', '  p: { type: integer, default: many, description: P. }'],
        'select @p as x',
      ),
      ['9 parameters.p.default: must be an integer between -9223372036854775808 and 9223372036854775807'],
    ],
    [
      'an unknown parameter type',
      header([...plain, 'parameters:', '  p: { type: text, description: P. }'], 'select @p as x'),
      [
        '9 parameters.p.type: must be one of string, pattern, date, datetime, timestamp, integer, float, boolean, enum; did you mean string?',
      ],
    ],
    [
      'a list as default',
      header(
        [...plain, 'parameters:', '  p: { type: string, default: [a], description: P. }'],
        'select @p as x',
      ),
      ['9 parameters.p.default: a list needs repeated: true'],
    ],
    [
      'an invalid value and an undeclared parameter',
      header(['max_rows: 10', 'caching: soon', ...plain.slice(2)], 'select @p as x'),
      [
        '5 caching: must be seconds, as in 900s, or disabled',
        '9 @p is used, but not declared under parameters',
      ],
    ],
    [
      "a column's type as SQL calls it",
      header([...plain.slice(0, 3), '  x: { type: int64, description: X. }']),
      [/^7 columns\.x\.type: must be one of .*; did you mean integer\?$/],
    ],
    [
      'the type number of a parameter, which has no numeric',
      header(
        ['parameters: { p: { type: number, description: X., required: true } }', ...plain],
        'select @p as x',
      ),
      [/type: must be one of .*; did you mean integer or float\?$/],
    ],
    [
      'a list as the type of a column',
      header([...plain.slice(0, 3), '  x: { type: list, description: X. }']),
      [/; write the type of its elements, and repeated: true$/],
    ],
    [
      'a comma in a text of { }',
      header([...plain.slice(0, 3), '  x: { type: json, description: One, two, three. }']),
      [
        '7 a text that contains a comma must be in quotes inside { }',
        '7 a text that contains a comma must be in quotes inside { }',
      ],
    ],
    [
      'a comma in a text of { } that is followed by a key',
      header([...plain.slice(0, 3), '  x: { type: json, description: One, by status: a }']),
      [/^7 columns\.x: unknown: by status; a text that contains a comma must be in quotes inside { }$/],
    ],
    [
      'a text that begins with a backquote',
      header([...plain.slice(0, 3), '  x: { type: json, description: `X`. }']),
      ['7 not valid YAML: a text that starts with this character must be in quotes'],
    ],
    [
      'columns in a list',
      header([...plain.slice(0, 2), 'columns: [x]']),
      [
        '6 columns: must be an object, as in { requests: { type: integer, description: Number of requests. } }',
      ],
    ],
    [
      'a column that is its type alone',
      header([...plain.slice(0, 3), '  x: integer']),
      ['7 columns.x: must be an object, as in { type: integer, description: Number of requests. }'],
    ],
    [
      'the values of an enum in a list',
      header(
        [...plain, 'parameters:', '  p: { type: enum, enum: P, description: P., values: [a] }'],
        'select @p as x',
      ),
      [
        '9 parameters.p.values: must be an object, as in { free: { name: FREE, description: The free tier. } }',
      ],
    ],
    [
      'deprecated: true',
      header([...plain, 'deprecated: true']),
      ['8 deprecated: must be an object, as in { since: 2026-01-31 }'],
    ],
    [
      'a day of deprecation in words, which is one problem',
      header([...plain, 'deprecated: { since: yesterday }']),
      ['8 deprecated.since: must be a day, as in 2026-01-31'],
    ],
    [
      'the name of a parameter that SQL cannot have',
      header(
        [...plain, 'parameters:', '  at-least: { type: integer, description: P. }'],
        'select @at_least as x',
      ),
      ['9 parameters.at-least: must be letters, digits and _, not starting with a digit, as in at_least'],
    ],
    ...[
      ['a template', "select '{{ p }}' as x", '{{ p }}'],
      ['a template without quotes', 'select {{p}} as x', '{{p}}'],
      ['a colon', 'select x from t where x = :p', ':p'],
      ['a dollar', 'select x from t where x = $p', '$p'],
      ['a question mark', 'select x from t where x = ?', '?'],
      ['a dollar with a number', 'select x from t where x = $1', '$1'],
      ['a text', "select x from t where x = '@p'", "'@p'"],
    ].map(([what, sql = '', found = '']): [string, string, string[]] => [
      `a parameter as ${what}`,
      header([...plain, 'parameters:', '  p: { type: string, description: P. }'], sql),
      [`11 a parameter is written @p, without quotes, and not ${found}`],
    ]),
    [
      'a parameter, of a statement that is no query',
      header(
        [...plain, 'parameters:', '  p: { type: string, description: P. }'],
        'create table t as select 1',
      ),
      [],
    ],
    [
      'unknown: default but no default',
      header(
        [
          ...plain,
          'parameters:',
          '  p:',
          '    type: enum',
          '    enum: P',
          '    unknown: default',
          '    description: P.',
          '    values: { a: { name: A, description: A. } }',
        ],
        'select @p as x',
      ),
      ['12 parameters.p.unknown: default needs a default value'],
    ],
  ])('with %s is rejected, with the line', (_, text, expected) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(expected.length);
    for (const [at, one] of expected.entries()) {
      if (typeof one === 'string') expect(problems[at]).toBe(one);
      else expect(problems.join('\n')).toMatch(new RegExp(one, 'm'));
    }
  });

  test('the draft queries of other tests are valid', () => {
    expect(
      problemsOf(
        queryText({ columns: { x: 'integer' }, parameters: { p: 'string' }, sql: 'select @p as x' }),
      ),
    ).toEqual([]);
  });
});

describe('parameters with reserved names', () => {
  test.each([
    ['format', 'the format of a REST response'],
    ['Format', 'the format of a REST response'],
    ['sql', "a caller's own SQL (query_sandboxing)"],
    ['SQL', "a caller's own SQL (query_sandboxing)"],
  ])('%s is refused', (name, meaning) => {
    const text = header(
      [...plain, 'parameters:', `  ${name}: { type: string, description: Mine. }`],
      `select length(@${name}) as x`,
    );
    expect(problemsOf(text)).toEqual([
      `9 parameters.${name}: is reserved for ${meaning}; choose another name`,
    ]);
  });

  test('a column may have them', () => {
    const text = header([
      'max_rows: 10',
      'caching: 900s',
      'columns:',
      '  format: { type: string, description: F. }',
    ]);
    expect(problemsOf(text)).toEqual([]);
  });
});

describe('prometheus', () => {
  const columns = [
    'max_rows: 10',
    'caching: 900s',
    'columns:',
    '  x: { type: integer, description: How many. }',
    '  name: { type: string, description: Whose. }',
    '  list: { type: integer, repeated: true, description: Several. }',
    '  __own: { type: string, description: Theirs. }',
    'prometheus:',
  ];
  const declare = (...lines: string[]) => header([...columns, ...lines]);

  test('declares metrics over columns; their help is that of the column unless it is given', () => {
    const text = declare(
      '  labels: [name]',
      '  metrics:',
      '    things: { column: x }',
      '    things_total: { column: x, type: counter, help: All things. }',
    );
    expect(parseSavedQuery('draft', 'draft.sql', text).query?.prometheus).toEqual({
      labels: ['name'],
      metrics: [
        { name: 'things', column: 'x', type: 'gauge', help: 'How many.' },
        { name: 'things_total', column: 'x', type: 'counter', help: 'All things.' },
      ],
    });
  });

  test('has columns of fitting types, and names as promtool requires them', () => {
    const text = declare(
      '  labels: [name, list, missing, __own, name]',
      '  metrics:',
      '    a: { column: name }',
      '    b_total: { column: x }',
      '    c: { column: x, type: counter }',
    );
    expect(problemsOf(text)).toEqual([
      '14 prometheus.metrics.a.column: name must have one of the types integer, float, numeric, boolean, and not be repeated',
      '15 prometheus.metrics.b_total: only a counter may end in _total',
      '16 prometheus.metrics.c: a counter must end in _total',
      '12 prometheus.labels.1: list must have one of the types string, integer, boolean, timestamp, datetime, date, time, and not be repeated',
      '12 prometheus.labels.2: no column is named missing',
      '12 prometheus.labels.3: __own: names that begin with __ belong to Prometheus',
      '12 prometheus.labels.4: name is listed twice',
    ]);
  });

  test('needs metrics with valid names', () => {
    expect(problemsOf(declare('  labels: [name]'))).toEqual(['11 prometheus.metrics: is missing']);
    expect(problemsOf(declare('  metrics: {}'))).toEqual([
      '12 prometheus.metrics: must list at least one metric',
    ]);
    expect(problemsOf(declare('  metrics: { "a-b": { column: x } }'))).toEqual([
      '12 prometheus.metrics.a-b: must be letters, digits, _ and :, not starting with a digit',
    ]);
  });
});

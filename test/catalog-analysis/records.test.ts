import { describe, expect, test } from 'vitest';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { toResultColumn } from '../../src/engines/bigquery/result-column.ts';
import { recordNotes } from '../../src/catalog-analysis/check-records.ts';
import { compareFields } from '../../src/catalog-analysis/compare-fields.ts';
import { buildAnalyze } from '../../src/catalog-analysis/analyze-catalog.ts';
import { draftQuery } from '../support/queries.ts';

const tables: readonly TableSchema[] = [
  {
    name: 'events',
    fields: [
      { name: 'id', type: 'STRING', mode: 'NULLABLE' },
      {
        name: 'detail',
        type: 'RECORD',
        mode: 'REPEATED',
        fields: [
          { name: 'path', type: 'STRING', mode: 'REQUIRED', description: 'Its path.' },
          { name: 'ratio', type: 'FLOAT', mode: 'REQUIRED' },
          { name: 'cf-ray', type: 'STRING', mode: 'NULLABLE' },
          {
            name: 'inner',
            type: 'RECORD',
            mode: 'NULLABLE',
            fields: [{ name: 'at', type: 'TIMESTAMP', mode: 'REPEATED' }],
          },
        ],
      },
    ],
  },
];
const query = (fields = '', sql = 'select id, detail from events') =>
  draftQuery({
    columns: { id: 'string', detail: `{ type: record, repeated: true, description: D${fields} }` },
    sql,
  });
const analyze = buildAnalyze();
const fieldsOf = (draft = query()) => analyze({ queries: [draft], tables }).queries[0]?.columns[1]?.fields;
const problems = (fields: string, sql?: string) =>
  analyze({ queries: [], tables })
    .analysisOf(query(fields, sql))
    .recordProblems()
    .map(({ line, message }) => `${line} ${message}`);
const all = (inner: string) => `, fields: { ${inner} }`;
const rest = '"cf-ray": string, inner: { type: record, fields: { at: { type: timestamp, repeated: true } } }';

describe('the fields of a record', () => {
  const detail = [
    { name: 'path', type: 'string', repeated: false, required: true, description: 'Its path.' },
    // NaN is null.
    { name: 'ratio', type: 'float', repeated: false, required: false },
    { name: 'cf-ray', type: 'string', repeated: false, required: false },
    {
      name: 'inner',
      type: 'record',
      repeated: false,
      required: false,
      fields: [{ name: 'at', type: 'timestamp', repeated: true, required: true }],
    },
  ];

  test('are those of the table that it comes from, through common tables', () => {
    expect(fieldsOf()).toEqual(detail);
    const sql =
      'with a as (select * from events), b as (select id, detail from a) select * from b where id is not null';
    expect(fieldsOf(query('', sql))).toEqual(detail);
  });

  test('are those of the SQL if it makes the record; a field that is computed may be NULL', () => {
    const sql =
      "select id, [struct(1 as n, struct('x' as s) as deep, [interval 1 day] as i, null as nothing)] as detail from events";
    expect(fieldsOf(query('', sql))).toEqual([
      { name: 'n', type: 'integer', repeated: false, required: false },
      {
        name: 'deep',
        type: 'record',
        repeated: false,
        required: false,
        fields: [{ name: 's', type: 'string', repeated: false, required: false }],
      },
      { name: 'i', type: 'json', repeated: true, required: true },
      { name: 'nothing', type: 'integer', repeated: false, required: false },
    ]);
  });

  test('are not known of a table without a file, and not wanted with any', () => {
    expect(fieldsOf(query('', 'select id, detail from elsewhere'))).toBeUndefined();
    expect(fieldsOf(query(', fields: any'))).toBeUndefined();
    expect(fieldsOf(query('', 'select'))).toBeUndefined();
  });

  test('that a header leaves open in a record are those of the SQL', () => {
    const declared = fieldsOf(query(all('path: string, ratio: float, "cf-ray": string, inner: record')));
    expect(declared?.[3]?.fields).toEqual(detail[3]?.fields);
  });

  test('a query stays the same object while its fields stay the same', () => {
    const draft = query();
    const [one] = analyze({ queries: [draft], tables }).queries;
    expect(analyze({ queries: [draft], tables: [...tables] }).queries[0]).toBe(one);
    const changed = [{ name: 'events', fields: tables[0]?.fields.toReversed() ?? [] }];
    expect(analyze({ queries: [draft], tables: changed }).queries[0]).toBe(one);
    const other = [
      { name: 'events', fields: [{ name: 'detail', type: 'STRING', mode: 'NULLABLE' } as const] },
    ];
    expect(analyze({ queries: [draft], tables: other }).queries[0]).not.toBe(one);
    // The other version was refused.
    expect(analyze({ queries: [draft], tables }).queries[0]).toBe(one);
  });
});

describe('declared fields are compared with those of the SQL', () => {
  test.each([
    [`path: string, ratio: float, ${rest}`, []],
    [
      `ratio: float, ${rest}`,
      ['columns.detail: the SQL returns a field path that the header does not declare under fields'],
    ],
    [
      `paths: string, path: string, ratio: float, ${rest}`,
      ['columns.detail.paths: declared, but the SQL returns no such field; did you mean path?'],
    ],
    [
      `path: integer, ratio: float, ${rest}`,
      ['columns.detail.path: declared integer, but the SQL returns string'],
    ],
    [
      `path: { type: string, repeated: true }, ratio: float, ${rest}`,
      ['columns.detail.path: declared repeated string, but the SQL returns string'],
    ],
    [`Path: string, ratio: float, ${rest}`, ['columns.detail.Path: declared so, but the SQL spells it path']],
    [
      'path: string, ratio: float, "cf-ray": { type: string, required: true }, inner: { type: record, fields: { at: { type: date, repeated: true } } }',
      [
        'columns.detail.cf-ray: declared as required, but it is NULLABLE in its table',
        'columns.detail.inner.at: declared repeated date, but the SQL returns repeated timestamp',
      ],
    ],
    [`path: json, ratio: json, "cf-ray": json, inner: { type: record, fields: any }`, []],
  ])('%s has the problems %j', (fields, expected) => {
    expect(problems(all(fields)).map((text) => text.replace(/^8 /, ''))).toEqual(expected);
  });

  test('of types that only BigQuery writes as text there are none', () => {
    expect(
      problems('', 'select id, [struct(interval 1 day as i, 1 as `__proto__`)] as detail from events'),
    ).toEqual([]);
  });

  test('with BigQuery’s own, where a further field is no problem', () => {
    const { columns } = query(all(`path: string, ratio: integer, ${rest}`));
    const found = toResultColumn({
      name: 'detail',
      type: 'RECORD',
      mode: 'REPEATED',
      fields: [
        { name: 'path', type: 'STRING' },
        { name: 'ratio', type: 'FLOAT' },
        { name: 'new', type: 'STRING' },
      ],
    });
    const [, detail] = columns;
    if (detail === undefined) throw new Error('no column');
    expect(compareFields('columns.detail', detail, found).map(({ message }) => message)).toEqual([
      'columns.detail.ratio: declared integer, but the SQL returns float',
      'columns.detail.cf-ray: declared, but the SQL returns no such field',
      'columns.detail.inner: declared, but the SQL returns no such field',
    ]);
  });
});

test('check reports unexpected names, and records whose fields are not known', () => {
  const notes = (draft = query()) => recordNotes(analyze({ queries: [draft], tables }));
  expect(notes()).toEqual(['draft: detail.cf-ray is cfRay in GraphQL']);
  expect(notes(query('', 'select id, detail from elsewhere'))).toEqual([
    'draft: the fields of detail are not known, so that GraphQL has it as JSON; declare them under fields, or "fields: any"',
  ]);
  expect(notes(query(', fields: any'))).toEqual([]);
});

import type { ParameterType } from '@querygate/bigquery-sql/types';
import type { Column, Parameter, SavedQuery } from '../../catalog/model/saved-query.ts';

/** A case of the suite: what its query returns, and the query in BigQuery's SQL. */
interface Case {
  /** The result of a statement, for engines with SQL of their own. */
  readonly returns: string;
  /** Types by the names of columns: `integer`, `[integer]` for a list, `integer!` if it is never NULL. */
  readonly columns: Readonly<Record<string, string>>;
  /** The types in the SQL by the names of parameters: `INT64`, or `[INT64]` for a list. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly maxRows?: number;
  readonly sql: string;
}

const digits = 'digits as (select x from unnest([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) as x)';
const numbers = (count: number) => `
  with ${digits}
  select a.x * 1000 + b.x * 100 + c.x * 10 + d.x + 1 as x
  from digits as a cross join digits as b cross join digits as c cross join digits as d
  where a.x * 1000 + b.x * 100 + c.x * 10 + d.x < ${count}
  order by x`;

export const cases = {
  types: {
    returns:
      'one row: text \'a "quoted" \\ ü 👍\', whole 9007199254740991, least -9007199254740991, part 0.1, exact 100.50, yes true, moment 2026-03-10 12:34:56.789012 in UTC, ancient 0001-01-01 00:00:00 in UTC, local 2026-03-10 12:34:56, later 2026-03-10 12:34:56.500000, day 2026-03-10, clock 12:34:56, tick 12:34:56.500000, raw the bytes of abc',
    columns: {
      text: 'string',
      whole: 'integer',
      least: 'integer',
      part: 'float',
      exact: 'numeric',
      yes: 'boolean',
      moment: 'timestamp',
      ancient: 'timestamp',
      local: 'datetime',
      later: 'datetime',
      day: 'date',
      clock: 'time',
      tick: 'time',
      raw: 'bytes',
    },
    sql: `
      select
        'a "quoted" \\\\ ü 👍' as text, 9007199254740991 as whole, -9007199254740991 as least, 0.1 as part,
        numeric '100.50' as exact, true as yes, timestamp '2026-03-10 12:34:56.789012+00' as moment,
        timestamp '0001-01-01 00:00:00+00' as ancient, datetime '2026-03-10 12:34:56' as local,
        datetime '2026-03-10 12:34:56.500000' as later, date '2026-03-10' as day, time '12:34:56' as clock,
        time '12:34:56.500000' as tick, b'abc' as raw`,
  },
  nested: {
    returns:
      'one row: json {"a":[1,null]}, record {here: 1, absent: NULL, moment: 1970-01-01 00:00:01 in UTC}, list [1, 2], records [{name: "x", moments: [1970-01-01 00:00:01 in UTC]}]. An engine without such types returns the JSON: a timestamp is an integer of microseconds',
    columns: { json: 'json', record: 'record', list: '[integer]', records: '[record]' },
    sql: `
      select
        json '{"a":[1,null]}' as json,
        struct(1 as here, cast(null as int64) as absent, timestamp '1970-01-01 00:00:01+00' as moment) as record,
        [1, 2] as list,
        [struct('x' as name, [timestamp '1970-01-01 00:00:01+00'] as moments)] as records`,
  },
  nulls: {
    returns: 'one row: here 1, absent NULL, list NULL, infinite an infinite float, or NULL',
    columns: { here: 'integer', absent: 'string', list: '[integer]', infinite: 'float' },
    sql: `
      select 1 as here, cast(null as string) as absent, case when false then [1] end as list,
        ieee_divide(1, 0) as infinite`,
  },
  beyondMaxRows: {
    returns: 'x from 1 to 11 in this order, of which max rows are 10',
    columns: { x: 'integer' },
    maxRows: 10,
    sql: numbers(11),
  },
  asManyAsMaxRows: {
    returns: 'x from 1 to 10 in this order, which is as many as max rows',
    columns: { x: 'integer' },
    maxRows: 10,
    sql: numbers(10),
  },
  noRows: {
    returns: 'no row, of a column x',
    columns: { x: 'integer' },
    sql: 'select 1 as x from unnest([1]) as y where y > 1',
  },
  ordered: {
    returns: 'x from 5000 to 1 in this order',
    columns: { x: 'integer' },
    maxRows: 5000,
    sql: `${numbers(5000)} desc`,
  },
  longText: {
    returns: 'one row: x, of 1,000,000 letters a',
    columns: { x: 'string' },
    sql: "select repeat('a', 1000000) as x",
  },
  echo: {
    returns: 'one row: said, the value of @word',
    columns: { said: 'string' },
    parameters: { word: 'STRING' },
    sql: 'select @word as said',
  },
  typedParameters: {
    returns:
      'one row: text, whole, part, yes, moment and day, the parameters of these names, bound as STRING, INT64, FLOAT64, BOOL, TIMESTAMP and DATE',
    columns: {
      text: 'string',
      whole: 'integer',
      part: 'float',
      yes: 'boolean',
      moment: 'timestamp',
      day: 'date',
    },
    parameters: {
      text: 'STRING',
      whole: 'INT64',
      part: 'FLOAT64',
      yes: 'BOOL',
      moment: 'TIMESTAMP',
      day: 'DATE',
    },
    sql: 'select @text as text, @whole as whole, @part as part, @yes as yes, @moment as moment, @day as day',
  },
  lists: {
    returns: 'x, each element of @words in the order of the list; no row if it is empty',
    columns: { x: 'string' },
    parameters: { words: '[STRING]' },
    sql: 'select x from unnest(@words) as x with offset as place order by place',
  },
  wrongValue: {
    returns:
      'one row: x, the text @word as an integer; it fails with INVALID_PARAMETER if the text is not an integer',
    columns: { x: 'integer' },
    parameters: { word: 'STRING' },
    sql: 'select cast(@word as int64) as x',
  },
  unsafeInteger: {
    returns: 'one row: x, the integer 9007199254740992',
    columns: { x: 'integer' },
    sql: 'select 9007199254740992 as x',
  },
  missingRequired: {
    returns: 'one row: x NULL, although the column is declared as required',
    columns: { x: 'integer!' },
    sql: 'select cast(null as int64) as x',
  },
  failing: {
    returns: 'nothing: it fails when it runs, as a division by zero does',
    columns: { x: 'float' },
    sql: 'select 1 / y as x from unnest([0]) as y',
  },
  now: {
    returns: 'one row: x, the current time: host.now(), or that of the engine if it has the flag hasClock',
    columns: { x: 'timestamp' },
    sql: 'select current_timestamp() as x',
  },
  endless: {
    returns: 'nothing within some seconds, but the run ends when its signal is aborted',
    columns: { x: 'integer' },
    sql: `
      with ${digits}
      select count(*) as x
      from ${Array.from('abcdefghijkl', (name) => `digits as ${name}`).join(' cross join ')}
      where mod(a.x * b.x + c.x * d.x + e.x * f.x + g.x * h.x + i.x * j.x + k.x * l.x, 7) = 3`,
  },
} as const satisfies Record<string, Case>;

/** The name of a case of the tests of engines: a query, and what it returns. */
export type CaseName = keyof typeof cases;

/** Types of parameters as a header declares them, by their types in the SQL. */
const declared = {
  STRING: 'string',
  INT64: 'integer',
  FLOAT64: 'float',
  BOOL: 'boolean',
  TIMESTAMP: 'timestamp',
  DATE: 'date',
} as const;

/** The saved query of a case. @param sql in the SQL of the engine */
export function queryOf(name: CaseName, sql: string): SavedQuery {
  const { columns, parameters = {}, maxRows = 1000 }: Case = cases[name];
  const scalar = (type: string) => type.replace(/[[\]!]/g, '');
  const unspecified = { description: '', default: undefined, example: undefined, required: false };
  return {
    id: `00000000-0000-4000-8000-${String(Object.keys(cases).indexOf(name)).padStart(12, '0')}`,
    name,
    aliases: [],
    description: `Returns ${name}.`,
    sql,
    source: { file: `${name}.sql`, line: 1 },
    maxRows,
    caching: 'disabled',
    warm: [],
    labels: [],
    parameters: Object.entries(parameters).map(([parameter, type]): Parameter => {
      const bind = scalar(type) as keyof typeof declared & ParameterType;
      return {
        ...unspecified,
        name: parameter,
        type: declared[bind],
        ...(bind !== 'STRING' && { bind }),
        repeated: type.startsWith('['),
      };
    }),
    tenant: undefined,
    tenantUnchecked: undefined,
    columns: Object.entries(columns).map(
      ([column, type]): Column => ({
        name: column,
        type: scalar(type) as Column['type'],
        repeated: type.startsWith('['),
        required: type.endsWith('!'),
        unit: undefined,
        description: '',
      }),
    ),
    querySandboxing: 'disabled',
  };
}

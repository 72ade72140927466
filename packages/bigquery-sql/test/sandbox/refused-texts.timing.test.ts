import { openSandbox } from '@querygate/bigquery-sql/sandbox';
import { expect, test } from 'vitest';
import { medianOf } from '../../../../test/support/median.ts';
import { processorMs } from '../../../../test/support/processor-time.ts';

/** The most for which a caller's text may hold the event loop. */
const maxMs = 50;

/** The longest text that a caller may send. */
const maxLength = 10_000;

const listed = (count: number, item: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => item(at)).join(',');

const columns = listed(251, (at) => `1 as response_header_field_${at}`);
const sandbox = openSandbox(
  {
    sql: `with own as (select 1 as id, 'a' as txt, 2 as num, 3 as f), wide as (select ${columns}) select id from own`,
    source: { file: 'own.sql', line: 1 },
    parameters: [],
  },
  [],
);

test.each<[string, string, RegExp]>([
  ['unknown functions', `select ${listed(1_000, (at) => `ab${at}(1)`)} from own`, /1000 columns/],
  [
    'unknown functions with long names',
    `select ${listed(299, (at) => `regexp_replacf${at}(1)`)} from own`,
    /did you mean REGEXP_REPLACE\?/,
  ],
  [
    'unknown columns of a wide table',
    `select ${listed(290, (at) => `response_xeaderxfiexd_${at}x`)} from wide`,
    /no column is named response_xeaderxfiexd_0x/,
  ],
  ['operators of unknown columns', `select ${listed(2_490, () => 'a+b')} from own`, /2490 columns/],
  ['one unknown column', `select ${listed(4_980, () => 'z')} from own`, /4980 columns/],
  ['GROUP BY', `select 1 as a from own group by ${listed(4_970, () => 'z')}`, /100 keys in GROUP BY/],
  [
    'keys that are all different',
    `select 1 as a from own group by ${listed(1_200, (at) => `id+${at}`)}`,
    /100 keys in GROUP BY/,
  ],
  [
    'sets of GROUP BY',
    `select 1 as a from own group by ${listed(12, () => 'rollup(id,txt,num,f)')}`,
    /1024 sets in GROUP BY/,
  ],
  [
    'PIVOT',
    `select 1 as n from (select num, f from own) pivot(${listed(440, (at) => `max(f) a${at}`)} for num in (${listed(800, String)}))`,
    /352000 columns/,
  ],
  [
    'rows in an array',
    `select [${listed(1_800, () => 'wide')}] as a from wide`,
    /sql becomes too large here/,
  ],
  [
    'comparisons of rows',
    `select 1 as n from wide where ${Array(280).fill('wide is distinct from wide').join(' or ')}`,
    /sql becomes too large here/,
  ],
  [
    'UNION ALL BY NAME',
    Array(39).fill('select * from wide').join(' full union all by name '),
    /becomes too large/,
  ],
  ['ORDER BY', `select id from own order by ${listed(4_970, () => 'z')}`, /100 keys in ORDER BY/],
])('is refused in little time: %s', async (_, sql, message) => {
  expect(sql.length).toBeLessThan(maxLength);
  const judge = (at: number) => sandbox.judge(sql + ' '.repeat(at));
  expect(() => judge(0)).toThrow(message);
  expect(await medianOf((at) => processorMs(() => expect(() => judge(at)).toThrow()))).toBeLessThan(maxMs);
});

test.each([
  ['classes without an end', `regexp_extract(txt, '${'['.repeat(9_900)}')`],
  ['texts without an end', `regexp_extract(txt, r'${'\\Q'.repeat(4_900)}')`],
  ['groups', `regexp_replace(txt, '${'['.repeat(1_500)}', r'${'\\0'.repeat(500)}')`],
])('a regular expression is read in little time: %s', async (_, call) => {
  const judge = (at: number) => sandbox.judge(`select ${call} as c${at} from own`);
  expect(await medianOf((at) => processorMs(() => judge(at)))).toBeLessThan(maxMs);
});

/** SQL of a caller that is made to do harm, over `logs.all` with rows of one tenant. */
export interface AttackText {
  readonly kind: 'crash' | 'silence' | 'memory' | 'no interrupt' | 'disk';
  readonly sql: string;
  /** The caller disconnects instead of waiting. */
  readonly disconnects?: true;
}

const longText = (bytes: number, row = 'cast(i as string)') => `concat(repeat('x', ${bytes}), ${row})`;
const rows = (count: number, alias = 'i') => `unnest(generate_array(1, ${count})) as ${alias}`;
const many = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at));
const of = (kind: AttackText['kind'], texts: readonly string[]): readonly AttackText[] =>
  texts.map((sql) => ({ kind, sql }));

/** Those that once ended the process, silenced it, or took its memory, when SQL of callers still ran in it. */
export const knownTexts: readonly AttackText[] = [
  {
    kind: 'crash',
    sql: "select count(*) as n from function_edge_logs where exists(select 1 from function_edge_logs y where y.id = (select max(x) from unnest(split((select max(x) from unnest(split(event_message,'1')) x),'1')) x))",
  },
  ...of('silence', [
    "select safe.parse_bignumeric(concat(repeat(' ',4000),'x')) as n from unnest([1])",
    "select count(farm_fingerprint(concat(repeat('x',100000),cast(i as string)))) as n from unnest(generate_array(1,2000)) as i",
    "select count(sha512(concat(repeat('x',999000),cast(i as string)))) as n from unnest(generate_array(1,1000)) as i",
    "select count(cast(i as string format concat(repeat('9',30000)))) as n from unnest(generate_array(1,2000)) as i",
    "select hll_count.extract(hll_count.init(concat(repeat('x',50000),cast(i as string)))) as n from unnest(generate_array(1,2000)) as i",
  ]),
  ...of('memory', [
    "select sum(length(format('%*d', 100000000+i, 5))) as n from unnest(generate_array(1,20)) as i",
    "select length(replace(repeat('x',1000),'x',repeat('y',999999))) as n from unnest([1]) as i",
    "with a as (select repeat('x',999999) t from unnest([1])), b as (select concat(t,t,t,t,t,t,t,t,t,t) t from a), c as (select concat(t,t,t,t,t,t,t,t,t,t) t from b), d as (select concat(t,t,t,t,t,t,t,t,t,t) t from c) select length(t) as n from d",
  ]),
  ...[
    "select length(cast(edit_distance(repeat('a',999999),repeat('b',999991)) as string)) as n from unnest([1]) as i",
    "select length(cast(repeat('a',999999) like concat(repeat('%a',20001),'b') as string)) as n from unnest([1]) as i",
    "select length(initcap(repeat('a ',500000))) as n from unnest([1]) as i",
  ].map((sql) => ({ kind: 'no interrupt', sql, disconnects: true }) as const),
];

/** Of the same kinds, with other functions. */
export const furtherTexts: readonly AttackText[] = [
  ...of('crash', [
    "select count(*) as n from edge_logs where id in (select y.id from edge_logs y where y.id = (select lower((select max(x) from unnest(['A', y.event_message]) x))))",
    'select count(*) as n from edge_logs a where exists(select 1 from edge_logs b where exists(select 1 from auth_logs c where c.id = reverse((select max(d.id) from edge_logs d where d.id = b.id and d.event_message = a.event_message))))',
    "select json_value(concat(repeat('[', 400000), repeat(']', 400000)), '$[0]') as n",
    "select to_json_string(parse_json(concat(repeat('{\"a\":', 150000), '1', repeat('}', 150000)))) as n",
    "select regexp_contains(repeat('a', 100000), concat(repeat('(a?', 500), repeat(')', 500))) as n",
    "select regexp_replace(repeat('ab', 100000), '((a|b)*)*$', r'\\1\\1') as n",
    'select (select array_agg(x order by (select max(y) from unnest([x, i]) y)) from unnest(generate_array(1, 1000)) x)[offset(0)] as n from unnest(generate_array(1, 1000)) i',
    "select json_set(parse_json(concat('[', repeat('1,', 200000), '1]')), '$[1000000]', 1) as n",
  ]),
  ...of('silence', [
    `select count(farm_fingerprint(${longText(999_000)})) as n from ${rows(500)}`,
    `select count(normalize(concat(repeat('é', 30000), cast(i as string)), NFD)) as n from ${rows(2000)}`,
    `select count(cast(cast(${longText(300_000)} as bytes) as string format 'BASE64')) as n from ${rows(300)}`,
    `select count(safe.parse_bignumeric(concat(repeat(',', 100000), cast(i as string)))) as n from ${rows(500)}`,
    `select stddev(cast(i as numeric)) as n from ${rows(1_000_000)}`,
    `select corr(cast(i as bignumeric), cast(mod(i, 7) as bignumeric)) as n from ${rows(300_000)}`,
    `select count(net.public_suffix(concat(repeat('a.', 10000), cast(i as string), '.com'))) as n from ${rows(2000)}`,
    `select count(json_keys(parse_json(concat('{"a":', cast(i as string), repeat(',"b":[1]', 20000), '}')))) as n from ${rows(300)}`,
    `select max(safe_cast(concat(repeat('1', 50000), '-', cast(i as string)) as interval)) is null as n from ${rows(100)}`,
    `select count(normalize_and_casefold(${longText(200_000)})) as n from ${rows(2000)}`,
  ]),
  ...of('memory', [
    `select length(string_agg(${longText(900_000)})) as n from ${rows(5000)}`,
    `select length(to_json_string(array_agg(${longText(900_000)}))) as n from ${rows(3000)}`,
    `select ${longText(900_000)} as x from ${rows(100_000)}`,
    `select ${longText(500_000)} as x from ${rows(20_000)} order by 1 desc limit 10`,
    `select count(distinct ${longText(900_000)}) as n from ${rows(20_000)}`,
    `select sum(array_length(array_concat(generate_array(1, 1000000), generate_array(1, 1000000), generate_array(i, i + 1000000)))) as n from ${rows(500)}`,
    `select sum(length(format('%T', repeat(b'\\xff', 999999)))) as n from ${rows(2000)}`,
    `select sum(length(to_base32(cast(${longText(900_000)} as bytes)))) as n from ${rows(2000)}`,
    `select sum(length(to_hex(cast(to_hex(cast(${longText(400_000)} as bytes)) as bytes)))) as n from ${rows(2000)}`,
    `select sum(byte_length(reverse(cast(${longText(999_000)} as bytes)))) as n from ${rows(2000)}`,
    `select approx_count_distinct(${longText(500_000)}) as n, max(${longText(500_000)}) as m, min(${longText(500_000)}) as l from ${rows(50_000)}`,
    "select sum(length(translate(repeat('x', 1000000), 'x', '𐀀'))) as n from unnest(generate_array(1, 5000)) as i",
    // All of it at once, between two looks at the process.
    `select array_length(array_concat(${many(80, () => 'generate_array(1, 1048575)').join(', ')})) as n`,
    `select ${many(60, (at) => `sum(i) over (partition by mod(i, ${at + 1}) order by i) as c${at}`).join(', ')} from ${rows(100_000)} limit 1`,
  ]),
  ...of('no interrupt', [
    `select sum(edit_distance(repeat('a', 3000), concat(repeat('b', 3000), cast(i as string)))) as n from ${rows(100_000)}`,
    `select countif(concat(repeat('a', 100000), cast(i as string)) like '${'%a'.repeat(90)}b') as n from ${rows(10_000)}`,
    `select sum(length(initcap(concat(repeat('a ', 49000), cast(i as string))))) as n from ${rows(10_000)}`,
    `select sum(array_length(regexp_extract_all(${longText(900_000)}, '(.)'))) as n from ${rows(500)}`,
    `select count(*) as n from ${rows(1_000_000, 'a')}, ${rows(1_000_000, 'b')} where mod(a * b, 7) = 3`,
    `select max(s) as n from (select sum(i) over (order by mod(i, 1000) range between 500 preceding and 500 following) as s from ${rows(1_000_000)})`,
    `select sum((select max(j) from unnest(generate_array(1, 2000)) as j where mod(j, i) = 1)) as n from ${rows(100_000)}`,
    "select regexp_extract(repeat('a', 999999), '(a*)*(a*)*(a*)*b') is null as n",
    `select count(*) as n from ${many(38, (at) => `(select 1 as x${at} union all select 2) as a${at}`).join(', ')}`,
  ]),
  ...of('disk', [
    `select a from ${rows(1_000_000, 'a')}, ${rows(100, 'b')} order by mod(a * 7919, 1000003), b desc limit 1000`,
    `select count(*) as n from (select distinct mod(a * 31, 1000003), b from ${rows(1_000_000, 'a')}, ${rows(60, 'b')})`,
    'select count(*) as n, max(to_json_string(e)) as m from edge_logs e, edge_logs f, edge_logs g group by e.event_message, f.id',
    'select a.metadata as a, b.metadata as b, c.metadata as c from edge_logs a join edge_logs b on true join edge_logs c on true order by a.timestamp, b.timestamp, c.timestamp',
  ]),
];

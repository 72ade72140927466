import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ others: false, timeoutMs: 60_000 });
}, 60_000);
afterAll(() => world.close());

const failed = /^INVALID_PARAMETER sql: failed when it ran/;

test.each([
  // Each would take hours or many gigabytes, and could not be interrupted.
  ["edit_distance(repeat('a', 999999), repeat('b', 999991))", failed],
  ["edit_distance(repeat('é', 1000), repeat('b', 1000))", failed],
  ["repeat('a', 999999) like concat(repeat('%a', 20001), 'b')", failed],
  ["format('%*d', 100000000, 5)", /^INVALID_PARAMETER sql: line 1, column 8: FORMAT makes at most 1048576/],
  ["format('%100000000d', 5)", /^INVALID_PARAMETER sql: line 1, column 8: FORMAT makes at most 1048576/],
  ["format('%*d', 100000000 + id, 5)", failed],
  ["format('%.*d', 100000000 + id, 5)", failed],
  ["format('%.*f', 100000000 + id, numeric '1.5')", failed],
  ["replace(repeat('x', 1000), 'x', repeat('y', 999999))", failed],
  ["regexp_replace(repeat('x', 1000), 'x', repeat('y', 999999))", failed],
  ["regexp_replace(repeat('x', 999999), '(.*)', repeat(r'\\1', 5000))", failed],
  ["concat(repeat('x', 999999), repeat('x', 999999))", failed],
  ["repeat('x', 999999) || lower(repeat('x', 999999))", failed],
  ["array_to_string([repeat('x', 999999), repeat('x', 999999)], '')", failed],
  ["array_to_string(['', '', ''], repeat('x', 999999))", failed],
  ["concat(repeat(b'x', 999999), repeat(b'x', 999999))", failed],
  ["repeat(b'x', 999999) || repeat(b'x', 999999)", failed],
  ["replace(repeat(b'x', 1000), b'x', repeat(b'y', 99999))", failed],
  ["regexp_replace(repeat(b'x', 1000), b'x', repeat(b'y', 99999))", failed],
  ["array_to_string(['a', null, null], '', repeat('x', 999999))", failed],
  ["array_to_string([repeat(b'x', 999999), repeat(b'x', 999999)], b'')", failed],
  ["array_to_string([b'a', null, null], b'', repeat(b'x', 999999))", failed],
  ["cast(1 as string format repeat('9', 30000))", failed],
])(
  '%s fails',
  async (expression, message) => {
    expect(await world.run(`select ${expression} as x from logs where id = 1`)).toMatch(message);
  },
  60_000,
);

test.each([
  ["length(replace(repeat('xy', 1000), 'x', repeat('y', 1000)))", 1_001_000],
  ["replace('abc', 'b', '') || replace('abc', '', 'x')", 'acabc'],
  ["length(regexp_replace(repeat('ab', 100000), 'a', 'ccccc'))", 600_000],
  ["regexp_replace('abc', '(b)', r'[\\1]') || array_to_string(['a', null, 'b'], ',')", 'a[b]ca,b'],
  ["concat('a', cast(null as string))", undefined],
  ["array_to_string(['a', null, 'b'], ',', '-')", 'a,-,b'],
  [
    "to_hex(array_to_string([b'a', null, b'b'], b',', b'-') || array_to_string([b'a', null], b','))",
    '612c2d2c6261',
  ],
  ["array_to_string(['a', null], ',', cast(null as string))", undefined],
  ["concat(b'a', cast(null as bytes))", undefined],
  ["replace(cast(null as bytes), b'a', b'b') || b'a'", undefined],
  [
    "to_hex(replace(b'abc', b'b', b'\\xff') || replace(b'a', b'', b'x') || regexp_replace(b'a', b'a', b''))",
    '61ff6361',
  ],
  ["byte_length(concat(repeat(b'\\xff', 500000), repeat(b'x', 500000)))", 1_000_000],
  ["repeat('a', 100000) like '%a%a%a%a%b'", false],
  ["repeat('a', 100000) like concat('%a%a%a%a%', 'b')", false],
  [String.raw`'a%_b\n.c' like concat('%\\%', '%\\_b%', '%.c')`, true],
  [String.raw`'a%_b\n.c' like concat('%\\%', '%\\_', '%b.c')`, false],
  ["'a.c' like concat('%', 'a.', '%')", true],
  ["'abc' like concat('%', 'a.', '%')", false],
  ["'a\\nb' like concat('%', '_', '%')", true],
  ["length(initcap(repeat('a ', 5000)))", 10_000],
  ["length(initcap(repeat('a ', 500000)))", 1_000_000],
  ["initcap(repeat('aB ', 1000)) = repeat('Ab ', 1000)", true],
  ["initcap(concat(repeat('x', 2000), '_aB'), '_') = concat('X', repeat('x', 1999), '_Ab')", true],
  ["parse_bignumeric(' - 1,000.5e1 ') = bignumeric '-10005'", true],
  ["safe.parse_bignumeric(concat(repeat(' ', 4000), 'x'))", undefined],
  ["safe.parse_bignumeric(repeat('1', 8000))", undefined],
])(
  '%s is computed in time',
  async (expression, value) => {
    const outcome = await world.run(`select ${expression} as x from logs where id = 1`);
    expect(outcome).toBe(JSON.stringify([{ x: value }]));
  },
  60_000,
);

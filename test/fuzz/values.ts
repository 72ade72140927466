import type { Random } from '../../packages/bigquery-sql/test/support/random.ts';

/** Secrets of the run: the valid key, and one that callers put where it does not belong. */
export const secrets = { key: 'fuzz-k3y-5b1e9a', planted: 'planted-s3cret-41c7' } as const;

const texts = [
  '',
  'p',
  '0',
  '-1',
  '1e308',
  'null',
  'true',
  '__proto__',
  'constructor',
  'daily',
  'hourly',
  '1day',
  'FREE',
  '2026-01-01T00:00:00Z',
  '2026-02-30',
  '9999-12-31T23:59:59.999999Z',
  '0000-00-00',
  "' or 1=1 --",
  "'; drop table edge_logs; --",
  `$\{jndi:dns://evil.example}`,
  '{{7*7}}',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '%s%n%x',
  '\0',
  '\r\nSet-Cookie: a=b',
  '\u202eabc',
  '\ud800',
  '😀'.repeat(50),
  'é',
  '\uffff\ufeff',
  'x'.repeat(1_000),
  'x'.repeat(5_000),
  '.*',
  '(',
  '[',
  '\\',
  '(a+)+$',
  '(?i)P',
  'a{1000}',
  '((a{1,100}){1,100}){1,100}',
  '(?:[0-9].{1,9}[a-f].{1,9}){40}zz',
  '\\pL{30}',
  '\\Q.*',
  '(?=a)',
  '(?<n>a)',
  '\\C+',
  '[[:alpha:]]*',
  '^https?://p\\.',
  secrets.planted,
] as const;

/** Text likely to cause errors, mixed and cut at random. */
export function nastyText(random: Random): string {
  const text = random.one(texts);
  if (random.percent(60)) return text;
  const other = random.one(texts);
  return `${text.slice(0, random.below(text.length + 1))}${other.slice(random.below(other.length + 1))}`;
}

/** A JSON value of any kind. */
export function nastyJson(random: Random, depth = 0): unknown {
  if (depth < 4 && random.percent(20)) return random.some(4, () => nastyJson(random, depth + 1));
  if (depth < 4 && random.percent(20)) {
    return Object.fromEntries(random.some(4, () => [nastyText(random), nastyJson(random, depth + 1)]));
  }
  if (random.percent(60)) return nastyText(random);
  return random.one([null, true, false, 0, -0, 1.5, -1, 2 ** 53, 1e308, -1e308]);
}

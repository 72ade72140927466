import { describe, expect, test } from 'vitest';
import { KeyHistory } from '../../../src/keys/file/key-history.ts';
import type { KeyEntry } from '../../../src/keys/file/key-schema.ts';
import { parseKeys } from '../../../src/keys/file/parse-keys.ts';

const sha = (digit: string) => digit.repeat(64);

/** Each entry ends with another bound, and values have prefixes that are values too. */
const block = `# Ask Ann before you change anything.
keys:
  - id: aaaaaaaa # the dashboard
    name: Dashboard
    sha256: ${sha('a')}
    endpoints:
      - logs.all
      - usage.api-counts
    expires: 2027-01-31T00:00:00+05:00
    rate:
      requests_per_minute: 600
      concurrent_queries: 40
    allow: [10.0.0.0/16]
    permissions: [fresh]
    tenants:
      - abc-long
      - abc

  # Left the company.
  - id: bbbbbbbb
    sha256: ${sha('b')}
    name: Bob
    tenants: [abc]
    revoked: 2026-01-01T00:00:00Z
  - id: cccccccc
    sha256: ${sha('c')}
    name: Carol
    tenants: [abc, ünïcode]
    expires: 2026-12-31
  - id: dddddddd
    sha256: ${sha('d')}
    name: Dave
    tenants:
      - "x y"
      - xy
    rate: { requests_per_minute: 60 }
count: 4
# the end
`;

const flow = `{ keys: [
  { id: aaaaaaaa, name: A, sha256: ${sha('a')}, tenants: [abc, abcd], expires: 2027-01-31 }, # one
  { id: bbbbbbbb, name: B, sha256: ${sha('b')}, tenants: [abc], revoked: 2026-01-01 },
  { id: cccccccc, name: C, sha256: ${sha('c')}, endpoints: [logs.all], rate: { concurrent_queries: 40 } },
] }
`;

const json = JSON.stringify(
  {
    keys: [
      { id: 'aaaaaaaa', name: 'A', sha256: sha('a'), tenants: ['abc', 'abcd'], expires: '2027-01-31' },
      { id: 'bbbbbbbb', name: 'B', sha256: sha('b'), tenants: ['abc'], revoked: '2026-01-01' },
      { id: 'cccccccc', name: 'C', sha256: sha('c'), endpoints: ['logs.all'], allow: ['10.0.0.0/8'] },
      { id: 'dddddddd', name: 'D', sha256: sha('d'), rate: { requests_per_minute: 600 } },
    ],
  },
  null,
  2,
);

/** The key file of a team that has not changed it since before `count`: it may be used, but not be replaced. */
const withoutCount = block.replace('count: 4\n', '');

const files: Readonly<Record<string, string>> = {
  'block YAML with comments': block,
  'block YAML with CRLF': block.replaceAll('\n', '\r\n'),
  'block YAML without an end': withoutCount,
  'flow YAML': flow,
  JSON: json,
  'JSON with a count': json.replace(/\n\}$/, ',\n  "count": 4\n}\n'),
};

interface Counts {
  readonly prefixes: number;
  taken: number;
  refused: number;
  widened: number;
}

/** What is in use before the cut file is found. */
const befores: Readonly<Record<string, (whole: readonly KeyEntry[]) => readonly KeyEntry[]>> = {
  'the same keys': (whole) => whole,
  'no key': () => [],
  'stricter keys': (whole) =>
    whole.map((key) => ({ ...key, tenants: ['abc'], revoked: new Date('2025-01-01'), expires: new Date(0) })),
};

describe.each(Object.entries(files))('every prefix of %s', (_, text) => {
  const bytes = Buffer.from(text);
  const whole = parseKeys('keys', text).keys;
  const prefixes = Array.from(bytes, (_, length) => parseKeys('keys', bytes.subarray(0, length).toString()));
  test.each(Object.entries(befores))('gives no key anything, where there were %s', (_before, inUse) => {
    expect(whole.length).toBeGreaterThan(2);
    const counts: Counts = { prefixes: bytes.length, taken: 0, refused: 0, widened: 0 };
    for (const parsed of prefixes) {
      if (parsed.problems.length > 0) {
        counts.refused += 1;
        continue;
      }
      const { keys, refused } = new KeyHistory(inUse(whole)).consider(parsed);
      counts[refused.length === 0 ? 'taken' : 'refused'] += 1;
      const mayBe = [inUse(whole), whole];
      const isWider = keys.some((key) => !mayBe.some((allowed) => isWithin(key, allowed)));
      if (isWider) counts.widened += 1;
    }
    expect(counts.widened).toBe(0);
    expect(counts.taken + counts.refused).toBe(bytes.length);
    // What is taken has lost line breaks and comments only: of the last line.
    expect(counts.taken).toBeLessThan(15);
  });
});

/** Whether a key may do nothing that the key with its id in a list may not do. */
function isWithin(key: KeyEntry, allowed: readonly KeyEntry[]): boolean {
  if (key.revoked !== undefined) return true;
  const most = allowed.find(({ id }) => id === key.id);
  if (most === undefined || most.revoked !== undefined || most.sha256 !== key.sha256) return false;
  const isSubset = (few: readonly string[] | undefined, many: readonly string[] | undefined) =>
    many === undefined || few?.every((one) => many.includes(one)) === true;
  const isAtMost = (value: number | undefined, limit: number | undefined) =>
    limit === undefined || (value !== undefined && value <= limit);
  return (
    isSubset(key.endpoints, most.endpoints) &&
    isSubset(key.tenants, most.tenants) &&
    isSubset(key.allow, most.allow) &&
    isSubset(key.permissions, most.permissions) &&
    isAtMost(key.expires?.getTime(), most.expires?.getTime()) &&
    isAtMost(key.rate?.requests_per_minute, most.rate?.requests_per_minute) &&
    isAtMost(key.rate?.concurrent_queries, most.rate?.concurrent_queries)
  );
}

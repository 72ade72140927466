import { describe, expect, test } from 'vitest';
import { parseKeys } from '../../../src/keys/file/parse-keys.ts';

const sha256 = 'ab'.repeat(32);
const problemsOf = (text: string) =>
  parseKeys('keys.yaml', text).problems.map(({ file, line, message }) => `${file}:${line} ${message}`);

describe('a key file', () => {
  test('is parsed from YAML and from JSON', () => {
    const key = {
      id: 'abcd1234',
      name: 'Dashboard',
      sha256,
      endpoints: ['logs.all'],
      projects: ['abc'],
      expires: '2027-01-31',
      rate: { requests_per_minute: 600, concurrent_queries: 4 },
      permissions: ['fresh', 'catalog'],
      revoked: '2026-01-01T00:00:00+01:00',
    };
    const read = { ...key, expires: new Date('2027-01-31'), revoked: new Date('2025-12-31T23:00:00Z') };
    const yaml = `# a comment\nkeys:\n${Object.entries(key)
      .map(([name, value], at) => `  ${at === 0 ? '-' : ' '} ${name}: ${JSON.stringify(value)}\n`)
      .join('')}`;
    for (const text of [yaml, JSON.stringify({ keys: [key] })]) {
      expect(parseKeys('keys', text)).toMatchObject({ keys: [read], problems: [] });
    }
    expect(parseKeys('keys', 'keys: []')).toMatchObject({ keys: [], problems: [] });
  });

  test('has all its problems reported, each with its line', () => {
    const text = `keys:
  - id: 12345678
    name: a
    sha256: ${sha256.toUpperCase()}
    owner: me
    expires: soon
    projects: []
    rate: { requests_per_minute: 0, concurrent_queries: 1.5 }
    permissions: [all]
  - id: abcdefgh
    name: ''
    sha256: ${sha256}
    projects:
      - ok
      - 12
  - id: abcdefgh
    sha256: ${sha256}
    name: "two\\nlines"
`;
    expect(problemsOf(text)).toEqual([
      'keys.yaml:2 keys.0.id: must be text',
      'keys.yaml:4 keys.0.sha256: must be 64 lowercase hexadecimal digits',
      'keys.yaml:5 keys.0: unknown: owner',
      'keys.yaml:6 keys.0.expires: must be an ISO 8601 timestamp, as in 2027-01-31T12:00:00Z',
      'keys.yaml:7 keys.0.projects: must list at least one; omit it to allow all',
      'keys.yaml:8 keys.0.rate.requests_per_minute: must be at least 1',
      'keys.yaml:8 keys.0.rate.concurrent_queries: must be a whole number',
      'keys.yaml:9 keys.0.permissions.0: must be one of fresh, catalog, metrics',
      'keys.yaml:11 keys.1.name: must not be empty',
      'keys.yaml:15 keys.1.projects.1: must be text; in YAML, quote what looks like a number',
      'keys.yaml:18 keys.2.name: must be one line of Unicode',
    ]);
  });

  test.each([
    'keys:\n  - id: abcdefgh\n',
    'keys:\n  - id: abcdefgh\n    name:\n    sha256:\n',
    '{"keys": [{"id": "abcdefgh"}]}',
  ])('has missing properties reported: %j', (text) => {
    expect(parseKeys('keys', text).problems.map(({ message }) => message)).toEqual([
      'keys.0.name: is missing',
      'keys.0.sha256: is missing',
    ]);
  });

  test('with a duplicate id is rejected', () => {
    const key = (name: string) => ({ id: 'abcdefgh', name, sha256 });
    const text = JSON.stringify({ keys: [key('a'), key('b')] }, null, 1);
    const line = text.split('\n').findLastIndex((one) => one.includes('abcdefgh')) + 1;
    expect(problemsOf(text)).toEqual([`keys.yaml:${line} keys.1.id: abcdefgh is also the id of another key`]);
  });

  test.each([
    ['', '1 is empty'],
    ['# nothing\n', '1 is empty'],
    ['keys: [', '1 not valid YAML'],
    ['[]', '1 must be an object'],
    ['keys: 5', '1 keys: must be an array'],
    ['keys: []\nmore: 1', '2 unknown: more'],
  ])('%j is not a key file', (text, message) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`keys.yaml:${message}`);
  });
});

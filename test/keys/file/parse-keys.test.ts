import { describe, expect, test } from 'vitest';
import { bounds } from '../../../src/keys/file/key-schema.ts';
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
      tenants: ['abc'],
      expires: '2027-01-31',
      rate: { requests_per_minute: 600, concurrent_queries: 4 },
      permissions: ['fresh', 'catalog'],
      revoked: '2026-01-01T00:00:00+01:00',
    };
    const read = {
      ...key,
      expires: new Date('2027-01-31'),
      revoked: new Date('2025-12-31T23:00:00Z'),
    };
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
    tenants: []
    rate: { requests_per_minute: 0, concurrent_queries: 1.5 }
    permissions: [all]
  - id: abcdefgh
    name: ''
    sha256: ${sha256}
    tenants:
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
      'keys.yaml:7 keys.0.tenants: must list at least one; write all, or omit it, to allow all',
      'keys.yaml:8 keys.0.rate.requests_per_minute: must be at least 1',
      'keys.yaml:8 keys.0.rate.concurrent_queries: must be a whole number',
      'keys.yaml:9 keys.0.permissions.0: must be one of fresh, catalog, metrics, sql',
      'keys.yaml:11 keys.1.name: must not be empty',
      'keys.yaml:15 keys.1.tenants.1: must be text; in YAML, quote what looks like a number',
      'keys.yaml:18 keys.2.name: must be one line of Unicode',
    ]);
  });

  test.each([
    ['ip: 10.0.0.1', 'ip; did you mean allow?'],
    ['tenant: a', 'tenant; did you mean tenants?'],
    ['requests_per_minute: 5', 'requests_per_minute; it belongs inside of rate'],
  ])('has %s answered with what is probably meant', (line, message) => {
    const text = `keys:\n  - id: abcdefgh\n    name: a\n    sha256: ${sha256}\n    ${line}\n`;
    expect(problemsOf(text)).toEqual([`keys.yaml:5 keys.0: unknown: ${message}`]);
  });

  test.each([
    ['endpoints: "*"', 'endpoints: must be a list, as in [logs.all], or all'],
    ['tenants: "*"', 'tenants: must be a list, as in [acme], or all'],
    ['allow: 10.0.0.1', 'allow: must be a list, as in [10.0.0.0/8], or all'],
    ['permissions: sql', 'permissions: must be a list, as in [fresh, sql]'],
    ['rate: 600', 'rate: must be an object, as in { requests_per_minute: 600 }'],
  ])('has %s answered with what is right', (line, message) => {
    const text = `keys:\n  - id: abcdefgh\n    name: a\n    sha256: ${sha256}\n    ${line}\n`;
    expect(problemsOf(text)).toEqual([`keys.yaml:5 keys.0.${message}`]);
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

  test('without tenants, or with all, has no such bound, and with another name is refused', () => {
    const key = (more: object) => JSON.stringify({ keys: [{ id: 'abcdefgh', name: 'a', sha256, ...more }] });
    expect(parseKeys('keys', key({ tenants: ['abc'] })).keys).toMatchObject([
      { tenants: ['abc'], stated: ['tenants'] },
    ]);
    const { keys } = parseKeys('keys', key({ tenants: 'all' }));
    expect(keys).toMatchObject([{ stated: ['tenants'] }]);
    expect(keys[0]?.tenants).toBeUndefined();
    expect(problemsOf(key({ projects: ['abc'] }))).toEqual(['keys.yaml:1 keys.0: unknown: projects']);
  });

  test('says with a word that a key does not have a bound', () => {
    const words = {
      endpoints: 'all',
      tenants: 'all',
      allow: 'all',
      expires: 'never',
      rate: 'unlimited',
      budget: 'unlimited',
      revoked: 'never',
    };
    const yaml = `keys:\n  - { id: abcdefgh, name: a, sha256: ${sha256}, ${Object.entries(words)
      .map((pair) => pair.join(': '))
      .join(', ')} }\n`;
    const [key] = parseKeys('keys', yaml).keys;
    expect(key?.stated).toEqual(bounds);
    for (const bound of ['endpoints', 'tenants', 'allow', 'expires', 'rate', 'budget', 'revoked'] as const) {
      expect(key?.[bound], bound).toBeUndefined();
    }
    const half = yaml.replace('rate: unlimited', 'rate: { requests_per_minute: unlimited }');
    expect(parseKeys('keys', half).keys[0]?.stated).not.toContain('concurrent_queries');
    for (const [name, word] of Object.entries(words)) {
      const other = word === 'all' ? 'never' : 'all';
      expect(problemsOf(yaml.replace(`${name}: ${word}`, `${name}: ${other}`)), name).toHaveLength(1);
    }
  });

  test.each([
    ['10.0.0.0/8', true],
    ['192.0.2.1', true],
    ['2001:db8::/32', true],
    ['::1', true],
    ['10.0.0.0/33', false],
    ['10.0.0/8', false],
    ['10.0.0.0/8/8', false],
    ['fe80::1%eth0', false],
    ['example.com', false],
    ['', false],
  ])('takes %j as an address of allow: %s', (range, isValid) => {
    const text = JSON.stringify({ keys: [{ id: 'abcdefgh', name: 'a', sha256, allow: [range] }] });
    expect(problemsOf(text).length === 0).toBe(isValid);
  });

  test.each([
    ['{"keys": []}', true],
    ['keys: []\n', true],
    ['keys: [] # none\n# none\n', true],
    ['{ keys: [{ id: abcdefgh, name: a, sha256: S }] }', true],
    ['keys: [{ id: abcdefgh, name: a, sha256: S }]\n', true],
    ['keys:\n  - { id: abcdefgh, name: a, sha256: S }\n', false],
    ['keys:\n  - id: abcdefgh\n    name: a]\n    sha256: S\n', false],
    ['count: 1\nkeys:\n  - { id: abcdefgh, name: a, sha256: S }\n', false],
    ['keys:\n  - { id: abcdefgh, name: a, sha256: S }\ncount: 1 # end\n', true],
  ])('%j is whole: %s', (text, isWhole) => {
    expect(parseKeys('keys', text.replace('S', sha256))).toMatchObject({ problems: [], isWhole });
  });

  test('with another number of keys than it says is rejected', () => {
    const text = `keys:\n  - { id: abcdefgh, name: a, sha256: ${sha256} }\ncount: 12\n`;
    expect(problemsOf(text)).toEqual([
      'keys.yaml:3 count: says 12, but the file has 1 keys; write count: 1 when none is missing',
    ]);
  });

  test('with a duplicate id is rejected', () => {
    const key = (name: string) => ({ id: 'abcdefgh', name, sha256 });
    const text = JSON.stringify({ keys: [key('a'), key('b')] }, null, 1);
    const line = text.split('\n').findLastIndex((one) => one.includes('abcdefgh')) + 1;
    expect(problemsOf(text)).toEqual([`keys.yaml:${line} keys.1.id: abcdefgh is also the id of another key`]);
  });

  test.each([
    ['"tenants": ["abc"],\n"tenants": "all"', 5],
    ['"allow": [],\n"all\\u006fw": []', 5],
    ['"tenants": [{ "__proto__": 1,\n"__proto__": 2 }]', 5],
  ])('JSON with a name twice in one object is rejected: %s', (members, line) => {
    const text = `{"keys":\n[{"id": "abcdefgh",\n"name": "a: \\"b\\"", "sha256": "${sha256}",\n${members}}]}`;
    expect(problemsOf(text)).toEqual([
      `keys.yaml:${line} not valid JSON: this key is there already; each may be given once`,
    ]);
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

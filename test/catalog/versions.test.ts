import { afterEach, describe, expect, test } from 'vitest';
import { lookUpQuery } from '../../src/catalog/model/find-query.ts';
import { loadCatalog } from '../../src/catalog/folder/load-catalog.ts';
import { publicNames } from '../../src/catalog/model/versions.ts';
import { resolveEndpoints } from '../../src/keys/principal.ts';
import { makeQueryFolder, type QueryFolder, queryText, uuidOf } from '../support/query-folder.ts';

let folder: QueryFolder | undefined;
afterEach(() => folder?.close());

const load = (files: Record<string, string>) => {
  folder = makeQueryFolder(files);
  return loadCatalog(folder.folder);
};
const text = (id: number, header = '') => queryText({ id: uuidOf(id), header });

const tenant = (more = '') => ({
  header: `${more}parameters:\n  project: { type: string, tenant: true, required: true, description: whose rows }\n`,
  sql: "SELECT 1 AS n FROM (SELECT 'a' AS project) AS t WHERE t.project = @project",
});

describe('names of versions', () => {
  test('the name means the file without a number, and each number its version', () => {
    const catalog = load({ 'a.b.sql': text(1), 'a.b@2.sql': text(2), 'c.sql': text(3) });
    const found = (address: string) => lookUpQuery(catalog, address)?.name;
    expect(['a.b', 'a.b@1', 'a.b@2', 'a.b@3', 'c', 'c@1', uuidOf(2)].map(found)).toEqual([
      'a.b',
      'a.b',
      'a.b@2',
      undefined,
      'c',
      'c',
      'a.b@2',
    ]);
    expect(publicNames(catalog).map(({ name, field, query }) => [name, field, query.name])).toEqual([
      ['a.b', 'aB', 'a.b'],
      ['a.b@1', 'aBV1', 'a.b'],
      ['a.b@2', 'aBV2', 'a.b@2'],
      ['c', 'c', 'c'],
    ]);
  });

  test('a header moves the name to its version', () => {
    const catalog = load({ 'a.sql': text(1), 'a@2.sql': text(2, 'default: true\n') });
    expect(lookUpQuery(catalog, 'a')?.name).toBe('a@2');
    expect(publicNames(catalog).map(({ name, query }) => [name, query.name])).toEqual([
      ['a@1', 'a'],
      ['a', 'a@2'],
      ['a@2', 'a@2'],
    ]);
  });

  test('which version is the default does not depend on the part that a key may see', () => {
    const { queries } = load({ 'a.sql': text(1), 'a@2.sql': text(2, 'default: true\n') });
    const part = queries.filter(({ name }) => name === 'a');
    expect(publicNames({ queries: part, all: queries }).map(({ name }) => name)).toEqual(['a@1']);
  });

  test('without a default, only numbers are addresses', () => {
    const catalog = load({ 'a@2.sql': text(2), 'a@10.sql': text(10) });
    expect(lookUpQuery(catalog, 'a')).toBeUndefined();
    expect(lookUpQuery(catalog, 'a@10')?.name).toBe('a@10');
  });

  test('a key for a name may query all its versions, one for a number, a UUID or an alias only that one', () => {
    const catalog = load({
      'a.sql': text(1, 'aliases: [old-a]\n'),
      'a@2.sql': text(2),
      'a@3.sql': text(3, 'default: true\n'),
    });
    const idsOf = (...endpoints: string[]) => [...(resolveEndpoints(catalog, { endpoints }).ids ?? [])];
    expect(idsOf('a')).toEqual([uuidOf(1), uuidOf(2), uuidOf(3)]);
    expect(idsOf('a@1')).toEqual([uuidOf(1)]);
    expect(idsOf('a@3')).toEqual([uuidOf(3)]);
    expect(idsOf('old-a')).toEqual([uuidOf(1)]);
    expect(idsOf(uuidOf(2))).toEqual([uuidOf(2)]);
    expect(resolveEndpoints(catalog, { endpoints: ['a@4', 'b'] }).unknown).toEqual(['a@4', 'b']);
  });
});

describe('refused', () => {
  test.each<[string, Record<string, string>, RegExp]>([
    ['version 0', { 'a@0.sql': text(1) }, /a@0\.sql the name must be/],
    ['a leading zero', { 'a@02.sql': text(1) }, /a@02\.sql the name must be/],
    ['two numbers', { 'a@2@3.sql': text(1) }, /a@2@3\.sql the name must be/],
    ['a number too long', { 'a@10000.sql': text(1) }, /the name must be/],
    [
      'version 1 twice',
      { 'a.sql': text(1), 'a@1.sql': text(2) },
      /a@1\.sql:1 version 1 of a is already .*a\.sql/,
    ],
    [
      'two defaults',
      { 'a@2.sql': text(2, 'default: true\n'), 'a@3.sql': text(3, 'default: true\n') },
      /a@3\.sql:1 default: .*a@2\.sql is already the default version of a/,
    ],
    [
      'the GraphQL field of another version',
      { 'a.sql': text(1), 'a.v2.sql': text(3), 'a@2.sql': text(2) },
      /has the same GraphQL field as .*: aV2/,
    ],
    [
      'the GraphQL field that the first version has because of the second',
      { 'a.sql': text(1), 'a.v1.sql': text(3), 'a@2.sql': text(2) },
      /has the same GraphQL field as .*: aV1/,
    ],
    [
      'another tenant',
      {
        'a.sql': queryText({ id: uuidOf(1), ...tenant() }),
        'a@2.sql': queryText({ id: uuidOf(2) }),
      },
      /a@2\.sql:1 all versions must have the same tenant: .*a\.sql has project, and this file none/,
    ],
    [
      'a tenant that is not checked any more',
      {
        'a.sql': queryText({ id: uuidOf(1), ...tenant() }),
        'a@2.sql': queryText({ id: uuidOf(2), ...tenant('tenant_unchecked: trust me\n') }),
      },
      /has project, and this file project with tenant_unchecked/,
    ],
    ['a shadow of itself', { 'a.sql': text(1, 'shadow: a@1\n') }, /shadow: version 1 is this file/],
    ['a shadow of another query', { 'a.sql': text(1, 'shadow: b@2\n') }, /shadow: must be a version of a/],
    [
      'a shadow that is missing',
      { 'a.sql': text(1, 'shadow: 2\n') },
      /a\.sql:1 shadow: no saved query is named a@2/,
    ],
    [
      'a shadow without a number',
      { 'a.sql': text(1, 'shadow: a\n') },
      /shadow: must be a name with a number/,
    ],
    ['no share', { 'a.sql': text(1, 'shadow: { version: 2, share: 0 }\n') }, /shadow/],
    ['a share of more than all', { 'a.sql': text(1, 'shadow: { version: 2, share: 1.5 }\n') }, /shadow/],
    ['a deprecation without a day', { 'a.sql': text(1, 'deprecated: {}\n') }, /deprecated\.since/],
    [
      'a day that does not exist',
      { 'a.sql': text(1, 'deprecated: { since: 2026-02-30 }\n') },
      /deprecated\.since: must be a day of the calendar/,
    ],
    [
      'a sunset before the deprecation',
      { 'a.sql': text(1, 'deprecated: { since: 2026-02-03, sunset: 2026-02-02 }\n') },
      /deprecated\.sunset: must not be before since/,
    ],
    [
      'a successor that is missing',
      { 'a.sql': text(1, 'deprecated: { since: 2026-02-03, successor: a@2 }\n') },
      /deprecated\.successor: no saved query is named a@2/,
    ],
    [
      'itself as successor',
      { 'a.sql': text(1, 'deprecated: { since: 2026-02-03, successor: a }\n') },
      /deprecated\.successor: a is this query itself/,
    ],
  ])('%s is refused', (_what, files, message) => {
    expect(() => load(files)).toThrow(message);
  });
});

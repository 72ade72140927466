import { buildSchema, validateSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildAnalyze } from '../../../src/catalog-analysis/analyze-catalog.ts';
import { loadCatalog } from '../../../src/catalog/folder/load-catalog.ts';
import { printSubgraph } from '../../../src/plugins/federation/subgraph.ts';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { makeQueryFolder } from '../../support/query-folder.ts';
import { subgraphFiles } from './subgraph.ts';

/** As the proposal declares them. */
const directives = `directive @lookup on FIELD_DEFINITION
directive @internal on OBJECT | FIELD_DEFINITION
directive @inaccessible on FIELD_DEFINITION | OBJECT | INTERFACE | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION
directive @key(fields: String!) repeatable on OBJECT | INTERFACE
directive @shareable repeatable on OBJECT | FIELD_DEFINITION
directive @external on FIELD_DEFINITION
directive @override(from: String!) on FIELD_DEFINITION
`;

describe('the source schema of composite schemas', () => {
  const folder = makeQueryFolder(subgraphFiles);
  const sdl = printSubgraph(buildAnalyze()(loadCatalog(folder.folder)), 'composite');
  folder.close();

  test('is valid with the directives of the proposal alone', () => {
    expect(validateSchema(buildSchema(directives + sdl))).toEqual([]);
    expect(sdl).not.toMatch(/@link|@tag|resolvable|_entities|_service|_Any/);
  });

  test('has a lookup for each key of an entity with fields, whose arguments are fields of the key', () => {
    const lines = sdl.split('\n').filter((line) => line.includes('@lookup'));
    expect(lines.map((line) => line.trim())).toEqual(
      expect.arrayContaining(['_findProjectByRef(ref: ID!): Project @lookup @internal']),
    );
    expect(sdl).toMatch(/type Project @key\(fields: "ref"\)/);
    for (const line of lines) {
      const [, names = '', type = ''] = /\(([^)]*)\): (\w+) @lookup/.exec(line) ?? [];
      const key = [...names.matchAll(/(\w+):/g)].map(([, name]) => name).join(' ');
      expect(sdl).toMatch(new RegExp(`type ${type}\\b[^{]*@key\\(fields: "${key}"\\)`));
    }
    // Only keys of it are known here.
    expect(sdl).toMatch(/type User @key\(fields: "id"\) \{/);
    expect(lines.join()).not.toContain('_findUserBy');
  });
});

describe('a gateway', () => {
  let app: FolderApp;
  beforeAll(async () => {
    app = await openFolderApp(subgraphFiles, { env: { FEDERATION: 'on' } });
  });
  afterAll(() => app.close());

  test('answers lookups, and does not show them to routers of Federation', async () => {
    const { data, errors } = await app.graphql(
      '{ _findProjectByRef(ref: "b") { ref usage(days: 2) { rows { day } } } }',
    );
    expect(errors).toBeUndefined();
    expect(data).toEqual({ _findProjectByRef: { ref: 'b', usage: { rows: [{ day: 1 }, { day: 2 }] } } });
    const service = (await app.graphql('{ _service { sdl } }')).data?._service as { sdl: string };
    expect(service.sdl).not.toContain('ByRef');
  });

  test('refuses a lookup as it does a representation', async () => {
    const { data, errors = [] } = await app.graphql('{ _findProjectByRef(ref: "") { ref } }');
    expect([data, errors[0]?.message]).toEqual([
      { _findProjectByRef: null },
      expect.stringContaining('ref: must be'),
    ]);
  });
});

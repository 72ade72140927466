import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { GraphQLSchema, isEnumType, isObjectType, printSchema, validateSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { loadAnalyzed } from '../../../../src/catalog-analysis/load-analyzed.ts';
import { buildSchema } from '../../../../src/http/graphql/schema/schema.ts';
import { randomCatalog } from '../../../support/random-catalog.ts';

describe('schema.graphql', () => {
  const schema = buildSchema(loadAnalyzed('queries'));

  test('is up to date; `npm run schema` prints it again', () => {
    expect(readFileSync('schema.graphql', 'utf8')).toBe(`${printSchema(schema)}\n`);
  });

  test('describes every type, field, argument and enum value', () => {
    expect(undescribed(schema)).toEqual([]);
  });

  test('is valid: graphql-js does not check it again', () => {
    const problemsOf = (schema: GraphQLSchema) =>
      validateSchema(new GraphQLSchema({ ...schema.toConfig(), assumeValid: false }));
    expect(problemsOf(schema)).toEqual([]);
    const property = fc.property(randomCatalog, (catalog) => {
      expect(problemsOf(buildSchema(catalog))).toEqual([]);
    });
    fc.assert(property);
  });

  test('has the same types for a query that is in another version of the catalog too', () => {
    const catalog = loadAnalyzed('queries');
    const { queries } = catalog;
    const versions = [catalog, { ...catalog, queries: queries.slice(0, 1), all: queries }];
    const [whole, part] = versions.map((version) => buildSchema(version));
    const type = whole?.getQueryType()?.getFields().functionsInvocationStats?.type;
    expect(type).toBeDefined();
    expect(part?.getQueryType()?.getFields().functionsInvocationStats?.type).toBe(type);
  });
});

function undescribed(schema: GraphQLSchema): readonly string[] {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  return types.flatMap((type) => {
    const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
    const values = isEnumType(type) ? type.getValues() : [];
    const parts = [
      ...fields.map(({ name, description }) => ({ name, description })),
      ...fields.flatMap((field) =>
        field.args.map((arg) => ({ name: `${field.name}.${arg.name}`, description: arg.description })),
      ),
      ...values.map(({ name, description }) => ({ name, description })),
    ];
    const missing = parts.filter(({ description }) => !description).map(({ name }) => `${type.name}.${name}`);
    return type.description ? missing : [type.name, ...missing];
  });
}

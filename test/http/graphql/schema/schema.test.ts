import { readFileSync } from 'node:fs';
import { type GraphQLSchema, isEnumType, isObjectType, printSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { loadTypedCatalog } from '../../../../src/engine/records/complete-records.ts';
import { buildSchema } from '../../../../src/http/graphql/schema/schema.ts';

describe('schema.graphql', () => {
  const schema = buildSchema(loadTypedCatalog('queries'));

  test('is up to date; `npm run schema` prints it again', () => {
    expect(readFileSync('schema.graphql', 'utf8')).toBe(`${printSchema(schema)}\n`);
  });

  test('describes every type, field, argument and enum value', () => {
    expect(undescribed(schema)).toEqual([]);
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

import { buildASTSchema, parse, print, printSchema, validate, visit } from 'graphql';
import { expect, test } from 'vitest';
import { loadAnalyzed } from '../../src/catalog-analysis/load-analyzed.ts';
import { graphqlExamples } from '../../src/gateway/examples.ts';
import { buildSchema } from '../../src/http/graphql/schema/schema.ts';
import { queryText } from '../support/queries.ts';
import { makeQueryFolder } from '../support/query-folder.ts';

const parameters = {
  exact: '{ type: boolean, example: True, description: Exact. }',
  least: '{ type: integer, example: "+5", description: Least. }',
  ratio: '{ type: float, example: .5, description: Ratio. }',
  ratios: '{ type: float, repeated: true, example: [5., "+1E3"], description: Ratios. }',
  kind: '{ type: enum, enum: Kind, example: some, description: Kind., values: { all: { name: ALL, description: All }, some: { name: SOME, description: Some } }, default: all }',
};

test('an example is a valid operation, however its description and its values are written', () => {
  const text = queryText({
    name: 'examples',
    columns: { n: 'integer' },
    parameters,
    sql: 'select array_length(@ratios) + length(concat(@exact, @least, @ratio, @kind)) as n',
  }).replace(/^description: .*$/m, 'description: |\n  The first line.\n\n  The third } line.');
  const folder = makeQueryFolder({ 'examples.sql': text });
  try {
    const catalog = loadAnalyzed(folder.folder);
    const [example = ''] = graphqlExamples(catalog);
    expect(example).toMatch(/^# The first line\.\n#\n# The third } line\.\nquery Examples \{/);
    const document = parse(example);
    expect(validate(buildASTSchema(parse(printSchema(buildSchema(catalog)))), document)).toEqual([]);
    const values: string[] = [];
    visit(document, { Argument: ({ name, value }) => void values.push(`${name.value}: ${print(value)}`) });
    expect(values).toEqual(['exact: true', 'least: 5', 'ratio: 0.5', 'ratios: [5, 1000]', 'kind: SOME']);
  } finally {
    folder.close();
  }
});

import { sameName } from '@querygate/bigquery-sql/types';
import { problem, type SchemaProblem } from '../../files/schema-problems.ts';
import { graphqlNames } from '../../names/graphql-names.ts';
import type { Header } from './header-schema.ts';
import type { DeclaredFields } from './schema/record-fields.ts';

/** BigQuery nests records as deep. */
const maxDepth = 15;

/** Checks the fields that records declare. */
export function checkRecordFields({ columns }: Header): readonly SchemaProblem[] {
  return Object.entries(columns).flatMap(([name, { type, fields }]) =>
    fields === undefined ? [] : checkFields(['columns', name, 'fields'], type, fields),
  );
}

type Path = readonly string[];

function checkFields(path: Path, type: string, fields: DeclaredFields): readonly SchemaProblem[] {
  if (type !== 'record') return [problem(path, `only a record has fields, not ${type}`)];
  if (fields === 'any') return [];
  // The path has two names for each level, and begins with `columns`.
  if (path.length > 2 * maxDepth + 1) return [problem(path, `records may be ${maxDepth} levels deep`)];
  const names = Object.keys(fields);
  return Object.entries(fields).flatMap(([name, field], at) => {
    const own = [...path, name];
    const problems = [...nameProblems(own, names, at)];
    if (typeof field !== 'string' && field.fields !== undefined)
      problems.push(...checkFields([...own, 'fields'], field.type, field.fields));
    return problems;
  });
}

function nameProblems(path: Path, names: readonly string[], at: number): readonly SchemaProblem[] {
  const [name = '', before] = [names[at], names.slice(0, at)];
  const inSql = before.find((other) => sameName(other, name));
  if (inSql !== undefined) return [problem(path, `is the same name as ${inSql} in SQL`)];
  const graphql = graphqlNames(names.slice(0, at + 1).map((one) => ({ name: one })));
  const plain = graphqlNames([{ name }])[0];
  const twin = before.find((_, other) => graphql[other] === plain);
  return twin === undefined ? [] : [problem(path, `is the same name as ${twin} in GraphQL: ${plain}`)];
}

import { ProblemError, type Source } from '@querygate/bigquery-sql/problem';
import { sameName, type TypedParameter } from '@querygate/bigquery-sql/types';
import { headerless } from 'querygate/catalog';
import type { FolderParts } from '../catalog-types.ts';
import type { DescribedParameter, ProposedType } from './describe-parameters.ts';

/** SQL without a header, and what it can read of the folder that it is for. */
export interface NewSql {
  /** Of the query. */
  readonly name: string;
  readonly sql: string;
  readonly source: Source;
  readonly parts: FolderParts;
}

/** SQL with the queries, views and functions that it reads. @throws ProblemError if they cannot be put together */
export function linkedSql(
  { parts, ...text }: NewSql,
  parameters: readonly TypedParameter[],
): { readonly sql: string; readonly source: Source } {
  const { problems, sql, source } = parts.link(queryFile(text, parameters));
  if (problems.length > 0) throw new ProblemError('The SQL cannot read what it names', problems);
  return { sql, source };
}

/** The parameters that parts take of the SQL, as their headers declare them. */
export function takenParameters({ parts, ...text }: NewSql): readonly DescribedParameter[] {
  const taken = parts.taken(queryFile(text, []));
  const first = taken.filter(({ name }, at) => taken.findIndex((one) => sameName(one.name, name)) === at);
  return first.map(({ name, parameter, declared }): DescribedParameter => {
    const header = declared() as Readonly<Record<string, unknown>>;
    return {
      name,
      type: header.type as ProposedType,
      required: header.required === true,
      values: [],
      bind: parameter.bind,
      repeated: parameter.repeated ?? false,
      isList: false,
      declared: header,
    };
  });
}

const queryFile = (
  { name, sql, source: { file, line } }: Omit<NewSql, 'parts'>,
  parameters: readonly TypedParameter[],
) => ({ ...headerless(sql, line, parameters), name, file, text: sql });

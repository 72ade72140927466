import { problemAt } from '@querygate/bigquery-sql/problem';
import type { Problem } from '../../errors.ts';
import type { Parameter, SavedQuery } from '../model/saved-query.ts';
import { parameterUses } from './sql/check-parameter-use.ts';
import type { Header } from './header-schema.ts';
import type { HeaderAndSql } from './split-file.ts';

/**
 * Parameters with which LIMIT or OFFSET would fail: both take an INT64 that is neither NULL nor negative.
 *
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#limit_and_offset_clause
 */
export function checkLimits(
  file: string,
  { parameters }: Header,
  { sql, source, lineOf }: Pick<SavedQuery, 'sql' | 'source'> & Pick<HeaderAndSql, 'lineOf'>,
): readonly Problem[] {
  return limitUses(sql).flatMap(({ name, start, clause }) => {
    const declared = parameters[name];
    if (declared?.bind !== 'INT64' || declared.repeated) return [];
    const problem = (message: string) => {
      const found = problemAt(sql, source, start, message);
      // In a part of another file, the clause is right, and the parameter is not.
      return found.file === file ? found : { file, line: lineOf(['parameters', name]), message };
    };
    if (!declared.required && declared.default === undefined) {
      const message = `${clause} @${name}: @${name} is NULL if it is absent, and ${clause} takes no NULL; give it a default, or required: true`;
      return [problem(message)];
    }
    const isNegative = String(declared.default ?? 0).startsWith('-');
    return isNegative ? [problem(`${clause} @${name}: its default is negative`)] : [];
  });
}

/** The parameters of a query; those of LIMIT and OFFSET are not negative. */
export function withLimits(parameters: readonly Parameter[], sql: string): readonly Parameter[] {
  const names = new Set(limitUses(sql).map(({ name }) => name));
  return parameters.map((parameter) =>
    parameter.bind === 'INT64' &&
    !parameter.repeated &&
    parameter.min === undefined &&
    names.has(parameter.name)
      ? { ...parameter, min: '0' }
      : parameter,
  );
}

interface LimitUse {
  readonly name: string;
  readonly start: number;
  readonly clause: 'LIMIT' | 'OFFSET';
}

const limitUses = (sql: string): readonly LimitUse[] =>
  parameterUses(sql).uses.flatMap(({ name, start, before }) =>
    before?.key === 'LIMIT' || before?.key === 'OFFSET' ? [{ name, start, clause: before.key }] : [],
  );

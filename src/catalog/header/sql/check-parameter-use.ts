import { problemAt } from '@querygate/bigquery-sql/problem';
import { type Token, tokenize } from '@querygate/bigquery-sql/syntax';
import { didYouMean } from '@querygate/text';
import type { Problem } from '../../../errors.ts';
import type { SchemaProblem } from '../../../files/schema-problems.ts';
import type { HeaderAndSql } from '../split-file.ts';

/**
 * Parameters that are declared but not used in the SQL, or used but not declared; also found in a header with other
 * problems. Unused parameters are not reported for SQL that is not a query, or that does not end in a token.
 *
 * @param passed the parameters that queries which this one reads use; undefined if one of them is not known
 */
export function checkParameterUse(
  file: string,
  { header, sql, sqlLine, lineOf }: HeaderAndSql,
  passed: readonly string[] | undefined,
): readonly Problem[] {
  const keys = Object.keys((header as { parameters?: object } | null)?.parameters ?? {});
  // A name that cannot be one has a problem of its own, whose message says what it should be.
  const declared = keys.map((name) => name.replace(/\W/g, '_'));
  const { uses, isQuery } = parameterUses(sql);
  const firstUses = new Map<string, number>();
  for (const { name, start } of uses) if (!firstUses.has(name)) firstUses.set(name, start);
  return [
    ...declared.flatMap((name, at) => {
      if (!isQuery || firstUses.has(name) || (passed?.includes(name) ?? true)) return [];
      const placeholder = placeholderOf(name, sql);
      if (placeholder !== undefined) {
        const message = `a parameter is written @${name}, without quotes, and not ${placeholder.text}`;
        return problemAt(sql, { file, line: sqlLine }, placeholder.start, message);
      }
      const message = `parameters.${name}: declared, but the SQL never uses @${name}`;
      return { file, line: lineOf(['parameters', keys[at] ?? name]), message };
    }),
    ...[...firstUses]
      .filter(([name]) => !declared.includes(name))
      .map(([name, start]) => {
        const meant = didYouMean(
          `@${name}`,
          declared.map((other) => `@${other}`),
        );
        const message = `@${name} is used, but not declared under parameters${meant}`;
        return problemAt(sql, { file, line: sqlLine }, start, message);
      }),
  ];
}

/** True if a problem of a header is why its parameters are not known: they have another key, or another form. */
export const hidesParameters = (problems: readonly SchemaProblem[]): boolean =>
  problems.some(
    ({ path, message }) =>
      path.length === 1 &&
      ((path[0] === 'parameters' && message.startsWith('parameters: must be')) ||
        message.endsWith('; did you mean parameters?')),
  );

/** Functions may be declared before a query. */
function startsQuery(tokens: readonly Token[]): boolean {
  const [first, ...others] = tokens.map(({ key }) => key);
  if (first === 'CREATE') return others.slice(0, 5).includes('FUNCTION');
  return first !== undefined && ['SELECT', 'WITH', 'FROM', '('].includes(first);
}

/** Where SQL has a parameter as templates and other clients write it; `?` and `$1` are without its name. */
function placeholderOf(
  name: string,
  sql: string,
): { readonly start: number; readonly text: string } | undefined {
  const pattern = String.raw`\{\{[\s-]*${name}\b[^{}\n]*\}\}|\$\{\s*${name}\s*\}|%\(${name}\)s|(?<![:\w])[:$]${name}\b|(['"])@${name}\1`;
  const found =
    new RegExp(pattern).exec(sql) ?? /(?<=[=<>(,]\s*|\b(?:like|limit|in)\s+)(?:\?|\$\d+)/i.exec(sql);
  return found === null ? undefined : { start: found.index, text: found[0] };
}

interface ParameterUse {
  readonly name: string;
  /** The offset of its `@`. */
  readonly start: number;
  /** The token before it. */
  readonly before: Token | undefined;
}

/**
 * Every `@name` in BigQuery SQL, in the order of the text, as far as it has tokens. `isQuery` is false for another statement,
 * and for a text that is not all tokens.
 */
export function parameterUses(sql: string): {
  readonly uses: readonly ParameterUse[];
  readonly isQuery: boolean;
} {
  const tokens = tokenize(sql);
  const uses = tokens.flatMap((token, at): ParameterUse[] => {
    const next = tokens[at + 1];
    if (token.key !== '@' || (next?.kind !== 'word' && next?.kind !== 'quoted name')) return [];
    const name = next.kind === 'word' ? next.text : next.name;
    return [{ name, start: token.start, before: tokens[at - 1] }];
  });
  return { uses, isQuery: tokens.at(-1)?.kind === 'end' && startsQuery(tokens) };
}

import { problemAt } from '@querygate/bigquery-sql/problem';
import { type Token, tokenize } from '@querygate/bigquery-sql/syntax';
import { didYouMean } from '@querygate/bigquery-sql/text';
import type { Problem } from '../../errors.ts';
import type { HeaderAndSql } from './read-header.ts';

/**
 * Parameters that are declared but not used in the SQL, or used but not declared; also found in a header with other
 * problems. Of SQL that ends in something else than a token, it is not known what it does not use.
 */
export function checkParameterUse(
  file: string,
  { header, sql, sqlLine, lineOf }: HeaderAndSql,
): readonly Problem[] {
  const declared = Object.keys((header as { parameters?: object } | null)?.parameters ?? {});
  const { uses, isComplete } = parameterUses(sql);
  const firstUses = new Map<string, number>();
  for (const { name, start } of uses) if (!firstUses.has(name)) firstUses.set(name, start);
  return [
    ...declared
      .filter((name) => isComplete && !firstUses.has(name))
      .map((name) => ({
        file,
        line: lineOf(['parameters', name]),
        message: `parameters.${name}: declared, but the SQL never uses @${name}`,
      })),
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

interface ParameterUse {
  readonly name: string;
  /** The offset of its `@`. */
  readonly start: number;
  /** The token before it. */
  readonly before: Token | undefined;
}

/** Every `@name` in BigQuery SQL, in the order of the text, as far as it has tokens. */
export function parameterUses(sql: string): {
  readonly uses: readonly ParameterUse[];
  readonly isComplete: boolean;
} {
  const tokens = tokenize(sql);
  const uses = tokens.flatMap((token, at): ParameterUse[] => {
    const next = tokens[at + 1];
    if (token.key !== '@' || (next?.kind !== 'word' && next?.kind !== 'quoted name')) return [];
    const name = next.kind === 'word' ? next.text : next.name;
    return [{ name, start: token.start, before: tokens[at - 1] }];
  });
  return { uses, isComplete: tokens.at(-1)?.kind === 'end' };
}

import type { Problem } from '../../errors.ts';
import { didYouMean } from '@querygate/bigquery-sql/text';
import { type HeaderAndSql, lineAt } from './read-header.ts';

/**
 * Parameters that are declared but not used in the SQL, or used but not declared; also found in a header with other
 * problems.
 */
export function checkParameterUse({
  header,
  sql,
  sqlLine,
  lineOf,
}: HeaderAndSql): readonly Omit<Problem, 'file'>[] {
  const declared = Object.keys((header as { parameters?: object } | null)?.parameters ?? {});
  const firstUses = new Map<string, number>();
  for (const { name, index } of parameterUses(sql)) {
    if (!firstUses.has(name)) firstUses.set(name, index);
  }
  return [
    ...declared
      .filter((name) => !firstUses.has(name))
      .map((name) => ({
        line: lineOf(['parameters', name]),
        message: `parameters.${name}: declared, but the SQL never uses @${name}`,
      })),
    ...[...firstUses]
      .filter(([name]) => !declared.includes(name))
      .map(([name, index]) => ({
        line: sqlLine + lineAt(sql, index) - 1,
        message: `@${name} is used, but not declared under parameters${didYouMean(
          `@${name}`,
          declared.map((other) => `@${other}`),
        )}`,
      })),
  ];
}

// Comments, strings and quoted names match first, so that an @ inside them is skipped.
const token =
  /(?<comment>--[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\/)|r?b?r?"""[\s\S]*?"""|r?b?r?'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|@@[\w.]+|@(?<name>[a-z_]\w*)|\w+|\S/gi;

interface ParameterUse {
  readonly name: string;
  /** The offset of its `@`. */
  readonly index: number;
  /** The word, string or character before it, without regard to comments; '' at the beginning. */
  readonly before: string;
}

/** Every `@name` in BigQuery SQL, in the order of the text. */
export function parameterUses(sql: string): readonly ParameterUse[] {
  const uses: ParameterUse[] = [];
  let before = '';
  for (const { 0: text, groups, index } of sql.matchAll(token)) {
    if (groups?.comment !== undefined) continue;
    if (groups?.name !== undefined) uses.push({ name: groups.name, index, before });
    before = text;
  }
  return uses;
}

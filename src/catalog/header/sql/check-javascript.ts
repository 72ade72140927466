import { compileFunction } from 'node:vm';
import { problemAt, type Source } from '@querygate/bigquery-sql/problem';
import { parseQuery, type Syntax, SyntaxProblem } from '@querygate/bigquery-sql/syntax';
import { foldName } from '@querygate/text';
import type { Problem } from '../../../errors.ts';

/** The problems of the functions in JavaScript that a query defines before it. SQL with mistakes has none here. */
export function checkOwnJavascript(sql: string, source: Source): readonly Problem[] {
  if (!/\bLANGUAGE\s+js\b/i.test(sql)) return [];
  try {
    return parseQuery(sql).functions.flatMap((definition) => checkJavascript(definition, sql, source));
  } catch (error) {
    if (error instanceof SyntaxProblem) return [];
    throw error;
  }
}

/**
 * Why the body of a function is not JavaScript: it is compiled, and not run. BigQuery compiles it with V8, too.
 *
 * @param text that of the definition
 */
export function checkJavascript(
  { body, parameters, aggregate }: Syntax.CreateFunction,
  text: string,
  source: Source,
): readonly Problem[] {
  if (body.kind !== 'ForeignBody' || foldName(body.language.name) !== 'js') return [];
  const { code } = body;
  const names = parameters.map(({ name }) => name.name);
  const mistake = aggregate ? mistakeIn(asScript(code.value), []) : mistakeIn(code.value, names);
  if (mistake === undefined) return [];
  return [problemAt(text, source, placeOfLine(text, code, mistake.line), mistake.message)];
}

/** The module of an aggregate without its exports, in as many characters; undefined if it has others. */
function asScript(module: string): string | undefined {
  const script = module.replace(/^(\s*)export(?=\s+(?:async|function|class|const|let|var)\b)/gm, '$1      ');
  return /\b(?:export|import)\b/.test(script) ? undefined : `'use strict';${script}`;
}

function mistakeIn(
  code: string | undefined,
  parameters: readonly string[],
): { readonly line: number; readonly message: string } | undefined {
  if (code === undefined) return undefined;
  try {
    compileFunction(code, parameters, { filename: bodyName });
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const [, line = '1'] = new RegExp(`^${bodyName}:(\\d+)`).exec(error.stack ?? '') ?? [];
    return { line: Number(line), message: `not valid JavaScript: SyntaxError: ${error.message}` };
  }
}

const bodyName = 'body-of-function';

/** The offset of a line of the body, whose line breaks may be escapes; then it is that of the body. */
function placeOfLine(text: string, { start, end, value }: Syntax.StringLiteral, line: number): number {
  const written = text.slice(start, end).split('\n');
  if (written.length !== value.split('\n').length) return start;
  const before = written.slice(0, line - 1);
  return start + before.reduce((sum, { length }) => sum + length + 1, 0);
}

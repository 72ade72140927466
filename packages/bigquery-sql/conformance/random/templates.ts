import { ProblemError } from '../../src/problem.ts';
import { compile } from '../../src/compile.ts';
import { describeType } from '../../src/types.ts';
import { hasAcceptedDifference } from '../accepted-differences.ts';
import { type Case, isQuery, loadCases } from '../cases.ts';
import type { Inputs } from './inputs.ts';

/** An expression of the case files with gaps for its arguments: every function of the dialect has some. */
export interface ExpressionTemplate {
  readonly subject: string;
  /** The type of its result, in BigQuery's syntax. */
  readonly type: string;
  /** Texts, and between them gaps. */
  readonly parts: readonly (string | Gap)[];
  /** False if the engines compute it with different mathematical libraries. */
  readonly exact: boolean;
}

export interface Gap {
  /** The class of its inputs; undefined if the line of the case has inputs of its own. */
  readonly inputs: string | undefined;
  readonly choices: readonly string[];
  /** The type of the choices, if they are values. */
  readonly type: string | undefined;
}

/** The expressions of the case files that any expressions can be arguments of, by the type of their result. */
export function loadTemplates(inputs: Inputs): ReadonlyMap<string, readonly ExpressionTemplate[]> {
  const cases = Map.groupBy(loadCases(), ({ template }) => template);
  const templates = [...cases.values()].flatMap(([first]) => (first && toTemplate(first, inputs)) ?? []);
  return Map.groupBy(templates, ({ type }) => type);
}

function toTemplate(first: Case, inputs: Inputs): readonly ExpressionTemplate[] {
  const { subject, sql, referenceSql, wrong, template } = first;
  const { text, placeholders } = template;
  if (wrong || sql !== referenceSql || placeholders.length === 0 || isQuery(text) || isUnsuited.test(text))
    return [];
  if (hasAcceptedDifference(text)) return [];
  const type = typeOf(sql);
  if (type === undefined) return [];
  const texts = text.split(/\$\{[^}]*\}/);
  let quotes = 0;
  const parts = texts.flatMap((between, at) => {
    const placeholder = placeholders[at];
    quotes += between.split("'").length - 1;
    if (placeholder === undefined) return [between];
    const name = placeholder.text.slice(2, -1);
    const known = inputs.get(name);
    const isText = quotes % 2 === 1;
    const ownType = isText || known !== undefined ? undefined : typeOf(`select ${placeholder.inputs[0]}`);
    return [between, { inputs: known && name, choices: placeholder.inputs, type: known?.type ?? ownType }];
  });
  return [{ subject, type, parts, exact: !isInexact.test(text) }];
}

/** Another value each time, an error on purpose, or an average of integers, which the evaluator adds as FLOAT64. */
const isUnsuited = /\b(rand|generate_uuid|current_\w+|session_user|error)\b/i;

const isInexact = /\b(cbrt|pow|power|exp|ln|log|log10|a?(cos|sin|tan)h?|atan2|cot|coth|csc|csch|sec|sech)\(/i;

/** Of the first column; undefined if the text is not a query. */
function typeOf(sql: string): string | undefined {
  try {
    const [column] = compile({ sql, source: { file: 'case', line: 1 } }, []).columns;
    const type = column && describeType(column.type);
    return type === 'NULL' || type === 'unknown type' ? undefined : type;
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

import fc from 'fast-check';
import { fill, isQuery, loadInputs, type Template } from './cases.ts';
import type { Verdict } from './judge.ts';
import type { Answer, Value } from './values.ts';

/** The inputs that an expression of that type may replace; the others must stay small or literal. */
const typeOfInputs: Readonly<Record<string, string>> = {
  int64: 'INT64',
  float64: 'FLOAT64',
  finite: 'FLOAT64',
  numeric: 'NUMERIC',
  bool: 'BOOL',
  string: 'STRING',
  needle: 'STRING',
  bytes: 'BYTES',
  date: 'DATE',
  datetime: 'DATETIME',
  time: 'TIME',
  timestamp: 'TIMESTAMP',
  int64s: 'ARRAY<INT64>',
  strings: 'ARRAY<STRING>',
};

/**
 * For each type, an arbitrary of expressions that yield it: composed of the templates on which the engines agreed,
 * each argument again an expression of its type. Literals are enclosed in the marks of `literalPattern`.
 */
export function expressionsOf(verdicts: readonly Verdict[]): ReadonlyMap<string, fc.Arbitrary<string>> {
  const templates = Map.groupBy(usableTemplates(verdicts), ({ type }) => type);
  const inputs = loadInputs();
  const types = [...new Set(Object.values(typeOfInputs))];
  const { ...arbitraries } = fc.letrec<Record<string, string>>((tie) =>
    Object.fromEntries(
      types.map((type) => {
        const literals = Object.entries(typeOfInputs)
          .filter(([, inputType]) => inputType === type)
          .flatMap(([name]) => inputs.get(name) ?? []);
        const composed = (templates.get(type) ?? []).map(({ template }) => composedOf(template, tie));
        return [
          type,
          fc.oneof(
            { maxDepth: 3, depthIdentifier: 'composition' },
            fc.constantFrom(...literals.map(markLiteral)),
            ...composed,
          ),
        ];
      }),
    ),
  );
  return new Map(types.map((type) => [type, arbitraries[type] as fc.Arbitrary<string>]));
}

/** Finds the marked literals of an expression. */
export const literalPattern = /⟦([^⟧]*)⟧/g;

const markLiteral = (literal: string) => `⟦${literal}⟧`;

function composedOf(template: Template, tie: (type: string) => fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const parts = template.placeholders.map(({ text, inputs }) => {
    const type = typeOfInputs[text.slice(2, -1)];
    return type === undefined ? fc.constantFrom(...inputs) : (tie(type) as fc.Arbitrary<string>);
  });
  return fc.tuple(...parts).map((texts) => `(${fill(template, texts)})`);
}

interface TypedTemplate {
  readonly template: Template;
  readonly type: string;
}

/** The templates of expressions on which both engines agreed throughout, with the only type they yield. */
function usableTemplates(verdicts: readonly Verdict[]): readonly TypedTemplate[] {
  const byTemplate = Map.groupBy(verdicts, ({ case: { template } }) => template);
  return [...byTemplate].flatMap(([template, group]) => {
    if (!group.every(isUsable) || template.placeholders.length === 0) return [];
    const [type, ...others] = new Set(group.flatMap(({ reference }) => typeOf(reference) ?? []));
    return type === undefined || others.length > 0 ? [] : [{ template, type }];
  });
}

const isUsable = ({ verdict, case: { sql, referenceSql, wrong, template } }: Verdict) =>
  verdict === 'agrees' && sql === referenceSql && !wrong && !isQuery(template.text);

function typeOf(answer: Answer): string | undefined {
  if ('error' in answer) return undefined;
  return typeOfValue(answer.rows[0]?.[0] ?? null);
}

function typeOfValue(value: Value): string | undefined {
  if (value === null) return undefined;
  if (value.type !== 'ARRAY') return value.type;
  const element = value.items.map(typeOfValue).find((type) => type !== undefined);
  return element && `ARRAY<${element}>`;
}

import fc from 'fast-check';
import { type Case, fill, loadInputs, type Template } from './cases.ts';
import { explains } from './explained.ts';
import { judge, type Verdict } from './judge.ts';
import type { LocalEngine } from './local/engine.ts';
import type { Evaluator } from './reference/evaluator.ts';
import type { Answer, Value } from './values.ts';

/** Fixed, so that a run can be repeated. Each seed is another walk, which ends at the first difference. */
const seeds = [1, 2, 3];
const runsPerWalk = 120;

/** The inputs whose place an expression of that type may take; the others must stay small or literal. */
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
 * Expressions composed at random of the templates that agree, each argument again an expression of its type; a
 * difference is shrunk to a small one. One verdict an expression, under the heading of its type.
 */
export async function judgeCompositions(
  verdicts: readonly Verdict[],
  local: LocalEngine,
  evaluator: Evaluator,
): Promise<readonly Verdict[]> {
  const compositions = compositionsOf(verdicts);
  const found: Verdict[] = [];
  for (const [type, expressions] of compositions) {
    const ask = async (expression: string) => {
      const question = caseOf(type, expression);
      return judge(question, await local.evaluate(question.sql), await evaluator.evaluate(question.sql));
    };
    for (const seed of seeds) found.push(...(await walk(expressions, ask, seed)));
  }
  return found;
}

/** Asks about random expressions until the engines differ; what differs is shrunk first. */
async function walk(
  expressions: fc.Arbitrary<string>,
  ask: (expression: string) => Promise<Verdict>,
  seed: number,
): Promise<readonly Verdict[]> {
  const agreed: Verdict[] = [];
  const property = fc.asyncProperty(expressions, async (expression) => {
    const verdict = await ask(expression);
    if (verdict.verdict === 'agrees') agreed.push(verdict);
    return verdict.verdict !== 'differs' || explains(verdict.case.sql) || isFree(verdict);
  });
  const { counterexample } = await fc.check(property, { seed, numRuns: runsPerWalk });
  return counterexample === null ? agreed : [...agreed, await ask(counterexample[0])];
}

/** Where an argument is NULL neither engine says whether it looks at the others, and so whether they may fail. */
const isFree = ({ case: { sql }, reference }: Verdict) => 'error' in reference && /\bnull\b/i.test(sql);

function caseOf(type: string, expression: string): Case {
  const sql = `select ${expression}`;
  const template = { text: expression, file: 'compositions', line: 0, placeholders: [] };
  return {
    subject: `Expressions of ${type}`,
    kind: 'composition',
    sql,
    referenceSql: sql,
    wrong: false,
    parameters: {},
    template,
    inputs: [],
  };
}

/** For each type, an arbitrary of expressions that yield it. */
function compositionsOf(verdicts: readonly Verdict[]): ReadonlyMap<string, fc.Arbitrary<string>> {
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
            fc.constantFrom(...literals),
            ...composed,
          ),
        ];
      }),
    ),
  );
  return new Map(types.map((type) => [type, arbitraries[type] as fc.Arbitrary<string>]));
}

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

/** The templates of expressions on which both engines agreed throughout, with the type they yield. */
function usableTemplates(verdicts: readonly Verdict[]): readonly TypedTemplate[] {
  const byTemplate = Map.groupBy(verdicts, ({ case: { template } }) => template);
  return [...byTemplate].flatMap(([template, group]) => {
    if (!group.every(isUsable) || template.placeholders.length === 0) return [];
    const type = group.map(({ reference }) => typeOf(reference)).find((name) => name !== undefined);
    return type === undefined ? [] : [{ template, type }];
  });
}

const isUsable = ({ verdict, case: { sql, referenceSql, wrong, template } }: Verdict) =>
  verdict === 'agrees' && sql === referenceSql && !wrong && !/^\s*(select|with)\b/i.test(template.text);

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

import { compareWith, integerLiteral, nullLiteral, operation, textLiteral } from '../../../tree/build.ts';
import type { Case, Expression } from '../../../tree/nodes.ts';
import { scalar, type Type } from '../../../types.ts';
import { bindValues, isForbiddenInLambda } from '../../bind-values.ts';
import { constantText } from '../../expressions/constant-values.ts';
import { type Place, Unsupported } from '../../unsupported.ts';

const [string, int64] = [scalar('STRING'), scalar('INT64')];

/** Each format string writes its arguments again: DuckDB's text of a specifier has some hundred characters. */
const maxChosenSpecifiers = 200;

/**
 * A call with a format string that is constant, or that conditions choose among constants. The arguments are computed
 * once: calls inside calls would otherwise double at each level.
 *
 * @param write the call with one format string
 */
export function withChosenText(
  place: Place,
  name: string,
  type: Type,
  given: Expression,
  args: readonly Expression[],
  write: (text: string, args: readonly Expression[]) => Expression,
): Expression {
  const writeOne = (pattern: Expression | undefined, values: readonly Expression[]): Expression => {
    const text = pattern && constantText(pattern);
    if (text === null) return nullLiteral(type);
    if (text !== undefined) return write(text, values);
    throw new Unsupported(
      place,
      `the format of ${name}, its first argument, must be a string literal, or be chosen among literals by CASE or IF`,
    );
  };
  const pattern = joinedWithChoice(given);
  if (pattern.kind !== 'case') return writeOne(pattern, args);
  const patterns = resultsOf(pattern);
  const specifiers = patterns.map((one) => Math.max(1, (constantText(one) ?? '').split('%').length - 1));
  if (specifiers.reduce((sum, count) => sum + count, 0) > maxChosenSpecifiers)
    throw new Unsupported(
      place,
      `the format strings that ${name} chooses among have at most ${maxChosenSpecifiers} specifiers together`,
    );
  // A lambda takes no conditions with subqueries: the number of the format string is then one more value.
  if (!isForbiddenInLambda(pattern))
    return bindValues(args, (...values) =>
      withResults(pattern, type, (at) => writeOne(patterns[at], values)),
    );
  const { number, chosenBy } = numbered(pattern);
  return bindValues([number, ...args], (chosen = number, ...values) =>
    withResults(chosenBy(chosen), type, (at) => writeOne(patterns[at], values)),
  );
}

/** The number of the format string that conditions choose, and the choice by it. */
const numbered = (pattern: Case) => ({
  number: withResults(pattern, int64, (at) => integerLiteral(BigInt(at))),
  chosenBy: (number: Expression): Case => ({
    kind: 'case',
    type: string,
    branches: resultsOf(pattern).map((result, at) => ({
      when: compareWith('=', number, integerLiteral(BigInt(at))),
      result,
    })),
  }),
});

/** The value that has to be computed before a call with a format, which may be a constant, and the format that it makes. */
export function formatValue(given: Expression): {
  readonly value: Expression;
  formatOf(value: Expression): Expression;
} {
  const pattern = joinedWithChoice(given);
  if (pattern.kind === 'case') {
    const { number, chosenBy } = numbered(pattern);
    return { value: number, formatOf: chosenBy };
  }
  const text = constantText(pattern);
  return { value: typeof text === 'string' ? textLiteral(text) : given, formatOf: (value) => value };
}

/** A choice that is joined with other texts, as a choice among the joined texts. */
function joinedWithChoice(pattern: Expression): Expression {
  if (pattern.kind !== 'operation' || pattern.operator !== '||') return pattern;
  const at = pattern.operands.findIndex(({ kind }) => kind === 'case');
  const choice = pattern.operands[at];
  if (choice?.kind !== 'case') return pattern;
  const results = resultsOf(choice);
  return withResults(choice, string, (number) =>
    operation('||', pattern.operands.with(at, results[number] ?? choice), string),
  );
}

/** The results that a CASE chooses among, including those of each CASE inside it. */
const resultsOf = (value: Expression | undefined): readonly Expression[] => {
  if (value?.kind !== 'case') return value ? [value] : [];
  return [...value.branches.map(({ result }) => result), value.otherwise].flatMap(resultsOf);
};

/** The same choice among other results, by their numbers in `resultsOf`. */
function withResults(node: Case, type: Type, resultAt: (at: number) => Expression): Case {
  let count = 0;
  const choose = (value: Expression): Expression => {
    if (value.kind === 'case') return replaced(value);
    count += 1;
    return resultAt(count - 1);
  };
  const replaced = ({ otherwise, branches }: Case): Case => ({
    kind: 'case',
    type,
    branches: branches.map(({ when, result }) => ({ when, result: choose(result) })),
    ...(otherwise && { otherwise: choose(otherwise) }),
  });
  return replaced(node);
}

import { MacroExpansions } from '../planning-cost/macro-expansions.ts';
import { callAt, nameIn, tokensOf } from '../planning-cost/macro-text.ts';
import type { Macro } from './parse-macros.ts';

/**
 * The tokens that copies of an argument may add to the plan before it is computed once instead: DuckDB computes copies
 * once in a select list, but not within the lambdas that macros have.
 */
const worthwhileTokens = { inQuery: 40, inMacro: 12 };

/** True if an argument should be computed once, before the call, because copies of it would make the plan too large. */
export const isWorthComputingOnce = (
  size: number,
  uses: number,
  where: keyof typeof worthwhileTokens,
): boolean => uses > 1 && (uses - 1) * size > worthwhileTokens[where];

/**
 * A call of a function over values that are computed once. A value may contain subqueries and aggregates, which are not
 * allowed inside a lambda; the call over the names of the values may not. It costs some 10 ns a row.
 *
 * @param variable a name that no value contains
 * @param call builds the call from one text for each value
 */
function computeOnce(
  values: readonly string[],
  variable: string,
  call: (names: readonly string[]) => string,
): string {
  const [only] = values;
  if (values.length === 1) return `list_transform([${only}], lambda ${variable}: ${call([variable])})[1]`;
  // DuckDB loses the name of a struct's field whose value is a macro over a column of an outer query.
  const names = values.map((_, at) => `${variable}[${at + 1}]`);
  return `list_transform([row(${values.join(', ')})], lambda ${variable}: ${call(names)})[1]`;
}

/** Parameters that queries give as literals: DuckDB computes what depends on them alone once, when it plans. */
const isUsuallyConstant = new Set([
  'zone',
  'path',
  'pattern',
  'format',
  'flags',
  'letter',
  'places',
  'alternate',
]);

/**
 * Rewrites the bodies of macros so that nested calls compute long arguments once: each when it is read, because a process
 * reads a few of a thousand.
 */
export function withArgumentsComputedOnce(
  macros: ReadonlyMap<string, readonly Macro[]>,
): ReadonlyMap<string, readonly Macro[]> {
  const expansions = new MacroExpansions(macros);

  const rewrite = (
    tokens: readonly string[],
    parameters: ReadonlySet<string>,
    newVariable: () => string,
  ): string => {
    const texts: string[] = [];
    for (let at = 0; at < tokens.length; at += 1) {
      const call = callAt(tokens, at, macros);
      if (call === undefined) {
        texts.push(tokens[at] ?? '');
        continue;
      }
      const { uses } = expansions.expansionOfCall(call);
      const args = call.args.map((arg, index) => {
        const isVariable = arg.some((token) => isNamed(token, parameters) && !isUsuallyConstant.has(token));
        const size =
          expansions.sizeOf(arg.join(' ')) + arg.filter((token) => isNamed(token, parameters)).length;
        const once = arg.length > 1 && isVariable && isWorthComputingOnce(size, uses[index] ?? 1, 'inMacro');
        return { text: rewrite(arg, parameters, newVariable), once };
      });
      const values = args.flatMap(({ text, once }) => (once ? [text] : []));
      const build = (names: readonly string[]) => {
        const left = [...names];
        return `${call.callee}(${args.map(({ text, once }) => (once ? left.shift() : text)).join(', ')})`;
      };
      texts.push(values.length === 0 ? build([]) : computeOnce(values, newVariable(), build));
      at = call.end - 1;
    }
    return texts.join(' ');
  };

  /** @param number of the macro: no other one may have the same names of variables */
  const rewritten = ({ body, parameters }: Macro, number: number): string => {
    let variables = 0;
    const names = new Set([...parameters.map(({ name }) => name), ...lambdaNames(body)]);
    const text = rewrite(tokensOf(body), names, () => {
      variables += 1;
      return `once_${number}_${variables}`;
    });
    return variables === 0 ? body : text;
  };

  let count = 0;
  const readOnce = (macro: Macro): Macro => {
    count += 1;
    const number = count;
    let body: string | undefined;
    return {
      ...macro,
      get body() {
        body ??= rewritten(macro, number);
        return body;
      },
    };
  };
  return new Map([...macros].map(([name, signatures]) => [name, signatures.map(readOnce)]));
}

/** True if a token is one of the names, or a field of one. */
const isNamed = (token: string, names: ReadonlySet<string>) => names.has(nameIn(token));

const lambdaNames = (body: string): readonly string[] =>
  [...body.matchAll(/\blambda (\w+(?:, ?\w+)*):/g)].flatMap(([, names = '']) => names.split(/, ?/));

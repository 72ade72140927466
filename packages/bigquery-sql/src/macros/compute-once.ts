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

/** Rewrites the bodies of macros so that nested calls compute long arguments once. */
export function withArgumentsComputedOnce(
  macros: ReadonlyMap<string, readonly Macro[]>,
): ReadonlyMap<string, readonly Macro[]> {
  const expansions = new MacroExpansions(macros);
  let variables = 0;

  const rewrite = (tokens: readonly string[], parameters: ReadonlySet<string>): string => {
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
        return { text: rewrite(arg, parameters), once };
      });
      const values = args.flatMap(({ text, once }) => (once ? [text] : []));
      const build = (names: readonly string[]) => {
        const left = [...names];
        return `${call.callee}(${args.map(({ text, once }) => (once ? left.shift() : text)).join(', ')})`;
      };
      if (values.length > 0) variables += 1;
      texts.push(values.length === 0 ? build([]) : computeOnce(values, `once_${variables}`, build));
      at = call.end - 1;
    }
    return texts.join(' ');
  };

  const rewritten = ({ body, parameters }: Macro): string => {
    const before = variables;
    const names = new Set([...parameters.map(({ name }) => name), ...lambdaNames(body)]);
    const text = rewrite(tokensOf(body), names);
    return variables === before ? body : text;
  };

  return new Map(
    [...macros].map(([name, signatures]) => [
      name,
      signatures.map((macro) => ({ ...macro, body: rewritten(macro) })),
    ]),
  );
}

/** True if a token is one of the names, or a field of one. */
const isNamed = (token: string, names: ReadonlySet<string>) => names.has(nameIn(token));

const lambdaNames = (body: string): readonly string[] =>
  [...body.matchAll(/\blambda (\w+(?:, ?\w+)*):/g)].flatMap(([, names = '']) => names.split(/, ?/));

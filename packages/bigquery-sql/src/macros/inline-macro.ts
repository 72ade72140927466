import { callAt, nameIn, tokensOf } from '../planning-cost/macro-text.ts';
import { macros } from './macros.ts';

/**
 * SQL of a call of a macro that names no macro, for statements on connections that have none: what it calls is written
 * out, too. The arguments are of the types of the parameters.
 *
 * @param callee as in a query: `bq.name`, of a macro with one signature for that many arguments
 * @param args an argument is written as often as the body has it
 */
export function inlineMacro(callee: string, args: readonly string[]): string {
  let variables = 0;
  const variableFor = (name: string) => {
    variables += 1;
    return `${name}_in_${variables}`;
  };

  const bodyOf = (called: string, signatures: readonly Signature[], values: readonly string[]): string => {
    const [macro, another] = signatures;
    if (!macro || another) throw new Error(`not one macro: ${called}`);
    const { body, parameters } = macro;
    const renamed = new Map(parameters.map(({ name }, at) => [name, `(${values[at]})`]));
    // No argument means a variable of the lambda.
    for (const name of lambdaNames(body)) renamed.set(name, variableFor(name));
    return `(${expanded(tokensOf(body), renamed)})`;
  };

  const expanded = (tokens: readonly string[], renamed: ReadonlyMap<string, string>): string => {
    const texts: string[] = [];
    for (let at = 0; at < tokens.length; at += 1) {
      const token = tokens[at] ?? '';
      const call = token.startsWith('bq.') ? callAt(tokens, at, macros) : undefined;
      if (call) {
        const values = call.args.map((arg) => expanded(arg, renamed));
        texts.push(bodyOf(call.callee, call.signatures, values));
        at = call.end - 1;
        continue;
      }
      const name = nameIn(token);
      const isField = texts.at(-1) === '.' || tokens[at + 1] === '(';
      const text = isField ? undefined : renamed.get(name);
      texts.push(text === undefined ? token : `${text}${token.slice(name.length)}`);
    }
    return texts.join(' ');
  };

  const tokens = args.map((_, at) => `a${at}`);
  const call = callAt([callee, '(', ...tokens.flatMap((token) => [token, ',']).slice(0, -1), ')'], 0, macros);
  return bodyOf(callee, call?.signatures ?? [], args);
}

type Signature = NonNullable<ReturnType<typeof callAt>>['signatures'][number];

const lambdaNames = (body: string): readonly string[] =>
  [...body.matchAll(/\blambda\s+(\w+(?:\s*,\s*\w+)*)\s*:/g)].flatMap(([, names = '']) =>
    names.split(/\s*,\s*/),
  );

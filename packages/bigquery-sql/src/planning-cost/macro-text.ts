import { macroName } from '../tree/macro-name.ts';

/** A signature of a macro, as its text is read. */
export interface MacroText {
  /** The name by which this signature is called. */
  readonly callee: string;
  readonly parameters: readonly { readonly name: string }[];
  readonly body: string;
}

/** By the names of the functions. */
export type MacroTexts = ReadonlyMap<string, readonly MacroText[]>;

const tokenPattern =
  /\be'(?:[^'\\]|\\.)*'|'(?:[^']|'')*'|bq\."[^"]+"|"(?:[^"]|"")*"|\$\w+|[a-z_][\w.]*(?:\[\d+\])?|\d+(?:\.\d+)?(?:e[+-]?\d+)?|->>?|\|\||::|:=|<>|[<>]=|<<|>>|\/\/|[^\s\w]/gi;

/** The tokens of DuckDB SQL. */
export const tokensOf = (sql: string): readonly string[] => sql.match(tokenPattern) ?? [];

/** The name with which a token begins that reads a value or a part of it: `a`, `a.b`, `a[1]`. */
export const nameIn = (token: string): string => token.split(/[.[]/, 1)[0] ?? '';

/** DuckDB's own macros that have an argument repeatedly. */
const ownMacros: MacroTexts = new Map(
  [
    { callee: 'nullif', names: 'a b', body: 'case when a = b then null else a end' },
    {
      callee: 'array_to_string',
      names: 'a b',
      body: "case when len(a) = 0 then '' else list_aggr(a, b) end",
    },
    { callee: 'split_part', names: 'a b n', body: 'case when a and b and n then string_split(a, b)[n] end' },
  ].map(({ callee, names, body }) => [
    callee,
    [{ callee, parameters: names.split(' ').map((name) => ({ name })), body }],
  ]),
);

/** A call of a macro inside a text. */
export interface Call {
  readonly callee: string;
  /** The signatures that the call may mean. */
  readonly signatures: readonly MacroText[];
  /** The tokens of each argument. */
  readonly args: readonly (readonly string[])[];
  /** The position after its closing parenthesis. */
  readonly end: number;
}

/** The call that begins at a token; undefined if none does. */
export function callAt(tokens: readonly string[], at: number, macros: MacroTexts): Call | undefined {
  const callee = tokens[at] ?? '';
  if ((!callee.startsWith('bq.') && !ownMacros.has(callee)) || tokens[at + 1] !== '(') return undefined;
  const { args, end } = argumentsAt(tokens, at + 2);
  return { callee, signatures: signaturesOf(callee, args, macros), args, end };
}

/** The signatures that a call may mean; none if it is not one of a macro. */
export const signaturesOf = (
  callee: string,
  args: readonly unknown[],
  macros: MacroTexts,
): readonly MacroText[] =>
  (macros.get(macroName(callee) ?? '') ?? ownMacros.get(callee) ?? []).filter(
    (macro) => macro.parameters.length === args.length && (!callee.includes('"') || macro.callee === callee),
  );

function argumentsAt(tokens: readonly string[], from: number): Pick<Call, 'args' | 'end'> {
  const args: string[][] = [[]];
  let depth = 0;
  let at = from;
  for (; at < tokens.length; at += 1) {
    const token = tokens[at] ?? '';
    if (token === ')' && depth === 0) break;
    if ('([{'.includes(token)) depth += 1;
    if (')]}'.includes(token)) depth -= 1;
    if (token === ',' && depth === 0) args.push([]);
    else args.at(-1)?.push(token);
  }
  return { args: args.length === 1 && args[0]?.length === 0 ? [] : args, end: at + 1 };
}

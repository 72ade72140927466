import type { Sql } from '../scope.ts';

/**
 * NULL instead of an error, but only for errors of the function itself: what its arguments do wrong stays wrong.
 *
 * @param make the call, given arguments that can't fail
 */
export function nullOnError(
  args: readonly Sql[],
  make: (args: readonly Sql[]) => Sql,
  isPattern = false,
): Sql {
  // A regular expression that is a constant is read before TRY is there to catch what is wrong with it.
  const simple = !isPattern && args.every(({ text }) => isSimpleOperand(text));
  if (simple) {
    const made = make(args);
    return { ...made, text: `TRY(${made.text})` };
  }
  // TRY takes no subqueries and would hide errors of the arguments; a lambda's parameter has neither.
  const names = args.map((arg, index) => ({ ...arg, text: `args."${index}"` }));
  const made = make(names);
  const fields = args.map(({ text }, index) => `"${index}" := ${text}`);
  return {
    ...made,
    text: `list_transform([struct_pack(${fields.join(', ')})], lambda args: TRY(${made.text}))[1]`,
  };
}

/** Columns, parameters and literals, also those with a type. */
export const isSimpleOperand = (text: string): boolean => plain.test(text);

const plain =
  /^(?:("(?:[^"]|"")*"\.?)+|NULL|TRUE|FALSE|'(?:[^']|'')*'|CAST\((?:\$\w+|-?\d+|'(?:[^']|'')*'|NULL) AS [A-Z]+(?:\(38,9\))?(?:\[\])*\)|from_hex\('[0-9a-f]*'\))$/;

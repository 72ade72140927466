import { expect, test } from 'vitest';
import { callMacro } from '../../../src/engine/dialect/macros/macro-call.ts';
import { macroSizes, macros } from '../../../src/engine/dialect/macros/macros.ts';
import type { Macro } from '../../../src/engine/dialect/macros/parse-macros.ts';
import type { Sql } from '../../../src/engine/dialect/scope.ts';
import { describeType, unknown } from '../../../src/engine/dialect/types.ts';

/** Tokens of a function over columns, with all its macros expanded; DuckDB plans some 100 tokens in a millisecond. */
const maxTokens = 1500;

const node = { type: 'null_literal' } as never;

const signatures = [...macros.values()].flat().filter(({ unsupported }) => unsupported === undefined);

/** Every typed signature: the functions of BigQuery, without the helpers. */
const functions = signatures.filter(({ parameters }) => parameters.every(({ type }) => type !== undefined));

const column = ({ name, type = unknown }: Macro['parameters'][number]): Sql => ({
  text: `"t"."${name}"`,
  type,
});

/** Calls over columns, the largest for each type of result. */
function largestByType(calls: readonly Sql[]): ReadonlyMap<string, Sql> {
  const largest = new Map<string, Sql>();
  for (const call of calls) {
    const key = describeType(call.type);
    const other = largest.get(key);
    if (other === undefined || macroSizes.sizeOf(call.text) > macroSizes.sizeOf(other.text))
      largest.set(key, call);
  }
  return largest;
}

interface Composed {
  readonly call: Sql;
  readonly args: readonly Sql[];
}

/** Every function over the largest calls that fit its parameters: these bound the sizes of all other calls. */
const compose = (inner: ReadonlyMap<string, Sql>): readonly Composed[] =>
  functions.map(({ name, parameters }) => {
    const args = parameters.map(
      (parameter) => inner.get(describeType(parameter.type ?? unknown)) ?? column(parameter),
    );
    return { call: callMacro(node, name, args), args };
  });

const sizeOf = ({ text }: Sql) => macroSizes.sizeOf(text);

test('no function expands to a large plan', () => {
  const large = compose(new Map()).filter(({ call }) => sizeOf(call) > maxTokens);
  expect(large.map(({ call }) => call.text)).toEqual([]);
});

test('nested functions expand to the sum of their sizes, not to the product', () => {
  let inner = compose(new Map());
  for (let depth = 2; depth <= 4; depth += 1) {
    const outer = compose(largestByType(inner.map(({ call }) => call)));
    const grown = outer.filter(({ call, args }) => {
      const sum = args.reduce((total, arg) => total + sizeOf(arg), 0);
      return sizeOf(call) > maxTokens + 1.1 * sum;
    });
    expect(grown.map(({ call }) => call.text.slice(0, 200))).toEqual([]);
    inner = outer;
  }
});

test('an argument that is used repeatedly is computed once if it is long', () => {
  const parse = (text: string) =>
    callMacro(node, 'cast_int64', [{ text, type: { kind: 'scalar', name: 'STRING' } }]);
  const argument = parse(`bq."json_value(s varchar, path varchar)"("t"."j", '$.a')`);
  const sum = callMacro(node, 'timestamp_seconds', [argument]);
  expect(sum.text.split('json_value').length - 1).toBe(1);
  expect(macroSizes.sizeOf(sum.text)).toBeLessThan(2 * macroSizes.sizeOf(argument.text));
});

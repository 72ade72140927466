import { describe, expect, test } from 'vitest';
import { hasLambda, macros, planningCosts } from '../../src/macros/macros.ts';
import type { Macro } from '../../src/macros/parse-macros.ts';
import { isTooDeep, isTooLargeForPasses } from '../../src/planning-cost/planning-limits.ts';
import { callMacro } from '../../src/rules/macro-call.ts';
import { call, column as columnOf, operation, textLiteral } from '../../src/tree/build.ts';
import type { Expression } from '../../src/tree/nodes.ts';
import { printExpression } from '../../src/tree/print.ts';
import { describeType, scalar, unknown } from '../../src/types.ts';

/** Tokens of a function over columns, with all its macros expanded; DuckDB plans some 100 tokens in a millisecond. */
const maxTokens = 1500;

const place = { start: 0 };

const signatures = [...macros.values()].flat().filter(({ unsupported }) => unsupported === undefined);

/** Every typed signature: the functions of BigQuery, without the helpers. */
const functions = signatures.filter(({ parameters }) => parameters.every(({ type }) => type !== undefined));

const column = ({ name, type = unknown }: Macro['parameters'][number]): Expression =>
  columnOf('t', name, type);

/** Calls over columns, the largest for each type of result. */
function largestByType(calls: readonly Expression[]): ReadonlyMap<string, Expression> {
  const largest = new Map<string, Expression>();
  for (const call of calls) {
    const key = describeType(call.type);
    const other = largest.get(key);
    if (other === undefined || sizeOf(call) > sizeOf(other)) largest.set(key, call);
  }
  return largest;
}

interface Composed {
  readonly call: Expression;
  readonly args: readonly Expression[];
}

/** Every function over the largest calls that fit its parameters: these bound the sizes of all other calls. */
const compose = (inner: ReadonlyMap<string, Expression>): readonly Composed[] =>
  functions.map(({ name, parameters }) => {
    const args = parameters.map(
      (parameter) => inner.get(describeType(parameter.type ?? unknown)) ?? column(parameter),
    );
    return { call: callMacro(place, name, args), args };
  });

const sizeOf = (node: Expression) => planningCosts.of(node).size;

test('no function expands to a large plan', () => {
  const large = compose(new Map()).filter(({ call }) => sizeOf(call) > maxTokens);
  expect(large.map(({ call }) => printExpression(call))).toEqual([]);
});

test('nested functions expand to the sum of their sizes, not to the product', () => {
  let inner = compose(new Map());
  for (let depth = 2; depth <= 4; depth += 1) {
    const outer = compose(largestByType(inner.map(({ call }) => call)));
    const grown = outer.filter(({ call, args }) => {
      const sum = args.reduce((total, arg) => total + sizeOf(arg), 0);
      return sizeOf(call) > maxTokens + 1.1 * sum;
    });
    expect(grown.map(({ call }) => printExpression(call).slice(0, 200))).toEqual([]);
    inner = outer;
  }
});

test('an argument that is used repeatedly is computed once if it is long', () => {
  const value = call('bq."json_value(s varchar, path varchar)"', [
    columnOf('t', 'j', scalar('STRING')),
    textLiteral('$.a'),
  ]);
  const argument = callMacro(place, 'cast_int64', [{ ...value, type: scalar('STRING') }]);
  const sum = callMacro(place, 'timestamp_seconds', [argument]);
  expect(printExpression(sum).split('json_value').length - 1).toBe(1);
  expect(sizeOf(sum)).toBeLessThan(2 * sizeOf(argument));
});

describe('a tree', () => {
  const s = columnOf('t', 's', scalar('STRING'));
  const nested = (levels: number, wrap: (value: Expression) => Expression) =>
    Array.from({ length: levels }).reduce<Expression>((value) => wrap(value), s);

  test('costs what its parts cost, and its own tokens', () => {
    expect(planningCosts.of(s)).toEqual({ size: 3, depth: 1, costlyDepth: 0 });
    const two = call('concat', [s, s], scalar('STRING'));
    expect(planningCosts.of(two)).toEqual({ size: 9, depth: 2, costlyDepth: 0 });
  });

  test('is copied by BETWEEN, at each level', () => {
    const between = nested(10, (value) => operation('BETWEEN', [value, s, s], scalar('BOOL')));
    expect(planningCosts.of(between).size).toBeGreaterThan(2 ** 10 * 3);
  });

  test('may have 100 nodes inside each other, and passes take 60', () => {
    const wrap = (value: Expression) => call('lower', [value], scalar('STRING'));
    const refused = [59, 60, 99, 100].map((levels) => {
      const cost = planningCosts.of(nested(levels, wrap));
      return [isTooLargeForPasses(cost), isTooDeep(cost)];
    });
    expect(refused).toEqual([
      [false, false],
      [true, false],
      [true, false],
      [true, true],
    ]);
  });

  test('may have eight calls with a lambda inside each other', () => {
    const wrap = (value: Expression) => callMacro(place, 'regexp_extract', [value, textLiteral('a')]);
    expect(hasLambda('bq.regexp_extract')).toBe(true);
    const costs = [8, 9].map((levels) => planningCosts.of(nested(levels, wrap)));
    expect(costs.map(isTooDeep)).toEqual([false, true]);
  });
});

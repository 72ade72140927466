import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNightly } from '../../../../test/support/nightly.ts';
import { type Evaluators, openEvaluators } from '../../conformance/reference/evaluator.ts';
import { knownError } from '../../conformance/reference/evaluator-errors.ts';
import { hasBinary, hasLibrary } from '../../conformance/reference/processes.ts';
import { showAnswer } from '../../conformance/values.ts';

// `.ci/nightly` installs them: there they must be found.
describe.skipIf(!(isNightly || (hasBinary() && hasLibrary())))('the evaluators, which are installed', () => {
  let evaluators: Evaluators;
  beforeAll(async () => {
    evaluators = await openEvaluators();
  }, 60_000);
  afterAll(() => evaluators.close());

  const answerOf = async (sql: string) =>
    showAnswer((await evaluators.of2025?.evaluate(sql)) ?? { error: 'not installed', stage: 'missing' });

  test.each([
    ['from unnest([3, 1, 2]) as x |> where x > 1 |> aggregate sum(x) as s', 'INT64 5'],
    ['select x, count(*) as n from unnest([1, 1]) as x group by all', 'x | n ⏎ INT64 1 | INT64 2'],
    ['select sum(x) as s from unnest([1, 2]) as x group by grouping sets (())', 'INT64 3'],
    ['select 1 as a, 2 as b union all by name select 4 as b, 3 as a limit 1', 'a | b ⏎ INT64 1 | INT64 2'],
    ["select ('abc').upper().substr(2)", 'STRING "BC"'],
    ["select date_bucket(date '2024-02-29', interval 7 day)", 'DATE 2024-02-25'],
    [`select json_keys(json '{"a": {"b": 1}}')`, '[STRING "a", STRING "a.b"]'],
    [`select json_query(json '{"a":[{"b":1}]}', 'lax $.a.b')`, 'JSON [1]'],
    ["select edit_distance('kitten', 'sitting')", 'INT64 3'],
  ])('that of 2025 judges %s', async (sql, answer) => {
    expect((await answerOf(sql)).replaceAll('\n', ' ⏎ ')).toBe(answer);
  });

  test.each(["json '1' = json '1'", "string_array(json '[]')", '[1] = [1]'])(
    'that of 2025 refuses what BigQuery has not: %s',
    async (expression) => {
      expect(await answerOf(`select ${expression}`)).toMatch(/^error/);
    },
  );

  test('that of 2022 judges what that of 2025 is known to get wrong', async () => {
    const sql = "select cast(date '2024-02-29' as datetime)";
    expect(knownError('2025', sql)).toBeDefined();
    expect(showAnswer(await evaluators.of2022.evaluate(sql))).toBe('DATETIME 2024-02-29T00:00:00.000000');
    expect(await answerOf(sql)).toBe('DATETIME 1970-01-01T00:00:00.000000');
  });
});

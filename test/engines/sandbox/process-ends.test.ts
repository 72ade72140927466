import { expect, test } from 'vitest';
import { runTexts } from '../../fuzz/sql.ts';

/** Each with a correlated subquery as an argument of a function, in a subquery that is inside another one. */
const correlatedArguments = [
  `select count(*) as n from logs where exists(select 1 from logs y where y.project = (select max(x) from
    unnest(split((select max(x) from unnest(split(project, '1')) x), '1')) x))`,
  "select count(*) as n from logs where project in (select y.project from logs y where y.project = (select lower((select max(x) from unnest(['A', y.project]) x))))",
  'select count(*) as n from logs where exists(select 1 from logs y where y.project = (select trim((select y.project))))',
  'select count(*) as n from logs l where exists(select 1 from logs y where exists(select 1 from projects z where z.project = reverse((select max(x.project) from logs x where x.id = y.id))))',
  'select (select count(*) from logs y where (select to_json_string((select array_length(array(select tag from unnest(y.tags) tag))))) = "2") as n from logs where id = 1',
];

test('a correlated subquery as an argument, inside other subqueries, ends no process', async () => {
  const outcomes: string[] = [];
  const { exits } = await runTexts(
    correlatedArguments.map((sql) => () => sql),
    (_, outcome) => outcomes.push(outcome),
    // The machine may be busy.
    30_000,
  );
  expect(exits).toBe(0);
  expect(outcomes.toSorted()).toEqual(['[{"n":1}]', '[{"n":3}]', '[{"n":4}]', '[{"n":4}]', '[{"n":4}]']);
});

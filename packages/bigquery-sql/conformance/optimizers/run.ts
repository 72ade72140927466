import { parseArgs } from 'node:util';
import type { Query } from '../../src/tree/nodes.ts';
import { printQuery } from '../../src/tree/print.ts';
import { openDialectDatabase } from '../../test/support/dialect-database.ts';
import { createTable } from '../local/create-table.ts';
import { shredTables } from '../local/shred-tables.ts';
import { now } from '../shipped-rows.ts';
import { showAnswer } from '../values.ts';
import { type Change, changesOf, concerns } from './changes.ts';
import { buildForms, type Form, type Forms } from './forms.ts';
import { judgeChange, type Side } from './judge-change.ts';
import { shrink } from './shrink.ts';
import { loadOwnStatements, loadSuite, type Statements } from './statements.ts';

/**
 * Finds what DuckDB's optimizer changes in the rows of compiled queries: each runs with all optimizers, with each of
 * them disabled, and with each common table materialized or not. Exit code 1 if rows differ without a reason.
 */
const { values: options, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    // Only changes whose name contains this.
    change: { type: 'string', default: '' },
    // Only statements whose text or subject contains this.
    only: { type: 'string', default: '' },
    // All optimizers disabled at once, and each of them only for the statements that this changes.
    quick: { type: 'boolean', default: false },
  },
});

/** A form and its answer when all optimizers run. */
interface Answered {
  readonly form: Form;
  readonly side: Side;
}

/** Patterns of a match are compiled with `random()` too, but their values are not random. */
const isRandom = /\b(rand|generate_uuid)\b/i;

/** How many findings of a change are made smaller and shown. */
const shownPerChange = 3;

const { connection, close } = await openDialectDatabase({ threads: '1', memory_limit: '2GB' });
const { together, single } = await changesOf(connection);
let disabled = '';
let findings = 0;
for (const statements of files.length === 0 ? [loadOwnStatements()] : files.map(loadSuite))
  findings += await examine(statements);
close();
process.exitCode = findings === 0 ? 0 : 1;

/** @returns how many answers differ without a reason */
async function examine({ statements, tables }: Statements): Promise<number> {
  for (const table of tables) await connection.run(createTable(table));
  const forms = buildForms(connection, await shredTables(connection, tables), new Date(now));
  const answered: Answered[] = [];
  const skipped = { refused: 0, random: 0 };
  const chosen = statements.filter(({ subject, sql }) => `${subject}\n${sql}`.includes(options.only));
  for (const statement of chosen) {
    if (isRandom.test(statement.sql)) {
      skipped.random += 1;
      continue;
    }
    const found = await forms.of(statement);
    if (found.length === 0) skipped.refused += 1;
    for (const form of found) answered.push({ form, side: await sideOf(forms, form) });
  }
  console.log(
    `${chosen.length} statements, as ${answered.length} texts; ${skipped.refused} are refused, ${skipped.random} have random values`,
  );
  const first = options.quick ? await examineChange(together, answered, forms) : undefined;
  let total = first?.differing ?? 0;
  for (const change of single.filter(({ name }) => name.includes(options.change))) {
    const chosen = change.disabled === undefined ? answered : (first?.changed ?? answered);
    total += (await examineChange(change, chosen, forms)).differing;
  }
  return total;
}

async function examineChange(
  change: Change,
  answered: readonly Answered[],
  forms: Forms,
): Promise<{ readonly differing: number; readonly changed: readonly Answered[] }> {
  const counts = new Map([['same', 0]]);
  const changed = new Set<Answered>();
  let shown = 0;
  for (const one of answered) {
    const { form, side } = one;
    if (!concerns(change, form)) continue;
    for (const query of change.apply(form.query)) {
      const outcome = await judgeChange(side, await sideOf(forms, { ...form, query }, change.disabled));
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      if (outcome !== 'same') changed.add(one);
      if (outcome !== 'differs' || shown === shownPerChange) continue;
      shown += 1;
      await show(change, form, forms);
    }
  }
  console.log(`${change.name}: ${[...counts].map(([outcome, count]) => `${count} ${outcome}`).join('; ')}`);
  return { differing: counts.get('differs') ?? 0, changed: [...changed] };
}

/** @param disabled an optimizer */
async function sideOf(forms: Forms, { query, bindings }: Form, disabled = ''): Promise<Side> {
  const run = async (other: Query) => {
    await disable(disabled);
    return forms.run(other, bindings);
  };
  return { query, run, answer: await run(query) };
}

async function disable(optimizer: string): Promise<void> {
  if (optimizer === disabled) return;
  await connection.run(`SET disabled_optimizers = '${optimizer}'`);
  disabled = optimizer;
}

/** Prints a finding with the smallest query that shows it. */
async function show(change: Change, form: Form, forms: Forms): Promise<void> {
  const differing = async (query: Query): Promise<readonly [Side, Side] | undefined> => {
    const before = await sideOf(forms, { ...form, query });
    for (const changed of change.apply(query)) {
      const after = await sideOf(forms, { ...form, query: changed }, change.disabled);
      if ((await judgeChange(before, after)) === 'differs') return [before, after];
    }
    return undefined;
  };
  const smallest = await shrink(form.query, async (query) => (await differing(query)) !== undefined);
  const sides = await differing(smallest);
  if (!sides) return;
  const [before, after] = sides;
  const values = [...form.bindings]
    .filter(([name]) => printQuery(smallest).includes(`$${name} `))
    .map(([name, { type, value }]) => `\n  $${name} = ${value} (${type})`);
  console.log(
    [
      `--- ${form.statement.subject}: ${form.statement.sql}`,
      `${printQuery(after.query)}${values.join('')}`,
      `all optimizers: ${showAnswer(before.answer)}`,
      `${change.name}: ${showAnswer(after.answer)}\n`,
    ].join('\n'),
  );
}

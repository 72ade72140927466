import type { Mutation } from '../mutate/mutator.ts';
import type { TestFile } from './load-tests.ts';
import type { Paint } from './print-outcomes.ts';
import { type MutationOptions, type MutationReport, runMutations } from './run-mutations.ts';

interface ReportOptions extends MutationOptions {
  readonly paint: Paint;
}

/**
 * `querygate test --mutate`: changes each query, and lists the changes that no test notices.
 *
 * @returns whether all changes are noticed, or explained in the file of the tests
 */
export async function reportMutations(files: readonly TestFile[], options: ReportOptions): Promise<boolean> {
  let isComplete = true;
  const totals = { noticed: 0, counted: 0 };
  for (const file of files) {
    const report = await runMutations(file, options);
    const open = report.unnoticed.filter((mutation) => explanationOf(report, mutation) === undefined);
    if (open.length > 0) isComplete = false;
    totals.noticed += report.noticed.length;
    totals.counted += report.noticed.length + report.unnoticed.length;
    process.stdout.write(reportText(report, options.paint));
  }
  if (files.length > 1) process.stdout.write(`\nall: ${shareText(totals.noticed, totals.counted)}\n`);
  return isComplete;
}

function reportText(report: MutationReport, paint: Paint): string {
  const { file, noticed, unnoticed, withoutEffect } = report;
  const share = shareText(noticed.length, noticed.length + unnoticed.length);
  const lines = [`\n${file.query.name}: ${share}`];
  if (withoutEffect.length > 0) {
    lines.push(`  not counted: ${withoutEffect.length} changes of parts on which the result does not depend`);
  }
  for (const mutation of unnoticed) {
    const reason = explanationOf(report, mutation)?.reason;
    const place = `${file.query.source.file}:${lineOf(file, mutation)}`;
    const mark = reason === undefined ? paint('red', 'not noticed') : paint('dim', 'explained');
    lines.push(`  ${mark} ${place} ${mutation.kind}: ${mutation.change}`);
    if (reason !== undefined) lines.push(`    ${reason}`);
  }
  for (const { change } of outdated(report)) {
    lines.push(`  ${file.file} explains a change that is noticed, or is not made any more: ${change}`);
  }
  return `${lines.join('\n')}\n`;
}

const shareText = (noticed: number, counted: number) =>
  `${noticed} of ${counted} changes noticed (${counted === 0 ? 100 : Math.floor((noticed / counted) * 1000) / 10} %)`;

/** The line of the file, from 1. */
function lineOf({ query: { source, sql } }: TestFile, { start }: Mutation): number {
  return source.line + sql.slice(0, start).split('\n').length - 1;
}

/** What the file of the tests says of a change that no test notices. */
function explanationOf(
  report: MutationReport,
  mutation: Mutation,
): TestFile['unnoticed'][number] | undefined {
  const equal = [...report.noticed, ...report.unnoticed, ...report.withoutEffect]
    .filter(({ change }) => change === mutation.change)
    .sort((a, b) => a.start - b.start);
  const at = equal.indexOf(mutation) + 1;
  return report.file.unnoticed.find(
    ({ change, occurrence = at }) => change === mutation.change && occurrence === at,
  );
}

function outdated(report: MutationReport): TestFile['unnoticed'] {
  const used = new Set(report.unnoticed.map((mutation) => explanationOf(report, mutation)));
  return report.file.unnoticed.filter((entry) => !used.has(entry));
}

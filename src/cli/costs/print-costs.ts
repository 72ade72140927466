import { didYouMean } from '@querygate/text';
import { pino } from 'pino';
import { commandError, parseCount } from '../../author/arguments.ts';
import type { Config } from '../../config.ts';
import { StartError } from '../../errors.ts';
import { redis } from '../../exports/redis.ts';
import { type AccountRow, add, daysBefore, type Totals } from '../../plugins/costs/account.ts';
import { readAccountFile } from '../../plugins/costs/account-file.ts';
import { sharedAccountsName } from '../../plugins/costs/costs.ts';
import { sharedAccounts } from '../../plugins/costs/shared-accounts.ts';
import { alignedText } from '../aligned-text.ts';

/** The options of `querygate costs`, as given. */
export interface CostFlags {
  readonly days: string;
  readonly by: string;
  readonly format: 'table' | 'csv' | 'json';
}

const dimensions = ['day', 'key', 'tenant', 'endpoint'] as const;

type Dimension = (typeof dimensions)[number];

/** As long as accounts are kept. */
const maxDays = 100;

/** `querygate costs`: prints the sums of the accounts. @throws StartError if they cannot be read */
export async function printCosts(config: Config, flags: CostFlags): Promise<void> {
  const by = parseDimensions(flags.by);
  const count = parseCount('--days', flags.days) ?? maxDays;
  if (count > maxDays) throw commandError(`--days: got ${count}; accounts are kept for ${maxDays} days`);
  const rows = await readAccounts(config, daysBefore(new Date(), count, config.budgetTimeZone));
  process.stdout.write(formats[flags.format](by, sumRows(rows, by)));
}

function parseDimensions(text: string): readonly Dimension[] {
  return text.split(',').map((given, at, all) => {
    const name = given.trim();
    const found = dimensions.find((one) => one === name);
    const isFirst = all.findIndex((one) => one.trim() === name) === at;
    if (!isFirst) throw commandError(`--by: got ${JSON.stringify(name)} twice; name each once`);
    if (found !== undefined) return found;
    throw commandError(
      `--by: got ${JSON.stringify(name)}; must be of ${dimensions.join(', ')}${didYouMean(name, dimensions)}`,
    );
  });
}

/** @throws StartError if they cannot be read */
export async function readAccounts(
  { cacheUrl, cacheSecret, accountsFile }: Config,
  days: ReadonlySet<string>,
): Promise<readonly AccountRow[]> {
  if (cacheUrl !== undefined) {
    const state = await redis({ url: cacheUrl, secret: cacheSecret }).openState(
      sharedAccountsName,
      pino({ enabled: false }),
    );
    try {
      await state.ready;
      if (!state.isUp()) throw problem('CACHE_URL: the Redis cannot be reached');
      return await sharedAccounts(state).load(days);
    } finally {
      await state.close();
    }
  }
  if (accountsFile === undefined)
    throw problem('CACHE_URL or ACCOUNTS_FILE: is missing; accounts of a gateway without both end with it');
  return readAccountFile(accountsFile).filter(({ day }) => days.has(day));
}

const problem = (message: string) => new StartError('The accounts of costs cannot be read', [{ message }]);

interface Sum extends Totals {
  readonly names: readonly string[];
}

/** The largest first. */
function sumRows(rows: readonly AccountRow[], by: readonly Dimension[]): readonly Sum[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const names = by.map((one) => row[one]);
    const name = JSON.stringify(names);
    const { runs, bytesBilled, slotMs } = row;
    const before = sums.get(name) ?? { names, runs: 0, bytesBilled: 0, slotMs: 0 };
    sums.set(name, { names, ...add(before, { runs, bytesBilled, slotMs }) });
  }
  const byNames = (a: Sum, b: Sum) => (JSON.stringify(a.names) < JSON.stringify(b.names) ? -1 : 1);
  return [...sums.values()].sort(
    (a, b) => b.bytesBilled - a.bytesBilled || b.slotMs - a.slotMs || byNames(a, b),
  );
}

const measures = ['runs', 'bytes_billed', 'slot_ms'];

const cellsOf = ({ names, runs, bytesBilled, slotMs }: Sum): readonly string[] => [
  ...names,
  ...[runs, bytesBilled, slotMs].map(String),
];

const formats: Readonly<
  Record<CostFlags['format'], (by: readonly Dimension[], sums: readonly Sum[]) => string>
> = {
  table: (by, sums) => alignedText([[...by, ...measures], ...sums.map(cellsOf).map(onOneLine)]),
  csv: (by, sums) =>
    [[...by, ...measures], ...sums.map(cellsOf)]
      .map((cells) => `${cells.map(quoted).join(',')}\r\n`)
      .join(''),
  json: (by, sums) =>
    `${JSON.stringify(
      sums.map((sum) => jsonOf(by, sum)),
      undefined,
      2,
    )}\n`,
};

const jsonOf = (by: readonly Dimension[], { names, runs, bytesBilled, slotMs }: Sum) => ({
  ...Object.fromEntries(by.map((one, at) => [one, names[at]])),
  ...{ runs, bytes_billed: bytesBilled, slot_ms: slotMs },
});

/** Callers choose names of tenants: no character of theirs moves the cursor of a terminal. */
const onOneLine = (cells: readonly string[]) =>
  cells.map((cell) => cell.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?') || '-');

const quoted = (text: string): string =>
  /[",\r\n]|^[\s=+\-@]/.test(text)
    ? `"${(/^[=+\-@]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
    : text;

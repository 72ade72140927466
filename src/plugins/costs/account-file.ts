import { readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Problem, StartError } from '../../errors.ts';
import { pathProblem } from '../../files/path-problem.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { type AccountRow, nameOf } from './account.ts';
import type { AccountStore } from './accounts.ts';

/** How many days the file keeps. */
const keptDays = 100;

/** A large file is written for no more than a tenth of the time. */
const restsTimesWriting = 9;

const count = z.int().min(0);

const row = z
  .tuple([z.iso.date(), z.string(), z.string(), z.string(), z.string(), count, count, count])
  .transform(
    ([day, instance, key, tenant, endpoint, runs, bytesBilled, slotMs]): AccountRow => ({
      ...{ day, instance, key, tenant, endpoint },
      ...{ runs, bytesBilled, slotMs },
    }),
  );

/** `count` is the number of rows. */
const schema = z
  .strictObject({ accounts: z.array(row), count })
  .refine(({ accounts, count }) => accounts.length === count, 'count is not the number of accounts');

/**
 * Accounts in a file, which is replaced as a whole: what is cut anywhere is not taken for a shorter one.
 *
 * @throws StartError if there is a file that cannot be read
 */
export function openAccountFile(path: string): AccountStore {
  const rows = new Map<string, AccountRow>();
  const take = (taken: readonly AccountRow[]) => {
    for (const one of taken) if (one.runs >= (rows.get(rowName(one))?.runs ?? 0)) rows.set(rowName(one), one);
  };
  let known = stateOf(path);
  take(readAccountFile(path));
  const texts = new DayTexts();
  let restsUntil = 0;
  /** Adds the accounts that another gateway has written. */
  const takeOthers = async () => {
    const state = stateOf(path);
    if (state === known || state === undefined) return;
    take(parse(path, await readFile(path, 'utf8')));
    known = state;
  };
  return {
    async save(saved, ending) {
      const restMs = Math.max(0, restsUntil - performance.now());
      await sleep(restMs, undefined, { signal: ending }).catch(() => {});
      const before = performance.now();
      take(saved);
      await takeOthers();
      await replaceFile(path, texts.of(rows));
      known = stateOf(path);
      const now = performance.now();
      restsUntil = now + restsTimesWriting * (now - before);
      return true;
    },
    async hasLost(saved) {
      const state = stateOf(path);
      if (state === known) return false;
      if (state === undefined) return true;
      const found = parse(path, await readFile(path, 'utf8'));
      return !found.some((one) => rowName(one) === rowName(saved) && one.runs >= saved.runs);
    },
    load: async (days) => [...rows.values()].filter(({ day }) => days.has(day)),
    close: async () => {},
  };
}

const rowName = (row: AccountRow) => row.instance + nameOf(row);

/** Differs when the file has been replaced; undefined without a file. */
function stateOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.ino} ${found.mtimeMs} ${found.size}`;
}

/** The text of a file of rows: that of days that are over is put together once. */
class DayTexts {
  #rows = new Map<string, readonly AccountRow[]>();
  #texts = new Map<string, string>();

  of(rows: Map<string, AccountRow>): string {
    const byDay = Map.groupBy(rows.values(), ({ day }) => day);
    const days = [...byDay.keys()].sort();
    for (const day of days.splice(0, Math.max(0, days.length - keptDays)))
      for (const [name, one] of rows) if (one.day === day) rows.delete(name);
    const texts = days.map((day) => this.#textOf(day, byDay.get(day) ?? []));
    const kept = days.reduce((sum, day) => sum + (byDay.get(day)?.length ?? 0), 0);
    return `{"accounts": [\n${texts.join(',\n')}\n], "count": ${kept}}\n`;
  }

  #textOf(day: string, rows: readonly AccountRow[]): string {
    const before = this.#rows.get(day);
    const text = this.#texts.get(day);
    const isSame = before?.length === rows.length && rows.every((one, at) => one === before[at]);
    if (isSame && text !== undefined) return text;
    const made = rows.map(lineOf).join(',\n');
    this.#rows.set(day, rows);
    this.#texts.set(day, made);
    return made;
  }
}

const lineOf = ({ day, instance, key, tenant, endpoint, runs, bytesBilled, slotMs }: AccountRow): string =>
  JSON.stringify([day, instance, key, tenant, endpoint, runs, bytesBilled, slotMs]);

/** @throws StartError if there is a file that cannot be read */
export function readAccountFile(path: string): readonly AccountRow[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw fileError({ file: path, message: `cannot be read ${pathProblem(path, error, 'file')}` });
  }
  return parse(path, text);
}

function parse(file: string, text: string): readonly AccountRow[] {
  try {
    return schema.parse(JSON.parse(text)).accounts;
  } catch (cause) {
    const why = text.trim() === '' ? 'is empty' : 'is damaged';
    const message = `${why}, and bills that are lost would be free; restore it from a copy, or remove it to start without accounts`;
    throw fileError({ file, message }, cause);
  }
}

const fileError = (problem: Problem, cause?: unknown) =>
  Object.assign(new StartError('The accounts of costs cannot be read', [problem]), { cause });

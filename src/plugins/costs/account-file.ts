import {
  accessSync,
  constants,
  createReadStream,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Problem, StartError } from '../../errors.ts';
import { pathProblem } from '../../files/path-problem.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { getOrAdd } from '../../get-or-add.ts';
import { type AccountRow, nameOf } from './account.ts';
import { AccountTextReader, NewerVersion, textOf } from './account-text.ts';
import type { AccountStore } from './accounts.ts';

/** How many days the file keeps. */
const keptDays = 100;

/** A large file is written for no more than a tenth of the time. */
const restsTimesWriting = 9;

/** Rows that are taken up in one turn of the event loop. */
const rowsOfTurn = 2_000;

/**
 * Accounts in a file, which is replaced as a whole: what is cut anywhere is not taken for a shorter one.
 *
 * @throws StartError if there is a file that cannot be read, or no folder for it
 */
export function openAccountFile(path: string): AccountStore {
  const rows = new Rows();
  requireFolder(path);
  let known = stateOf(path);
  if (known !== undefined) for (const row of readAccountFile(path)) rows.take(row);
  let restsUntil = 0;
  /** A row of this gateway is known better here: the bills of its runs may have been corrected. */
  const own = new Set<string>();
  /** Also without a file: it is written again. */
  const isKnown = (state: string | undefined) => state === known || state === undefined;
  /** Adds the accounts that another gateway has written. @returns all rows of the file, if it has been replaced */
  const takeOthers = async () => {
    const state = stateOf(path);
    if (isKnown(state)) return undefined;
    const found = await readByTurns(path);
    await rows.takeAll(found.filter(({ instance }) => !own.has(instance)));
    known = state;
    return found;
  };
  const takeNext = (next: string) => {
    if (!isKnown(stateOf(path))) return false;
    known = stateOf(next);
    return true;
  };
  return {
    async save(saved, ending) {
      const restMs = Math.max(0, restsUntil - performance.now());
      await sleep(restMs, undefined, { signal: ending }).catch(() => {});
      const before = performance.now();
      // Another gateway may write meanwhile, and end: it would not write its rows again.
      do {
        await takeOthers();
        for (const { instance } of saved) own.add(instance);
        await rows.takeAll(saved);
        rows.forget();
      } while (!(await replaceFile(path, textOf(rows.all()), takeNext)));
      const now = performance.now();
      restsUntil = now + restsTimesWriting * (now - before);
      return true;
    },
    async hasLost(saved) {
      const found = await takeOthers();
      return found === undefined
        ? stateOf(path) === undefined
        : !found.some((one) => isDeepStrictEqual(one, saved));
    },
    async load(days) {
      const found: AccountRow[] = [];
      for (const day of days) {
        for (const row of rows.of(day)) found.push(row);
        await nextTurn();
      }
      return found;
    },
    close: async () => {},
  };
}

/** The rows of a file, by day. */
class Rows {
  readonly #days = new Map<string, Map<string, AccountRow>>();

  take(row: AccountRow): void {
    const rows = getOrAdd(this.#days, row.day, () => new Map());
    const name = row.instance + nameOf(row);
    if (row.runs >= (rows.get(name)?.runs ?? 0)) rows.set(name, row);
  }

  async takeAll(taken: readonly AccountRow[]): Promise<void> {
    for (const [at, row] of taken.entries()) {
      this.take(row);
      if (at % rowsOfTurn === rowsOfTurn - 1) await nextTurn();
    }
  }

  of(day: string): Iterable<AccountRow> {
    return this.#days.get(day)?.values() ?? [];
  }

  /** All rows, the oldest days first. */
  *all(): Generator<AccountRow> {
    for (const day of [...this.#days.keys()].sort()) yield* this.of(day);
  }

  /** Drops the days that are kept no longer. */
  forget(): void {
    const days = [...this.#days.keys()].sort();
    for (const day of days.slice(0, Math.max(0, days.length - keptDays))) this.#days.delete(day);
  }
}

/** Differs when the file has been replaced; undefined without a file. */
function stateOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.ino} ${found.mtimeMs} ${found.size}`;
}

/** Bills that can be written nowhere would end with the process. */
function requireFolder(file: string): void {
  let path = file;
  try {
    // The target of a link is made in its own folder.
    while (isBrokenLink(path)) path = resolve(realpathSync(dirname(path)), readlinkSync(path));
    const exists = stateOf(path) !== undefined;
    accessSync(dirname(exists ? realpathSync(path) : path), constants.W_OK | constants.X_OK);
  } catch (error) {
    const message = `cannot be written ${pathProblem(path, error, 'file', 'written')}`;
    throw fileError({ file, message }, error);
  }
}

const isBrokenLink = (path: string) =>
  stateOf(path) === undefined && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** @throws StartError if there is no file, or one that cannot be read */
export function readAccountFile(path: string): readonly AccountRow[] {
  const reader = new AccountTextReader();
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw fileError({ file: path, message: `cannot be read ${pathProblem(path, error, 'file')}` }, error);
  }
  try {
    reader.add(text);
    return reader.end();
  } catch (cause) {
    throw damaged(path, cause, text.trim() === '');
  }
}

/** The same while the gateway serves. */
async function readByTurns(path: string): Promise<readonly AccountRow[]> {
  const reader = new AccountTextReader();
  try {
    for await (const part of createReadStream(path, 'utf8')) reader.add(part);
    return reader.end();
  } catch (cause) {
    throw damaged(path, cause);
  }
}

function damaged(file: string, cause: unknown, isEmpty = false): StartError {
  const why = isEmpty ? 'is empty' : 'is damaged';
  const message =
    cause instanceof NewerVersion
      ? 'is of a newer version of Querygate; start that version, or give this one a file of its own'
      : `${why}, and bills that are lost would be free; restore it from a copy, or remove it to start without accounts`;
  return fileError({ file, message }, cause);
}

const fileError = (problem: Problem, cause: unknown) =>
  Object.assign(new StartError('The accounts of costs cannot be read', [problem]), { cause });

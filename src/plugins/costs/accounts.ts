import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { type Account, type AccountRow, add, nameOf, otherAccounts, type Totals } from './account.ts';

/** Where accounts outlive the process. */
export interface AccountStore {
  /**
   * Stores rows in place of earlier ones of the same process.
   *
   * @param ending aborted when they can wait no longer
   * @returns false if it has to be tried again
   */
  save(rows: readonly AccountRow[], ending: AbortSignal): Promise<boolean>;
  /** True if the rows that were saved before may be lost, so that all are to be saved again. */
  hasLost(saved: AccountRow): Promise<boolean>;
  /** All rows of some days, of all processes. */
  load(days: ReadonlySet<string>): Promise<readonly AccountRow[]>;
  close(): Promise<void>;
}

/** The accounts of a day. */
interface DayRows {
  /** As in `AccountRow`. */
  readonly instance: string;
  readonly rows: Map<string, AccountRow>;
}

/** Beyond so many accounts of a day the others are one: any caller may send any tenant. */
const maxAccountsOfDay = 50_000;

/** Rows of days that were settled longer ago are not saved again. */
const daysKept = 2;

/** Days of which a process without a store knows its bills. */
const daysShown = 31;

/** How often rows that could not be saved are tried again, and it is checked that the others are still there. */
const checkEveryMs = 2_000;

/**
 * The bills that this process has settled. Each row is the sum since the start of the process, so that it may be saved
 * twice: after a lost reply, and when a store has lost what was in it.
 */
export class Accounts {
  readonly #store: AccountStore | undefined;
  readonly #log: Logger;
  /** Ordered by their last bills. */
  readonly #days = new Map<string, DayRows>();
  /** Rows that are not saved yet. */
  #unsaved = new Map<string, AccountRow>();
  #saving: Promise<void> | undefined;
  #saved: AccountRow | undefined;
  #isFailing = false;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #ending = new AbortController();

  /** @param store undefined: they end with the process */
  constructor(store: AccountStore | undefined, log: Logger) {
    this.#store = store;
    this.#log = log;
    if (store !== undefined) this.#timer = setInterval(() => void this.#save(), checkEveryMs).unref();
  }

  settle(account: Account, bill: Totals): void {
    const { day } = account;
    // A clock that was ahead may have let the day be forgotten: it begins again, beside the rows that are saved.
    const ofDay = this.#days.get(day) ?? { instance: randomUUID(), rows: new Map<string, AccountRow>() };
    const { instance, rows } = ofDay;
    this.#days.delete(day);
    this.#days.set(day, ofDay);
    const isFull = rows.size >= maxAccountsOfDay && !rows.has(nameOf(account));
    const to = isFull ? { ...account, key: otherAccounts, tenant: otherAccounts } : account;
    const name = nameOf(to);
    const before = rows.get(name) ?? { ...to, instance, runs: 0, bytesBilled: 0, slotMs: 0 };
    const row = { ...before, ...add(before, bill) };
    rows.set(name, row);
    if (this.#store === undefined) {
      this.#forget(daysShown);
      return;
    }
    this.#unsaved.set(name, row);
    void this.#save();
  }

  /** Rows of all processes; those of this one are newer than what is saved. */
  async load(days: ReadonlySet<string>): Promise<readonly AccountRow[]> {
    const saved = (await this.#store?.load(days)) ?? [];
    const others = saved.filter(({ day, instance }) => instance !== this.#days.get(day)?.instance);
    return others.concat([...days].flatMap((day) => [...(this.#days.get(day)?.rows.values() ?? [])]));
  }

  /** Rows of this process, of a day or later ones. */
  settledSince(day: string): readonly AccountRow[] {
    return [...this.#days].flatMap(([at, { rows }]) => (at < day ? [] : [...rows.values()]));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#ending.abort();
    await this.#saving;
    await this.#save();
    await this.#store?.close();
  }

  /** One save at a time; what is settled meanwhile is saved with the next. */
  #save(): Promise<void> {
    this.#saving ??= this.#saveAll().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #saveAll(): Promise<void> {
    while (this.#store !== undefined) {
      // Before each save: its rows would hide that those before are lost.
      const isLost = this.#saved && (await this.#store.hasLost(this.#saved).catch(this.#report));
      if (isLost)
        for (const { rows } of this.#days.values()) this.#unsaved = new Map([...this.#unsaved, ...rows]);
      if (this.#unsaved.size === 0) return;
      const saved = this.#unsaved;
      this.#unsaved = new Map();
      const isSaved = await this.#store.save([...saved.values()], this.#ending.signal).catch(this.#report);
      if (isSaved !== true) {
        this.#unsaved = new Map([...saved, ...this.#unsaved]);
        return;
      }
      this.#isFailing = false;
      this.#saved = [...saved.values()].at(-1);
      this.#forget(daysKept);
    }
  }

  /** An older day that is saved, or cannot be, needs no memory. */
  #forget(days: number): void {
    if (this.#days.size <= days) return;
    for (const day of [...this.#days.keys()].slice(0, -days))
      if (![...this.#unsaved.values()].some((row) => row.day === day)) this.#days.delete(day);
  }

  readonly #report = (err: unknown): false => {
    if (!this.#isFailing)
      this.#log.error({ err }, 'the accounts of costs cannot be saved; it is tried again');
    this.#isFailing = true;
    return false;
  };
}

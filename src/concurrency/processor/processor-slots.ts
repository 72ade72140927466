import { FairQueue } from '../fair-queue.ts';
import { groupOf, keyOf, type Owner } from '../fair-share.ts';
import { RecentUse } from './recent-use.ts';

interface SlotsOptions {
  /** How many tasks may run at the same moment; those of one owner in half of these slots. */
  readonly size: number;
  /** The time that a task may use of its slot before it yields to those who wait. */
  readonly sliceMs: number;
  /** How many more tasks may wait. */
  readonly queueLength: number;
  /** The error for a task that comes when the queue, or its owner's share of it, is full. */
  readonly overflow: () => Error;
  readonly use?: RecentUse;
}

/** Controls a task from outside. */
interface TaskControl {
  /** Stops it until `resume`; it keeps its memory. */
  pause(): void;
  resume(): void;
  /** Ends it, to be begun again: too many others are paused. */
  end(): void;
}

/** Waits for a slot: a new task, or one that is paused. */
interface Waiting {
  readonly owner: Owner;
  readonly slot?: ProcessorSlot;
}

/** A task that has used less is not ended, for the work that would be lost. */
const leastEndedMs = 500;

/** Only who has used this part of what the owner of a task has used lets it be ended: two equals would end each other for ever. */
const lightPart = 1 / 2;

/**
 * Slots in which tasks run. Who has used least in the last minutes is next, and a task that goes on for long is paused while
 * others wait that have used less.
 */
export class ProcessorSlots {
  readonly #size: number;
  readonly #sliceMs: number;
  readonly #queueLength: number;
  readonly #overflow: () => Error;
  readonly #use: RecentUse;
  readonly #queue: FairQueue<true, Waiting>;
  readonly #held = new Map<string | undefined, number>();
  /** Each keeps its memory: there are at most as many as slots. */
  readonly #paused = new Set<ProcessorSlot>();
  #running = 0;

  constructor({ size, sliceMs, queueLength, overflow, use = new RecentUse() }: SlotsOptions) {
    this.#size = size;
    this.#sliceMs = sliceMs;
    this.#queueLength = queueLength;
    this.#overflow = overflow;
    this.#use = use;
    this.#queue = new FairQueue(use);
  }

  /**
   * Waits for a slot; its `leave` must be called.
   *
   * @throws `overflow()` when the queue, or the owner's share of it, is full; the signal's reason when it is aborted
   */
  async enter(owner: Owner, signal: AbortSignal): Promise<ProcessorSlot> {
    signal.throwIfAborted();
    if (!this.#take({ owner })) {
      if (!this.#queue.hasRoom(owner, this.#queueLength)) throw this.#overflow();
      await this.#queue.wait(signal, { owner }, owner);
    }
    return new ProcessorSlot(owner, {
      used: (slot, ms, ofTurnMs) => this.#noteUse(slot, ms, ofTurnMs),
      leave: (slot) => this.#leave(slot),
    });
  }

  #noteUse(slot: ProcessorSlot, ms: number, ofTurnMs: number): void {
    this.#use.add(slot.owner, ms);
    if (slot.state !== 'running') return;
    slot.sliceMs += ofTurnMs;
    slot.totalMs += ofTurnMs;
    if (slot.sliceMs >= this.#sliceMs && this.#queue.size > 0) this.#yield(slot);
  }

  /** It waits as all others do, and goes on at once if it is the next. */
  #yield(slot: ProcessorSlot): void {
    const { owner } = slot;
    slot.sliceMs = 0;
    slot.state = 'paused';
    slot.control?.pause();
    this.#paused.add(slot);
    this.#queue.wait(slot.leaving.signal, { owner, slot }, owner).catch(() => {});
    this.#release(owner);
    this.#queue.serveNext((waiting) =>
      waiting.slot !== undefined || this.#hasRoomFor(waiting.owner) ? this.#take(waiting) : undefined,
    );
  }

  /** True if one more task may begin while others are paused. */
  #hasRoomFor(owner: Owner): boolean {
    if (this.#paused.size <= this.#size) return true;
    const [most] = [...this.#paused]
      .filter(({ totalMs }) => totalMs >= leastEndedMs)
      .sort((a, b) => this.#use.compare(b.owner, a.owner));
    if (most === undefined || !this.#isLight(owner, most.owner) || !this.#isFree(owner)) return false;
    this.#forget(most);
    most.control?.end();
    return true;
  }

  #isLight(owner: Owner, other: Owner): boolean {
    const [group, otherGroup] = [groupOf(owner), groupOf(other)];
    return group === otherGroup
      ? this.#use.ofKey(keyOf(owner)) <= this.#use.ofKey(keyOf(other)) * lightPart
      : this.#use.ofGroup(group) <= this.#use.ofGroup(otherGroup) * lightPart;
  }

  #leave(slot: ProcessorSlot): void {
    if (slot.state === 'running') this.#giveBack(slot.owner);
    else this.#forget(slot);
    slot.state = 'left';
  }

  #forget(slot: ProcessorSlot): void {
    this.#paused.delete(slot);
    slot.leaving.abort();
  }

  readonly #take = ({ owner, slot }: Waiting): true | undefined => {
    if (!this.#isFree(owner)) return undefined;
    const group = groupOf(owner);
    this.#running += 1;
    this.#held.set(group, (this.#held.get(group) ?? 0) + 1);
    if (slot !== undefined) {
      this.#paused.delete(slot);
      slot.state = 'running';
      slot.control?.resume();
    }
    return true;
  };

  #isFree(owner: Owner): boolean {
    const held = this.#held.get(groupOf(owner)) ?? 0;
    return this.#running < this.#size && held < Math.ceil(this.#size / 2);
  }

  #giveBack(owner: Owner): void {
    this.#release(owner);
    while (this.#queue.serveNext(this.#take));
  }

  #release(owner: Owner): void {
    const group = groupOf(owner);
    this.#running -= 1;
    const left = (this.#held.get(group) ?? 1) - 1;
    if (left === 0) this.#held.delete(group);
    else this.#held.set(group, left);
  }
}

interface SlotEvents {
  used(slot: ProcessorSlot, ms: number, ofTurnMs: number): void;
  leave(slot: ProcessorSlot): void;
}

/** The slot of a task, which others may have while it is paused. */
export class ProcessorSlot {
  readonly owner: Owner;
  readonly #events: SlotEvents;
  /** Aborted when it waits for its turn no longer. */
  readonly leaving = new AbortController();
  state: 'running' | 'paused' | 'left' = 'running';
  /** The time that the task has used since its turn began. */
  sliceMs = 0;
  /** In all. */
  totalMs = 0;
  /** Set when the task begins. */
  control: TaskControl | undefined;

  constructor(owner: Owner, events: SlotEvents) {
    this.owner = owner;
    this.#events = events;
  }

  /** Counts what the task has used. @param ofTurnMs what counts of its turn, if that is another time */
  used(ms: number, ofTurnMs = ms): void {
    this.#events.used(this, ms, ofTurnMs);
  }

  /** Gives the slot back; a task that is paused goes on without one, to end. */
  leave(): void {
    if (this.state === 'left') return;
    const wasPaused = this.state === 'paused';
    this.#events.leave(this);
    if (wasPaused) this.control?.resume();
  }
}

import { join } from 'node:path';
import { untilAborted } from '../../../concurrency/abort.ts';
import type { Owner } from '../../../concurrency/fair-share.ts';
import { type ProcessorPlace, ProcessorPlaces } from '../../../concurrency/processor/processor-places.ts';
import { engineClosing, queueFull } from '../../../engine/engine-errors.ts';
import { GatewayError } from '../../../errors.ts';
import { once } from '../../../memoize.ts';
import type { SandboxLimits } from '../duckdb-options.ts';
import { SandboxEnded, type SandboxProcess, startSandbox } from './sandbox-process.ts';
import { type Excess, watchUsage } from './watch-usage.ts';

/** Who uses a sandbox. */
interface SandboxUse {
  /** Whose turn in the queue it takes. */
  readonly owner: Owner;
  readonly signal: AbortSignal;
}

/** Processes in which callers' SQL runs, one text at a time in each. */
export interface Sandboxes {
  /**
   * @throws StoppedText if the process had to be ended, or has ended; the signal's reason when it is aborted; GatewayError
   * ENGINE_BUSY when the queue, or the owner's share of it, is full, or ENGINE_UNAVAILABLE when no process can be started
   */
  use<T>(use: SandboxUse, task: (sandbox: SandboxProcess) => Promise<T>): Promise<T>;
  /** Has a process ready for the first text, which would otherwise wait for it. */
  prepare(): void;
  close(): Promise<void>;
}

/**
 * Why the process of a text was ended: the text took too much, or went on after its deadline or its caller, or was paused when
 * too many others were, and is begun again; the process has ended itself, or another process has killed it.
 */
export type StopReason = Excess | 'did not stop' | 'others waited' | 'crashed' | 'killed';

/** A text whose process has been ended. */
export class StoppedText extends Error {
  readonly reason: StopReason;

  constructor(reason: StopReason, cause?: unknown) {
    super(`a text was stopped: ${reason}`, { cause });
    this.reason = reason;
  }
}

interface SandboxesOptions {
  /** Where processes have folders of their own. */
  readonly folder: string;
  /** Where they keep what V8 has compiled for those that start after them. */
  readonly compiled: string;
  /** How many texts may run at the same moment. */
  readonly size: number;
  readonly queueLength: number;
  readonly limits: SandboxLimits;
  readonly onProblem: (message: string) => void;
}

interface Slot {
  readonly sandbox: SandboxProcess;
  /** How many it has run. */
  texts: number;
}

/** What a text may use before it is paused for others: to stop it for a moment costs little. */
const sliceMs = 500;

/** Also a text that waits, for its rows or on a busy machine, holds its place: these parts of the time count at least. */
const leastPart = { ofUse: 1 / 10, ofTurn: 1 / 2 };

/** How long a text may go on after its deadline, or after its caller has disconnected, before its process is killed. */
const graceMs = 1_000;

/** A process that has not been used for this long is ended, unless it is the last one. */
const idleMs = 60_000;

/** What a process keeps of texts grows slowly: macros, and memory that the allocator does not give back. */
const maxTexts = 1_000;

/** A new spare process would take processor time from the text that took the last one. */
const spareDelayMs = 250;

/** After a process that could not start. */
const retryMs = 2_000;

export function openSandboxes({
  folder,
  compiled,
  size,
  queueLength,
  limits,
  onProblem,
}: SandboxesOptions): Sandboxes {
  const idle = new Set<Slot>();
  const all = new Set<SandboxProcess>();
  const places = new ProcessorPlaces({ size, sliceMs, queueLength, overflow: queueFull });
  let started = 0;
  let isOpen = true;
  let canStart = true;
  let spareTimer: NodeJS.Timeout | undefined;

  const start = (): Slot => {
    started += 1;
    const { memoryBytes, diskBytes } = limits;
    const sandbox = startSandbox(
      { folder: join(folder, `sandbox-${started}`), memoryBytes, diskBytes },
      compiled,
    );
    const slot: Slot = { sandbox, texts: 0 };
    all.add(sandbox);
    void sandbox.ended.then(() => {
      all.delete(sandbox);
      idle.delete(slot);
      startSpareLater(canStart ? 0 : retryMs);
    });
    return slot;
  };
  const end = (slot: Slot) => {
    idle.delete(slot);
    slot.sandbox.kill();
  };
  const startSpareLater = (delayMs: number) => {
    if (spareTimer !== undefined || !isOpen) return;
    spareTimer = setTimeout(() => void startSpare(), delayMs).unref();
  };
  const startSpare = async () => {
    spareTimer = undefined;
    if (!isOpen || idle.size > 0) return;
    try {
      const slot = start();
      idle.add(slot);
      await slot.sandbox.ready;
      canStart = true;
      // A text that has waited for the process goes first.
      if (idle.has(slot)) slot.sandbox.warmUp();
    } catch (error) {
      if (!isOpen || (error instanceof SandboxEnded && error.wasKilled)) return;
      reportFailure(error);
      startSpareLater(retryMs);
    }
  };
  const reportFailure = (error: unknown) => {
    if (canStart) onProblem(`SQL of callers cannot run: its process does not start: ${String(error)}`);
    canStart = false;
  };

  /** The process that was used last, whose code is compiled; otherwise a new one. */
  const pick = (): Slot => {
    const slot = [...idle].findLast(({ sandbox }) => !sandbox.hasEnded) ?? startOrRefuse();
    idle.delete(slot);
    startSpareLater(spareDelayMs);
    return slot;
  };
  const startOrRefuse = (): Slot => {
    try {
      return start();
    } catch (error) {
      reportFailure(error);
      startSpareLater(retryMs);
      throw cannotStart(error);
    }
  };
  const putBack = (slot: Slot) => {
    slot.texts += 1;
    if (slot.sandbox.hasEnded) return;
    if (slot.texts >= maxTexts || !isOpen) return end(slot);
    idle.add(slot);
    setTimeout(() => {
      if (idle.has(slot) && slot.texts === texts && idle.size > 1) end(slot);
    }, idleMs).unref();
    const { texts } = slot;
  };

  const runOn = async <T>(
    slot: Slot,
    place: ProcessorPlace,
    signal: AbortSignal,
    task: (sandbox: SandboxProcess) => Promise<T>,
  ): Promise<T> => {
    const { sandbox } = slot;
    let reason: StopReason | undefined;
    const stop = (why: StopReason) => {
      reason ??= why;
      sandbox.kill();
    };
    let grace: NodeJS.Timeout | undefined;
    const cancel = () => {
      sandbox.cancel();
      if (place.state === 'paused') place.leave();
      grace ??= setTimeout(() => stop('did not stop'), graceMs);
    };
    const idleBytes = await untilAborted(sandbox.ready, signal).catch((error: unknown) => {
      throw error instanceof SandboxEnded && error.wasKilled ? new StoppedText('killed', error) : error;
    });
    place.control = {
      pause: sandbox.pause,
      resume: sandbox.resume,
      end: () => stop('others waited'),
    };
    const watch = watchUsage(sandbox.pid, idleBytes, limits, {
      onUse({ clockMs, processorMs = clockMs }) {
        const heldMs = place.state === 'running' ? clockMs : 0;
        place.used(
          Math.max(processorMs, heldMs * leastPart.ofUse),
          Math.max(processorMs, heldMs * leastPart.ofTurn),
        );
      },
      onExcess: stop,
    });
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      return await task(sandbox);
    } catch (error) {
      if (!(error instanceof SandboxEnded)) throw error;
      if (reason === undefined && !isOpen) signal.throwIfAborted();
      throw new StoppedText(reason ?? (error.wasKilled ? 'killed' : 'crashed'), error);
    } finally {
      signal.removeEventListener('abort', cancel);
      clearTimeout(grace);
      // Memory that is not given back would count for the next text.
      if (await watch.end()) end(slot);
    }
  };

  return {
    prepare: () => startSpareLater(0),
    async use({ owner, signal }, task) {
      if (!isOpen) throw engineClosing();
      const place = await places.enter(owner, signal);
      try {
        const slot = pick();
        return await runOn(slot, place, signal, task).finally(() => putBack(slot));
      } finally {
        place.leave();
      }
    },
    close: once(async () => {
      isOpen = false;
      clearTimeout(spareTimer);
      const sandboxes = [...all];
      for (const sandbox of sandboxes) sandbox.kill();
      await Promise.all(sandboxes.map(({ ended }) => ended));
    }),
  };
}

const cannotStart = (cause: unknown): GatewayError =>
  new GatewayError('ENGINE_UNAVAILABLE', 'sql: no process can be started for it; try again in a moment', {
    retryAfterSeconds: retryMs / 1_000,
    cause,
  });

import { join } from 'node:path';
import { untilAborted } from '../../../concurrency/abort.ts';
import type { Owner } from '../../../concurrency/fair-share.ts';
import { type ProcessorSlot, ProcessorSlots } from '../../../concurrency/processor/processor-slots.ts';
import { engineClosing, queueFull } from '../../../engine-contract/engine-errors.ts';
import type { SandboxLimits } from '../duckdb-options.ts';
import { SandboxPool } from './sandbox-pool.ts';
import { SandboxEnded, type SandboxProcess, startSandbox } from './sandbox-process.ts';
import { type Excess, type UsedTime, watchUsage } from './watch-usage.ts';

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
  /** How many texts may run at the same moment. */
  readonly size: number;
  readonly queueLength: number;
  readonly limits: SandboxLimits;
  readonly onProblem: (message: string) => void;
}

/** The time that a text may use before it is paused for others: to stop it for a moment costs little. */
const sliceMs = 500;

/** Also a text that waits, for its rows or on a busy machine, holds its slot: these parts of the time count at least. */
const leastPart = { ofUse: 1 / 10, ofTurn: 1 / 2 };

/** How long a text may go on after its deadline, or after its caller has disconnected, before its process is killed. */
const graceMs = 1_000;

export function openSandboxes(options: SandboxesOptions): Sandboxes {
  const { folder, size, queueLength, limits, onProblem } = options;
  const { memoryBytes, diskBytes } = limits;
  const slots = new ProcessorSlots({ size, sliceMs, queueLength, overflow: queueFull });
  let started = 0;
  const pool = new SandboxPool({
    start() {
      started += 1;
      return startSandbox({ folder: join(folder, `sandbox-${started}`), memoryBytes, diskBytes });
    },
    onProblem,
  });
  return {
    prepare: () => pool.startSpareLater(0),
    async use({ owner, signal }, task) {
      if (pool.state === 'closed') throw engineClosing();
      const slot = await slots.enter(owner, signal);
      try {
        const taken = pool.take();
        const text = { sandbox: taken.sandbox, slot, signal, limits };
        return await runText(text, pool, task).finally(() => pool.putBack(taken));
      } finally {
        slot.leave();
      }
    },
    close: pool.close,
  };
}

interface Text {
  readonly sandbox: SandboxProcess;
  readonly slot: ProcessorSlot;
  readonly signal: AbortSignal;
  readonly limits: SandboxLimits;
}

/** Runs a text, and stops its process if it takes too much, or goes on for too long. */
async function runText<T>(
  { sandbox, slot, signal, limits }: Text,
  pool: Pick<SandboxPool, 'state'>,
  task: (sandbox: SandboxProcess) => Promise<T>,
): Promise<T> {
  let reason: StopReason | undefined;
  const stop = (why: StopReason) => {
    reason ??= why;
    sandbox.kill();
  };
  let grace: NodeJS.Timeout | undefined;
  const cancel = () => {
    sandbox.cancel();
    if (slot.state === 'paused') slot.leave();
    grace ??= setTimeout(() => stop('did not stop'), graceMs);
  };
  const idleBytes = await untilAborted(sandbox.ready, signal).catch((error: unknown) => {
    throw error instanceof SandboxEnded && error.wasKilled ? new StoppedText('killed', error) : error;
  });
  slot.control = {
    pause: () => sandbox.pause(),
    resume: () => sandbox.resume(),
    end: () => stop('others waited'),
  };
  const onUse = ({ clockMs, processorMs = clockMs }: UsedTime) => {
    const heldMs = slot.state === 'running' ? clockMs : 0;
    slot.used(
      Math.max(processorMs, heldMs * leastPart.ofUse),
      Math.max(processorMs, heldMs * leastPart.ofTurn),
    );
  };
  const watch = watchUsage(sandbox.pid, idleBytes, limits, { onUse, onExcess: stop });
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    return await task(sandbox);
  } catch (error) {
    if (!(error instanceof SandboxEnded)) throw error;
    if (reason === undefined && pool.state === 'closed') signal.throwIfAborted();
    throw new StoppedText(reason ?? (error.wasKilled ? 'killed' : 'crashed'), error.failure ?? error);
  } finally {
    signal.removeEventListener('abort', cancel);
    clearTimeout(grace);
    // Memory that is not given back would count for the next text.
    if (await watch.end()) sandbox.kill();
  }
}

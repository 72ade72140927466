import { flushCompileCache } from 'node:module';
import { deserialize } from 'node:v8';
import { GatewayError } from '../../../errors.ts';
import { connectToParent } from '../../../process/connect-to-parent.ts';
import { explainFailure } from '../run/explain-failure.ts';
import { isDatabaseUnusable, isInternalError } from '../wire/unusable-database.ts';
import {
  fromSandbox,
  type SandboxSettings,
  type TextFailure,
  type TextRequest,
  toSandbox,
} from './messages.ts';
import { type JudgedText, openTextRunner, type TextRunner } from './text-runner.ts';

/** The program of a sandbox. Its parent sends one text at a time, and ends the process when one does not stop. */

let runner: TextRunner | undefined;
let text: JudgedText | undefined;
let running: AbortController | undefined;
let outcome: Awaited<ReturnType<JudgedText['run']>> | undefined;
const warmUp = new AbortController();
/** Resolves when no text of the warm-up runs any more. */
let warmedUp: Promise<void> | undefined;

const channel = connectToParent(({ kind, id, payload }) => {
  if (kind === toSandbox.cancel) return running?.abort();
  void answer(id, () => steps[kind]?.(id, payload.byteLength > 0 ? deserialize(payload) : undefined));
});

const steps: Readonly<Record<number, (id: number, message: unknown) => unknown>> = {
  async [toSandbox.open](id, message) {
    runner = await openTextRunner(message as SandboxSettings);
    channel.sendJson(fromSandbox.ready, id, {});
    // It will be killed, and would otherwise write the cache when it ends.
    flushCompileCache();
  },
  [toSandbox.warmUp]() {
    warmedUp = runner?.warmUp(warmUp.signal).catch(() => {});
  },
  [toSandbox.outline](id, message) {
    runner?.addOutline(id, message as Parameters<TextRunner['addOutline']>[1]);
  },
  [toSandbox.judge](id, message) {
    warmUp.abort();
    text = runner?.judge(message as TextRequest);
    channel.sendJson(fromSandbox.reads, id, text?.reads);
  },
  async [toSandbox.run](id, message) {
    running = new AbortController();
    await warmedUp;
    outcome = await text?.run(message as readonly string[], running.signal);
    channel.sendJson(fromSandbox.done, id, outcome?.result);
  },
  [toSandbox.rows](id) {
    channel.send(fromSandbox.rows, id, outcome?.rows);
    outcome = undefined;
  },
};

async function answer(id: number, step: () => unknown): Promise<void> {
  try {
    await step();
  } catch (error) {
    channel.sendJson(fromSandbox.failed, id, failureOf(error));
  }
}

function failureOf(error: unknown): TextFailure {
  const shown =
    error instanceof GatewayError
      ? error
      : explainFailure(error, { query: { parameters: [] }, parameters: {}, sql: '' });
  const { code, message, parameter, cause } = shown;
  const reason = cause instanceof Error ? cause.message : undefined;
  return {
    code,
    message,
    parameter,
    cause: reason,
    ends: isDatabaseUnusable(error) || isInternalError(error),
  };
}

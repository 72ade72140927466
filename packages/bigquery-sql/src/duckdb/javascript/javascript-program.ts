import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type MessagePort, workerData } from 'node:worker_threads';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import type { JavascriptFunction } from '../../macros/javascript-function.ts';
import type { Answer, Channel, Request } from './javascript-thread.ts';
import { noError, valueConversions } from './value-conversions.ts';

type Options = Parameters<typeof newVariant>[1];

/** The types of Node lack it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => NonNullable<Options['wasmModule']>;
  /** Sizes are in pages. */
  readonly Memory: new (size: {
    readonly initial: number;
    readonly maximum: number;
  }) => NonNullable<Options['wasmMemory']>;
};

/**
 * Computes functions written in JavaScript, in a thread. Each statement has a WebAssembly instance of its own, with a
 * memory that is gone with it, in which QuickJS runs. The functions see nothing but JavaScript itself.
 */

const pageBytes = 65_536;
/** The engine needs some 16 MB of it. */
const memoryBytes = 64_000_000;
/** Of JavaScript; the thread has a larger one, so that QuickJS notices it first. */
const stackBytes = 512 * 1024;

interface Statement {
  readonly context: QuickJSContext;
  readonly define: QuickJSHandle;
  /** By their definitions. */
  readonly functions: Map<string, QuickJSHandle>;
}

// The types of the package are those of its CommonJS form.
const release = variant as unknown as QuickJSSyncVariant;
const { port, flag } = workerData as Channel & { readonly port: MessagePort };
const file = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
const wasmModule = new WebAssembly.Module(readFileSync(file));
const statements = new Map<number, Statement>();
let deadline = 0;

useUtc();
port.on('message', async (request: Request) => {
  if ('ended' in request) return statements.delete(request.ended);
  const answer = await compute(request).catch(
    (error: unknown): Answer => ({ failure: `it cannot run: ${String(error)}` }),
  );
  port.postMessage(answer);
  wake();
});
// Compiling QuickJS takes most of the time of the first call, so it is not charged to the statement.
await compute({
  id: 0,
  definition: '{"parameters":[],"returns":"STRING","code":""}',
  rows: '[[]]',
  timeoutMs: 10_000,
})
  .then(() => statements.delete(0))
  .catch(() => {});
wake();

function wake(): void {
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
}

async function compute(request: Exclude<Request, { readonly ended: number }>): Promise<Answer> {
  const { id, definition, rows, timeoutMs } = request;
  deadline = performance.now() + timeoutMs;
  const statement = statements.get(id) ?? (await openStatement());
  statements.set(id, statement);
  const { context, define, functions } = statement;
  try {
    const known = functions.get(definition);
    const run = known ?? defined(context, define, definition);
    functions.set(definition, run);
    let results = result(context, run, 'start', rows);
    if (results.startsWith('{"waiting"')) {
      const jobs = context.runtime.executePendingJobs();
      if (jobs.error) throw failureOf(context, jobs.error);
      results = result(context, run, 'finish');
    }
    // A promise is rejected, or stays open, when its code is interrupted.
    if (results.startsWith('{') && performance.now() > deadline) throw new Error('interrupted');
    return { results };
  } catch (error) {
    // The instance may be in any state.
    statements.delete(id);
    const message = error instanceof Error ? error.message : String(error);
    return message.endsWith('interrupted') ? { isOver: true } : { failure: explain(message) };
  }
}

function explain(message: string): string {
  if (message.endsWith('out of memory')) return `it uses more than ${memoryBytes / 1_000_000} MB of memory`;
  return message.endsWith('Maximum call stack size exceeded') ? 'InternalError: stack overflow' : message;
}

async function openStatement(): Promise<Statement> {
  const wasmMemory = new WebAssembly.Memory({
    initial: (16 * 1024 * 1024) / pageBytes,
    maximum: Math.floor(memoryBytes / pageBytes),
  });
  const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(release, { wasmModule, wasmMemory }));
  const runtime = quickjs.newRuntime({
    maxStackSizeBytes: stackBytes,
    interruptHandler: () => performance.now() > deadline,
  });
  const context = runtime.newContext();
  const define = context.unwrapResult(context.evalCode(valueConversions));
  return { context, define, functions: new Map() };
}

function defined(context: QuickJSContext, define: QuickJSHandle, definition: string): QuickJSHandle {
  const { code, isAggregate } = JSON.parse(definition) as JavascriptFunction;
  const module = isAggregate ? context.evalCode(code, 'aggregate', { type: 'module' }) : undefined;
  if (module?.error) throw failureOf(context, module.error);
  using text = context.newString(definition);
  const called = context.callFunction(define, context.undefined, text, module?.value ?? context.undefined);
  if (called.error) throw failureOf(context, called.error);
  return called.value;
}

function result(context: QuickJSContext, run: QuickJSHandle, method: string, rows = ''): string {
  using argument = context.newString(rows);
  const called = context.callMethod(run, method, [argument]);
  if (called.error) throw failureOf(context, called.error);
  using value = called.value;
  return context.getString(value);
}

function failureOf(context: QuickJSContext, error: QuickJSHandle): Error {
  const value: unknown = context.dump(error);
  if (value === null) return new Error(noError);
  if (typeof value !== 'object') return new Error(String(value));
  const { name, message } = value as { readonly name?: unknown; readonly message?: unknown };
  return new Error(`${String(name)}: ${String(message)}`);
}

/** QuickJS takes the local time from Date in this thread; in BigQuery it is UTC. */
function useUtc(): void {
  const { prototype } = Date;
  prototype.getTimezoneOffset = () => 0;
  for (const part of ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds'] as const)
    prototype[`get${part}`] = prototype[`getUTC${part}`];
}

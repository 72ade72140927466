import type { Logger } from 'pino';
import type { BoundQuery } from '../catalog/binding/bind.ts';
import { untilAborted } from '../concurrency/abort.ts';
import { type Clock, within } from '../concurrency/clock.ts';
import { isThenable } from '../concurrency/thenable.ts';
import { isObject } from '../config/option-rules.ts';
import type { Engine, Refresh } from '../engine-contract/engine.ts';
import { errorToLog } from '../engine-contract/without-values.ts';
import { callerDisconnected, GatewayError } from '../errors.ts';
import { sendableReply } from '../http/handler/changed-reply.ts';
import { type RequestHead, TranslatedHead, type TranslatedRequest } from '../http/message/head.ts';
import { httpLimits } from '../http/message/http-limits.ts';
import { checkedFields, type LogFields } from '../http/message/log-fields.ts';
import type { RequestHooks } from '../http/message/request-hooks.ts';
import type { GetResult } from '../results/get-result.ts';
import type { GatewayPlugin, RunObserver } from './plugin.ts';

type Hook<K extends keyof GatewayPlugin> = Extract<GatewayPlugin[K], (...args: never) => unknown>;
type PluginWith<K extends keyof GatewayPlugin> = GatewayPlugin & Required<Pick<GatewayPlugin, K>>;
type TellingHook = 'onResult' | 'onSent' | 'onStreamed' | 'onReload' | 'onImport';

/** The hooks of all plug-ins. */
export interface PluginHooks extends RequestHooks {
  readonly onReload: readonly Hook<'onReload'>[];
  readonly onImport: readonly Hook<'onImport'>[];
  /** Looks which plug-ins have `onReply` now. */
  readReplyHooks(): void;
  /** By how much refreshes are rarer: the most that a plug-in says. */
  paceOf(bound: BoundQuery): number;
  /** True if a plug-in refreshes a result together with others. */
  refreshesTogether(bound: BoundQuery): boolean;
  /** False if a plug-in leaves a refresh to another gateway. */
  mayRefresh(bound: BoundQuery, refresh: Refresh): Promise<boolean>;
  /** The same function, with results shown to the plug-ins. */
  observeResults(getResult: GetResult): GetResult;
  /** The same engine, with runs shown to the plug-ins, and made by those that decide how. */
  observeRuns(engine: Engine): Engine;
}

/** Hooks in which a plug-in may refuse a request. */
const refusing: ReadonlySet<string> = new Set(['onRequest', 'onResult', 'onReply']);

/** Calls a hook. An error that may not be thrown is logged, and another value is returned. */
type CallHook = <R>(plugin: GatewayPlugin, name: string, hook: () => R, instead: () => R) => R;

const nothing = () => {};

export function buildPluginHooks(
  plugins: readonly GatewayPlugin[],
  log: Logger,
  clock: Pick<Clock, 'after'>,
): PluginHooks {
  const faults = buildFaults(log);
  const call = buildCallHook(faults);
  /** Those of a kind that inform the plug-ins of something. */
  const telling = <K extends TellingHook>(name: K) =>
    withHook(plugins, name).map((plugin) => {
      const hook = plugin[name] as (...args: Parameters<Hook<K>>) => void;
      // Every cached reply passes here: no function is made for it.
      return (...args: Parameters<Hook<K>>): void => {
        try {
          const returned: unknown = hook.apply(plugin, args);
          if (isThenable(returned)) faults.refuseLate(plugin, name, returned);
        } catch (error) {
          faults.fail(plugin, name, error);
        }
      };
    });
  const onResult = telling('onResult');
  const onReply = [...replyHooks(plugins, faults)];
  const pacing = withHook(plugins, 'paceOf');
  const together = withHook(plugins, 'refreshesTogether');
  const refreshing = withHook(plugins, 'mayRefresh');
  const showResult: RequestHooks['showResult'] = (obtained, { results }) => {
    results?.push(obtained);
    for (const hook of onResult) hook(obtained.bound, obtained.result);
  };
  return {
    translate: translateHooks(plugins, call),
    onRequest: requestHooks(plugins, call, clock),
    onReply,
    readReplyHooks: () => void onReply.splice(0, onReply.length, ...replyHooks(plugins, faults)),
    logFields: logFieldHooks(plugins, call),
    onSent: telling('onSent'),
    onStreamed: telling('onStreamed'),
    onReload: telling('onReload'),
    onImport: telling('onImport'),
    showResult,
    paceOf: (bound) =>
      Math.max(
        1,
        ...pacing.map((plugin) =>
          call(
            plugin,
            'paceOf',
            () => ifNoPromise(plugin.paceOf(bound), finitePace),
            () => 1,
          ),
        ),
      ),
    refreshesTogether: (bound) =>
      together.some((plugin) =>
        call(
          plugin,
          'refreshesTogether',
          () => plugin.refreshesTogether(bound),
          () => false,
        ),
      ),
    async mayRefresh(bound, refresh) {
      for (const plugin of refreshing) {
        const ask = async () => plugin.mayRefresh(bound, refresh);
        const may = await ask().catch((error: unknown) => {
          faults.fail(plugin, 'mayRefresh', error);
          return true;
        });
        if (!may) return false;
      }
      return true;
    },
    observeResults: (getResult) => observeResults(getResult, showResult),
    observeRuns: (engine) =>
      runWithin(withHook(plugins, 'aroundRun'), observeRuns(engine, withHook(plugins, 'onRun'), call)),
  };
}

/** The handling of errors of plug-ins. */
interface Faults {
  /** @throws GatewayError if the hook may refuse a request with it; all else is logged */
  fail(plugin: GatewayPlugin, hook: string, error: unknown): void;
  /** Refuses a promise, whose value would come too late. */
  refuseLate(plugin: GatewayPlugin, hook: string, promise: PromiseLike<unknown>): void;
}

function buildFaults(log: Logger): Faults {
  const fail: Faults['fail'] = (plugin, hook, error) => {
    if (error instanceof GatewayError && refusing.has(hook)) throw error;
    log.error({ plugin: plugin.name, hook, err: errorToLog(error, log) }, 'a plug-in has failed');
  };
  return {
    fail,
    refuseLate(plugin, hook, promise) {
      Promise.resolve(promise)
        .catch((error: unknown) => fail(plugin, hook, error))
        .catch(nothing);
      fail(plugin, hook, new Error(`${hook} must not return a promise`));
    },
  };
}

function buildCallHook({ fail, refuseLate }: Faults): CallHook {
  return <R>(plugin: GatewayPlugin, name: string, hook: () => R, instead: () => R): R => {
    const failed = (error: unknown): R => {
      fail(plugin, name, error);
      return instead();
    };
    try {
      const returned = hook();
      if (!isThenable(returned)) return returned;
      if (name === 'onRequest') return Promise.resolve(returned).catch(failed) as R;
      refuseLate(plugin, name, returned);
      return instead();
    } catch (error) {
      return failed(error);
    }
  };
}

const withHook = <K extends keyof GatewayPlugin>(plugins: readonly GatewayPlugin[], name: K) =>
  plugins.flatMap((plugin) => (plugin[name] === undefined ? [] : [plugin as PluginWith<K>]));

const translateHooks = (plugins: readonly GatewayPlugin[], call: CallHook): PluginHooks['translate'] =>
  withHook(plugins, 'translate').map((plugin) => (head) => {
    const translate = () => ifNoPromise(plugin.translate(head), (request) => translatedHead(request, head));
    return call(plugin, 'translate', translate, () => head);
  });

const requestHooks = (
  plugins: readonly GatewayPlugin[],
  call: CallHook,
  clock: Pick<Clock, 'after'>,
): PluginHooks['onRequest'] =>
  withHook(plugins, 'onRequest').map((plugin) => (exchange) => {
    const request = (): void | Promise<void> => {
      const waiting: unknown = plugin.onRequest(exchange);
      return isThenable(waiting) ? whileConnected(waiting, exchange.head, clock) : undefined;
    };
    const waiting = call(plugin, 'onRequest', request, () => {
      throw new GatewayError('INTERNAL', 'Internal error');
    });
    return waiting instanceof Promise ? waiting : undefined;
  });

/** A promise that never settles must not keep the place of its request. */
async function whileConnected(
  waiting: PromiseLike<unknown>,
  { signal }: RequestHead,
  clock: Pick<Clock, 'after'>,
): Promise<void> {
  const late = () => new Error('it has not resolved in time');
  const settled = within(clock, httpLimits.callerTimeoutMs, Promise.resolve(waiting), late);
  try {
    await untilAborted(settled, signal);
  } catch (error) {
    throw signal.aborted ? callerDisconnected(error) : error;
  }
}

const replyHooks = (
  plugins: readonly GatewayPlugin[],
  { fail, refuseLate }: Faults,
): PluginHooks['onReply'] =>
  withHook(plugins, 'onReply').map((plugin) => (exchange, reply) => {
    try {
      const made = plugin.onReply(exchange, reply);
      if (made === reply) return reply;
      if (!isThenable(made)) return sendableReply(made, reply);
      refuseLate(plugin, 'onReply', made);
    } catch (error) {
      fail(plugin, 'onReply', error);
    }
    return reply;
  });

const logFieldHooks = (plugins: readonly GatewayPlugin[], call: CallHook): PluginHooks['logFields'] =>
  withHook(plugins, 'logFields').map((plugin) => (exchange, reply) => {
    const read = () =>
      ifNoPromise(plugin.logFields(exchange, reply), (given) =>
        given === undefined ? undefined : checkedFields(given),
      );
    return call<LogFields | undefined>(plugin, 'logFields', read, () => undefined);
  });

/** The same engine, with its runs shown to plug-ins. */
function observeRuns(engine: Engine, observing: readonly PluginWith<'onRun'>[], call: CallHook): Engine {
  if (observing.length === 0) return engine;
  return {
    ...engine,
    async run(bound, options) {
      const observers = observing.flatMap((plugin) => {
        const observer = call(
          plugin,
          'onRun',
          () => plugin.onRun(bound, options),
          () => undefined,
        );
        return observer === undefined ? [] : [{ plugin, observer }];
      });
      const notify = (what: (observer: RunObserver) => void) => {
        for (const { plugin, observer } of observers) call(plugin, 'onRun', () => what(observer), nothing);
      };
      const onStart = () => {
        notify((observer) => observer.onStart?.());
        options.onStart?.();
      };
      try {
        const rows = await engine.run(bound, { ...options, onStart });
        notify((observer) => observer.onEnd?.(rows, undefined));
        return rows;
      } catch (error) {
        notify((observer) => observer.onEnd?.(undefined, error));
        throw error;
      }
    },
  };
}

/** The same engine, run by the plug-ins that decide how: a call that waits or is refused there is not yet a run. */
const runWithin = (plugins: readonly PluginWith<'aroundRun'>[], engine: Engine): Engine => ({
  ...engine,
  run: plugins.reduceRight<Engine['run']>(
    (inner, plugin) => (bound, options) =>
      plugin.aroundRun(bound, options, (given, other = bound) => inner(other, given)),
    (bound, options) => engine.run(bound, options),
  ),
});

/** Applies a function to the value that a hook gives. A promise, which a hook must not give, is left to `call`. */
const ifNoPromise = <T, R>(value: T, next: (value: T) => R): R =>
  isThenable(value) ? (value as R) : next(value);

/** NaN would never become due. */
function finitePace(pace: number): number {
  if (Number.isFinite(pace)) return pace;
  throw new TypeError(`paceOf must return a number, got ${pace}`);
}

function translatedHead(request: TranslatedRequest, received: RequestHead): RequestHead {
  if (request === received) return received;
  if (isObject(request) && typeof request.method === 'string' && isObject(request.headers))
    return new TranslatedHead(request, received);
  throw new TypeError('translate must return a request');
}

function observeResults(getResult: GetResult, showResult: RequestHooks['showResult']): GetResult {
  return async (bound, request) => {
    const result = await getResult(bound, request);
    showResult({ bound, result }, request.caller);
    return result;
  };
}

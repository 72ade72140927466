import type { Logger } from 'pino';
import type { Engine, Rows } from '../engine/engine.ts';
import { errorToLog } from '../engine/without-values.ts';
import { GatewayError } from '../errors.ts';
import { sendableReply } from '../http/handler/changed-reply.ts';
import type { Exchange } from '../http/message/exchange.ts';
import { type RequestHead, TranslatedHead, type TranslatedRequest } from '../http/message/head.ts';
import type { Reply } from '../http/message/reply.ts';
import { checkedFields, type LogFields } from '../http/message/log-fields.ts';
import type { RequestHooks } from '../http/message/request-hooks.ts';
import type { CachedResult, GetResult, ObtainedResult } from '../results/get-result.ts';
import type { GatewayPlugin } from './plugin.ts';

type Hook<K extends keyof GatewayPlugin> = Extract<GatewayPlugin[K], (...args: never) => unknown>;

/** The hooks of all plug-ins. */
export interface PluginHooks extends RequestHooks {
  readonly onReload: readonly Hook<'onReload'>[];
  readonly onImport: readonly Hook<'onImport'>[];
  /** The same function, with results shown to the plug-ins. */
  observeResults(getResult: GetResult): GetResult;
  /** The same engine, with runs shown to the plug-ins. */
  observeRuns(engine: Engine): Engine;
}

/** Hooks in which a plug-in may refuse a request. */
const refusing: ReadonlySet<string> = new Set(['onRequest', 'onResult', 'onReply']);

export function buildPluginHooks(plugins: readonly GatewayPlugin[], log: Logger): PluginHooks {
  /** Calls a hook. An error that may not be thrown is logged, and another value is returned. */
  const call = <R>(plugin: GatewayPlugin, name: string, hook: () => R, instead: () => R): R => {
    const fail = (error: unknown): R => {
      if (error instanceof GatewayError && refusing.has(name)) throw error;
      log.error({ plugin: plugin.name, hook: name, err: errorToLog(error, log) }, 'a plug-in has failed');
      return instead();
    };
    try {
      const returned = hook();
      if (!(returned instanceof Promise)) return returned;
      const settled = returned.catch(fail);
      if (name === 'onRequest') return settled as R;
      // What it gives would come too late.
      settled.catch(() => {});
      return fail(new Error(`${name} must not return a promise`));
    } catch (error) {
      return fail(error);
    }
  };
  const nothing = () => {};
  const withHook = <K extends keyof GatewayPlugin>(name: K) =>
    plugins.flatMap((plugin) =>
      plugin[name] === undefined ? [] : [plugin as GatewayPlugin & Required<Pick<GatewayPlugin, K>>],
    );

  const onResult = withHook('onResult').map(
    (plugin) =>
      (bound: ObtainedResult['bound'], result: CachedResult): void =>
        call(plugin, 'onResult', () => plugin.onResult(bound, result), nothing),
  );
  const showResult: RequestHooks['showResult'] = (obtained, { results }) => {
    results?.push(obtained);
    for (const hook of onResult) hook(obtained.bound, obtained.result);
  };
  const onReply = withHook('onReply').map((plugin) => (exchange: Exchange, reply: Reply): Reply => {
    const change = () =>
      ifNoPromise(plugin.onReply(exchange, reply), (made) =>
        made === reply ? reply : sendableReply(made, reply),
      );
    return call(plugin, 'onReply', change, () => reply);
  });
  const readsResults = plugins.some((one) => one.onReply ?? one.logFields ?? one.onSent);
  return {
    translate: withHook('translate').map((plugin) => (head) => {
      const translate = () => ifNoPromise(plugin.translate(head), (request) => translatedHead(request, head));
      return call(plugin, 'translate', translate, () => head);
    }),
    onRequest: withHook('onRequest').map((plugin) => (exchange) => {
      const refuse = () => {
        throw new GatewayError('INTERNAL', 'Internal error');
      };
      const waiting = call<void | Promise<void>>(
        plugin,
        'onRequest',
        () => plugin.onRequest(exchange),
        refuse,
      );
      return waiting instanceof Promise ? waiting : undefined;
    }),
    onReply,
    logFields: withHook('logFields').map((plugin) => (exchange, reply) => {
      const read = () =>
        ifNoPromise(plugin.logFields(exchange, reply), (given) =>
          given === undefined ? undefined : checkedFields(given),
        );
      return call<LogFields | undefined>(plugin, 'logFields', read, () => undefined);
    }),
    onSent: withHook('onSent').map(
      (plugin) => (exchange, reply, seconds) =>
        call(plugin, 'onSent', () => plugin.onSent(exchange, reply, seconds), nothing),
    ),
    onStreamed: withHook('onStreamed').map(
      (plugin) => (exchange, bytes) =>
        call(plugin, 'onStreamed', () => plugin.onStreamed(exchange, bytes), nothing),
    ),
    onReload: withHook('onReload').map(
      (plugin) => (outcome) => call(plugin, 'onReload', () => plugin.onReload(outcome), nothing),
    ),
    onImport: withHook('onImport').map(
      (plugin) => (report) => call(plugin, 'onImport', () => plugin.onImport(report), nothing),
    ),
    readsResults,
    showResult,
    observeResults: (getResult) =>
      onResult.length === 0 && !readsResults ? getResult : observeResults(getResult, showResult),
    observeRuns(engine) {
      const observing = withHook('onRun');
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
          const onStart = () => {
            for (const { plugin, observer } of observers)
              call(plugin, 'onRun', () => observer.onStart?.(), nothing);
            options.onStart?.();
          };
          const end = (rows: Rows | undefined, error: unknown) => {
            for (const { plugin, observer } of observers)
              call(plugin, 'onRun', () => observer.onEnd?.(rows, error), nothing);
          };
          try {
            const rows = await engine.run(bound, { ...options, onStart });
            end(rows, undefined);
            return rows;
          } catch (error) {
            end(undefined, error);
            throw error;
          }
        },
      };
    },
  };
}

/** What follows from a value that a hook gives. A promise, which it must not give, is left to `call`. */
const ifNoPromise = <T, R>(value: T, next: (value: T) => R): R =>
  value instanceof Promise ? (value as R) : next(value);

function translatedHead(request: TranslatedRequest, received: RequestHead): RequestHead {
  if (request === received) return received;
  if (typeof request.method === 'string' && request.headers instanceof Object)
    return new TranslatedHead(request, received);
  throw new TypeError('translate must return a request');
}

/** Every cached reply passes here: what is in memory stays no promise. */
function observeResults(getResult: GetResult, showResult: RequestHooks['showResult']): GetResult {
  return (bound, request) => {
    const observed = (result: CachedResult): CachedResult => {
      showResult({ bound, result }, request.caller);
      return result;
    };
    const result = getResult(bound, request);
    return result instanceof Promise ? result.then(observed) : observed(result);
  };
}

import { isThenable } from '../concurrency/thenable.ts';
import { pluginError } from '../errors.ts';
import type { Part, Renderer } from './renderer.ts';

/** A renderer whose errors are those of its plug-in. */
export function guardedRenderer(renderer: Renderer, plugin: string): Renderer {
  const { names, contentType, mediaTypes, version, fileExtension, isCompressed, isWhole, whole } = renderer;
  const failed = (hook: keyof Renderer, error: unknown): never => {
    throw pluginError(error, plugin, `renderers: ${hook}`);
  };
  const guard = <T>(hook: keyof Renderer, run: () => T): T => {
    try {
      const given = run();
      if (!isThenable(given)) return given;
      Promise.resolve(given).catch(() => {});
      throw new TypeError(`${hook} must not be async`);
    } catch (error) {
      return failed(hook, error);
    }
  };
  function* guardedParts(parts: Iterator<Part, void>): Generator<Part, void> {
    try {
      for (;;) {
        const { done, value } = guard('parts', () => checkedStep(parts.next()));
        if (done) return;
        yield value;
      }
    } finally {
      parts.return?.();
    }
  }
  return {
    ...{ names, contentType, mediaTypes, fileExtension },
    ...(version !== undefined && { version }),
    ...(isCompressed && { isCompressed }),
    ...(isWhole && { isWhole }),
    ...(renderer.unavailable && {
      unavailable: (...args) => guard('unavailable', () => renderer.unavailable?.(...args)),
    }),
    ...(renderer.settings && {
      settings: (query) => guard('settings', () => JSON.stringify(renderer.settings?.(query))),
    }),
    ...(renderer.parts && {
      parts: (rows, query) =>
        guardedParts(guard('parts', () => renderer.parts?.(rows, query) ?? [].values())),
    }),
    ...(whole && {
      whole: (rows, turn) =>
        Promise.try(() => whole.call(renderer, rows, turn))
          .then(checkedBody)
          .catch((error: unknown) => failed('whole', error)),
    }),
  };
}

function checkedStep(step: IteratorResult<Part, void>): IteratorResult<Part, void> {
  const { done, value } = step;
  if (done === true || value === undefined || typeof value === 'string' || isThenable(step)) return step;
  checkedBody(value);
  return step;
}

function checkedBody<T>(body: T): T {
  if (body instanceof Uint8Array) return body;
  throw new TypeError(`must give bytes, got ${body === null ? 'null' : typeof body}`);
}

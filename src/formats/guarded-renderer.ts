import { GatewayError, GivenCodeError } from '../errors.ts';
import type { Part, Renderer } from './renderer.ts';

/** A renderer whose errors are those of its plug-in. */
export function guardedRenderer(renderer: Renderer, plugin: string): Renderer {
  const { names, contentType, mediaTypes, version, fileExtension, isCompressed, isWhole, whole } = renderer;
  const failed = (hook: keyof Renderer, error: unknown): never => {
    if (error instanceof GatewayError) throw error;
    throw new GivenCodeError('a plug-in has failed', error, { plugin, hook: `renderers: ${hook}` });
  };
  const guard = <T>(hook: keyof Renderer, run: () => T): T => {
    try {
      return run();
    } catch (error) {
      return failed(hook, error);
    }
  };
  function* guardedParts(parts: Iterator<Part, void>): Generator<Part, void> {
    try {
      for (;;) {
        const { done, value } = guard('parts', () => parts.next());
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
      settings: (query) => guard('settings', () => renderer.settings?.(query)),
    }),
    ...(renderer.parts && {
      parts: (rows, query) =>
        guardedParts(guard('parts', () => renderer.parts?.(rows, query) ?? [].values())),
    }),
    ...(whole && {
      whole: (rows, turn) =>
        Promise.try(() => whole.call(renderer, rows, turn)).catch((error: unknown) => failed('whole', error)),
    }),
  };
}

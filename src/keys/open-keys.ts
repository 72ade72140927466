import { readFile, stat } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Catalog } from '../catalog/saved-query.ts';
import { describeProblem, type Problem } from '../errors.ts';
import { loadKeyText, requireKeys } from './file/load-keys.ts';
import { type ParsedKeys, parseKeys } from './file/parse-keys.ts';
import { Keyring } from './keyring.ts';
import { resolveEndpoints } from './principal.ts';

export interface KeysOptions {
  /** The key file; undefined where there is none. */
  readonly file: string | undefined;
  readonly apiKey: string | undefined;
  readonly catalog: Catalog;
  readonly log: Logger;
  readonly now: () => Date;
}

export interface Keys {
  readonly keyring: Keyring;
  /** Begins to follow the file. */
  watch(): void;
  close(): void;
}

/** A key that is revoked is none within two seconds: this, and the time that reading takes. */
const lookEveryMs = 400;

/** A file that was changed so lately is read again: a second change may leave it the same time and size. */
const unsettledMs = 2_000;

/**
 * The keys of the configuration and of the key file.
 *
 * @throws StartError with every problem of the file, each with its line
 */
export function openKeys({ file, apiKey, catalog, log, now }: KeysOptions): Keys {
  const keyring = new Keyring({ catalog, apiKey, now });
  if (file === undefined) return { keyring, watch: () => {}, close: () => {} };

  let text = loadKeyText(file);
  keyring.replace(requireKeys(file, text, (parsed) => unknownEndpoints(file, parsed, catalog)));

  const take = (next: string) => {
    if (next === text) return;
    text = next;
    const parsed = parseKeys(file, next);
    if (parsed.problems.length > 0) {
      const wrong = parsed.problems.map(describeProblem);
      log.error({ problems: wrong.slice(0, 10) }, 'the key file has problems: the keys stay as they were');
      return;
    }
    keyring.replace(parsed.keys);
    log.info({ keys: parsed.keys.length }, 'keys read');
    for (const problem of unknownEndpoints(file, parsed, catalog)) log.warn(describeProblem(problem));
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    keyring,
    watch: () => {
      const look = follow(file, take, (error) => {
        log.error({ code: error.code }, 'the key file cannot be read: the keys stay as they were');
      });
      timer ??= setInterval(look, lookEveryMs).unref();
    },
    close: () => clearInterval(timer),
  };
}

/**
 * Looks at a file again and again, by its path: it may be written, replaced, or be a link whose target is replaced.
 *
 * @param told each time reading begins to fail
 */
function follow(file: string, take: (text: string) => void, told: (error: NodeJS.ErrnoException) => void) {
  let seen = '';
  let isLooking = false;
  let isFailing = false;
  return async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      const { mtimeMs, ctimeMs, size, ino, dev } = await stat(file);
      const mark = [mtimeMs, ctimeMs, size, ino, dev].join(' ');
      const isUnsettled = Date.now() - Math.max(mtimeMs, ctimeMs) < unsettledMs;
      if (mark !== seen || isUnsettled) {
        const text = await readFile(file, 'utf8');
        isFailing = false;
        seen = mark;
        take(text);
      }
    } catch (error) {
      if (!isFailing) told(error as NodeJS.ErrnoException);
      isFailing = true;
      seen = '';
    } finally {
      isLooking = false;
    }
  };
}

/** Only of keys that are not revoked: those need not be mended. */
function unknownEndpoints(file: string, { keys, lineOf }: ParsedKeys, catalog: Catalog): readonly Problem[] {
  return keys.flatMap((key, at) => {
    if (key.revoked !== undefined) return [];
    return resolveEndpoints(catalog, key).unknown.map((address) => ({
      file,
      line: lineOf(['keys', at, 'endpoints', key.endpoints?.indexOf(address) ?? 0]),
      message: `keys.${at}.endpoints: no saved query has the name or UUID ${address}`,
    }));
  });
}

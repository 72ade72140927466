import { readFile, stat } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Catalog } from '../catalog/saved-query.ts';
import { openRepeat } from '../concurrency/repeat.ts';
import { describeProblem, type Problem } from '../errors.ts';
import { loadKeyText, requireKeys } from './file/load-keys.ts';
import { type ParsedKeys, parseKeys } from './file/parse-keys.ts';
import { Keyring } from './keyring.ts';
import { resolveEndpoints } from './principal.ts';

interface KeysOptions {
  /** The key file; undefined when none is configured. */
  readonly file: string | undefined;
  readonly apiKey: string | undefined;
  readonly catalog: Catalog;
  readonly log: Logger;
  readonly now: () => Date;
}

export interface Keys {
  readonly keyring: Keyring;
  /** Starts to reload the file when it changes. */
  watch(): void;
  close(): void;
}

/** A revoked key must be rejected within two seconds: after this interval, plus the time to read the file. */
const checkEveryMs = 400;

/** A file that changed so recently is read again: a second change may leave its time and size unchanged. */
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

  const reload = (next: string) => {
    if (next === text) return;
    text = next;
    const parsed = parseKeys(file, next);
    if (parsed.problems.length > 0) {
      const problems = parsed.problems.slice(0, 10).map(describeProblem);
      log.error({ problems }, 'the key file has problems: the previous keys stay valid');
      return;
    }
    keyring.replace(parsed.keys);
    log.info({ keys: parsed.keys.length }, 'key file loaded');
    for (const problem of unknownEndpoints(file, parsed, catalog)) log.warn(describeProblem(problem));
  };
  const onUnreadable = ({ code }: NodeJS.ErrnoException) =>
    log.error({ code }, 'the key file cannot be read: the previous keys stay valid');
  let repeat: ReturnType<typeof openRepeat> | undefined;
  return {
    keyring,
    watch() {
      repeat ??= openRepeat({
        everyMs: checkEveryMs,
        work: buildCheck(file, reload, onUnreadable),
        onError: (error) => log.error({ err: error }, 'the key file cannot be checked for changes'),
      });
    },
    close() {
      repeat?.close();
    },
  };
}

/**
 * Builds a check for changes of a file, by its path: it may be written in place, replaced, or be a link whose target is
 * replaced.
 *
 * @param onUnreadable called each time that reading begins to fail
 */
function buildCheck(
  file: string,
  onChange: (text: string) => void,
  onUnreadable: (error: NodeJS.ErrnoException) => void,
): () => Promise<void> {
  let loadedVersion = '';
  let isFailing = false;
  return async () => {
    try {
      const { mtimeMs, ctimeMs, size, ino, dev } = await stat(file);
      const version = [mtimeMs, ctimeMs, size, ino, dev].join(' ');
      const isUnsettled = Date.now() - Math.max(mtimeMs, ctimeMs) < unsettledMs;
      if (version === loadedVersion && !isUnsettled) return;
      const text = await readFile(file, 'utf8');
      isFailing = false;
      loadedVersion = version;
      onChange(text);
    } catch (error) {
      if (!isFailing) onUnreadable(error as NodeJS.ErrnoException);
      isFailing = true;
      loadedVersion = '';
    }
  };
}

/** Revoked keys are not checked: they cannot be used. */
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

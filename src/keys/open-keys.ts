import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Catalog } from '../catalog/model/saved-query.ts';
import { describeProblem } from '../errors.ts';
import { checkKeysOffLoop } from './file/check-file.ts';
import { KeyHistory } from './file/key-history.ts';
import { loadKeyText, requireKeys } from './file/load-keys.ts';
import { unknownEndpoints } from './file/unknown-endpoints.ts';
import { watchFile } from './file/watch-file.ts';
import { Keyring } from './keyring.ts';
import { type EndpointNames, type HideEndpoints, namesOf } from './principal.ts';
import type { NewRateLimit } from './rates/rate-limiter.ts';
import { openRecordUse } from './record-use.ts';

interface KeysOptions {
  /** The key file; undefined when none is configured. */
  readonly file: string | undefined;
  readonly apiKey: string | undefined;
  readonly catalog: Catalog;
  readonly hideEndpoints: HideEndpoints;
  /** True if a file that may have been cut only causes a warning. */
  readonly acceptsCutFile: boolean;
  readonly newRateLimit: NewRateLimit;
  readonly log: Logger;
  readonly now: () => Date;
}

export interface Keys {
  readonly keyring: Keyring;
  /** Resolves the endpoints of keys in another version of the catalog. */
  replaceQueries(queries: EndpointNames): void;
  /** Starts to reload the file when it changes, and to record when its keys are used. */
  watch(): void;
  close(): Promise<void>;
}

/**
 * The keys of the configuration and of the key file.
 *
 * @throws StartError with every problem of the file, each with its line
 */
export function openKeys(options: KeysOptions): Keys {
  const { file, catalog, acceptsCutFile, log, now } = options;
  const keyring = new Keyring(options);
  if (file === undefined)
    return { keyring, replaceQueries: () => {}, watch: () => {}, close: async () => {} };

  const text = loadKeyText(file);
  const { keys, isWhole } = requireKeys(file, text, (parsed) => [
    ...unknownEndpoints(file, parsed, catalog.queries),
    // Of a file with problems the number of keys is not known.
    ...(parsed.isWhole || acceptsCutFile || parsed.problems.length > 0
      ? []
      : [{ file, message: cutText(parsed.keys.length) }]),
  ]);
  if (!isWhole) log.warn(noCount(keys.length));
  const history = new KeyHistory(keys);
  keyring.replace(keys);

  let queries = namesOf(catalog.queries);
  const onChange = async (next: string) => {
    const checked = await checkKeysOffLoop({ file, text: next, queries });
    if (checked.problems.length > 0) {
      const problems = checked.problems.slice(0, maxLogged).map(describeProblem);
      log.error({ problems }, 'the key file has problems: the previous keys stay valid');
      return;
    }
    const { keys, refused, changes } = history.consider(checked);
    keyring.replace(keys);
    for (const [at, change] of changes.entries()) {
      // Other work is done in between.
      if (at % linesPerTurn === linesPerTurn - 1) await setImmediate();
      log.info(change, 'key changed');
    }
    if (refused.length > 0) {
      log.error({ problems: refused.slice(0, maxLogged) }, refusedText);
      return;
    }
    log.info({ keys: keys.length }, 'key file loaded');
    for (const problem of checked.unknownEndpoints) log.warn(describeProblem(problem));
  };
  const onUnreadable = ({ code, message }: NodeJS.ErrnoException) =>
    log.error({ code: code ?? message }, 'the key file cannot be read: the previous keys stay valid');
  const onError = (error: unknown) =>
    log.error({ err: error }, 'the key file cannot be checked for changes: the previous keys stay valid');
  let opened: readonly { close(): Promise<void> }[] = [];
  return {
    keyring,
    replaceQueries(next) {
      const names = namesOf(next);
      if (isDeepStrictEqual(names, queries)) return;
      queries = names;
      for (const { id, endpoints } of keyring.replaceQueries(names).slice(0, maxLogged)) {
        log.warn({ key: id, endpoints }, endpointGone);
      }
    },
    watch() {
      if (opened.length > 0) return;
      opened = [
        watchFile({ file, text, onChange, onUnreadable, onError }),
        openRecordUse(file, keyring, { log, now }),
      ];
    },
    async close() {
      for (const one of opened) await one.close();
    },
  };
}

const endpointGone =
  'a key names an endpoint that is no longer there: correct the key file, or the gateway cannot start with it';

const maxLogged = 10;

/** How many lines are logged in one turn of the event loop. */
const linesPerTurn = 500;

const refusedText = 'the key file is refused: the previous keys stay valid, except those that it revokes';

const cutText = (count: number) =>
  `may have been cut, which can give a key more than was meant: a YAML file must end with the number of its keys; if none is missing, write "count: ${count}" as its last line`;

const noCount = (count: number) =>
  `the key file does not end with the number of its keys: changes will be refused, except revocations, until its last line is "count: ${count}"`;

import { existsSync, statSync } from 'node:fs';
import { didYouMean } from '@querygate/text';
import { commandError, parseCount } from '../../author/arguments.ts';
import { loadCatalog } from '../../catalog/folder/load-catalog.ts';
import { readKeySettings } from '../../config.ts';
import { formatInstant } from '../../files/durations.ts';
import type { Permission } from '../../keys/principal.ts';
import { loadLastUsed } from '../../keys/file/last-used.ts';
import { loadKeyText, requireKeys } from '../../keys/file/load-keys.ts';
import { resolveEndpoints } from '../../keys/principal.ts';
import { checkBound, checkSingleValues, parseDurationOption, parseFuture } from './key-options.ts';
import { createKey, revokeKey, rollKey } from './commands.ts';
import { keyTable } from './key-table.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';

/** The options of `querygate keys create`, as given. */
export interface CreateOptions {
  readonly name?: string;
  readonly tenant?: string[];
  readonly endpoint?: string[];
  readonly permission?: string[];
  readonly allow?: string[];
  readonly expires?: string;
  readonly requestsPerMinute?: string;
  readonly concurrentQueries?: string;
}

export async function createCommand(settings: LoadedSettings, values: CreateOptions): Promise<void> {
  if (values.name === undefined) throw commandError('--name: is missing; it describes whose key this is');
  checkSingleValues('--tenant', values.tenant);
  checkSingleValues('--allow', values.allow);
  checkSingleValues('--endpoint', values.endpoint);
  checkSingleValues('--permission', values.permission);
  checkBound('--tenant', values.tenant);
  checkBound('--endpoint', values.endpoint);
  const file = requireKeyFile(settings);
  checkEndpoints(settings, values.endpoint ?? []);
  const perMinute = parseCount('--requests-per-minute', values.requestsPerMinute);
  const concurrent = parseCount('--concurrent-queries', values.concurrentQueries);
  const rate = {
    ...(perMinute && { requests_per_minute: perMinute }),
    ...(concurrent && { concurrent_queries: concurrent }),
  };
  const expires =
    values.expires === 'never' ? undefined : parseFuture('--expires', values.expires, new Date());
  const tenants = values.tenant ?? [];
  warnIfCut(file);
  const owner = ownerOf(file);
  const { id, text } = await createKey(file, {
    name: values.name,
    ...(values.endpoint && { endpoints: values.endpoint }),
    ...(tenants.length > 0 && { tenants }),
    ...(values.allow && { allow: values.allow }),
    ...(expires && { expires: formatInstant(expires) }),
    ...(Object.keys(rate).length > 0 && { rate }),
    // The schema of the key file checks these before anything is written.
    ...(values.permission && { permissions: values.permission as Permission[] }),
  });
  printKey(text);
  printInfo(`Added ${id} to ${file}. A running gateway accepts it within two seconds.\n`);
  printInfo(reachOf(values));
  printOwner(file, owner);
}

export function listCommand(settings: LoadedSettings): void {
  const file = requireKeyFile(settings);
  const { keys } = requireKeys(file, loadKeyText(file));
  const isTerminal = process.stdout.isTTY;
  process.stdout.write(keyTable(keys, { now: new Date(), lastUsed: loadLastUsed(file), isTerminal }));
}

export async function revokeCommand(settings: LoadedSettings, id: string): Promise<void> {
  const file = requireKeyFile(settings);
  warnIfCut(file);
  const owner = ownerOf(file);
  const { name } = await revokeKey(file, id, new Date());
  printInfo(`Revoked ${id} (${name}). A running gateway rejects it within two seconds.\n`);
  printOwner(file, owner);
}

export interface RollOptions {
  readonly overlap: string;
  readonly expires?: string;
}

export async function rollCommand(
  settings: LoadedSettings,
  oldId: string,
  options: RollOptions,
): Promise<void> {
  const now = new Date();
  const overlapMs = parseDurationOption('--overlap', options.overlap);
  const expires = parseFuture('--expires', options.expires, now);
  const file = requireKeyFile(settings);
  warnIfCut(file);
  const owner = ownerOf(file);
  const { id, text, oldEnds } = await rollKey(file, oldId, { now, overlapMs, expires });
  printKey(text);
  printInfo(
    `${id} has the permissions and limits of ${oldId}. ${oldId} is valid until ${formatInstant(oldEnds)}.\n`,
  );
  printOwner(file, owner);
}

/** The rights of a key that its options do not name: one line each. */
function reachOf({ tenant, endpoint, permission = [] }: CreateOptions): string {
  const lines = [
    ...(tenant === undefined ? ['It reads the rows of all tenants; --tenant binds a key to some.'] : []),
    ...(endpoint === undefined ? ['It may query all endpoints; --endpoint binds a key to some.'] : []),
    ...(permission.includes('metrics')
      ? [
          'With the permission metrics it reads the figures of all endpoints and keys, whatever it is bound to.',
        ]
      : []),
    ...(permission.includes('catalog')
      ? ['With the permission catalog it reads the SQL of every endpoint that it may query.']
      : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** The user id of a file's owner; undefined without a file that can be found. */
const ownerOf = (file: string) => (existsSync(file) ? statSync(file).uid : undefined);

/** The gateway often runs as another user than the one who manages keys. */
function printOwner(file: string, before: number | undefined): void {
  const now = ownerOf(file);
  if (now === before) return;
  printInfo(
    before === undefined
      ? `Only user ${now}, who made ${file}, may read it: if the gateway runs as another user, chown the file to that one.\n`
      : `${file} belonged to user ${before}, and belongs to user ${now} now: if the gateway runs as the former one, chown it back.\n`,
  );
}

/** Only the key is written to standard output, so that it can be piped. */
function printKey(key: string): void {
  process.stdout.write(`${key}\n`);
  printInfo('This is the key. It cannot be shown again: only its hash is stored.\n');
}

function printInfo(text: string): void {
  process.stderr.write(text);
}

function requireKeyFile({ values }: LoadedSettings): string {
  const { apiKeysFile } = readKeySettings(values);
  if (apiKeysFile !== undefined) return apiKeysFile;
  throw commandError(
    'API_KEYS_FILE: is missing; it names the key file, as in API_KEYS_FILE=keys.yaml querygate keys list',
  );
}

/** The command adds the end to a file that has none, by which it would be taken for a whole one. */
function warnIfCut(file: string): void {
  if (!existsSync(file)) return;
  const text = loadKeyText(file);
  if (text.trim() === '') return;
  const { keys, isWhole } = requireKeys(file, text);
  if (isWhole) return;
  printInfo(
    `${file} did not end with the number of its keys. The command adds it: check that the file was not cut, and has all its ${keys.length} keys with their limits.\n`,
  );
}

/** A gateway does not start with a key file that names an unknown endpoint. */
function checkEndpoints({ values }: LoadedSettings, endpoints: readonly string[]): void {
  if (endpoints.length === 0) return;
  const catalog = loadCatalog(readKeySettings(values).queriesDir);
  const { unknown } = resolveEndpoints(catalog, { endpoints });
  if (unknown.length === 0) return;
  const got = unknown.map((endpoint) => JSON.stringify(endpoint)).join(', ');
  const names = catalog.queries.map(({ name }) => name);
  const meant = didYouMean(unknown[0] ?? '', names);
  throw commandError(`--endpoint: got ${got}; must be one of ${names.join(', ')}, or a UUID of one${meant}`);
}

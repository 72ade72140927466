import { existsSync } from 'node:fs';
import { loadCatalog } from '../catalog/load-catalog.ts';
import { readKeySettings } from '../config.ts';
import { StartError } from '../errors.ts';
import { formatInstant } from '../files/durations.ts';
import type { Permission } from '../keys/file/key-schema.ts';
import { loadLastUsed } from '../keys/file/last-used.ts';
import { loadKeyText, requireKeys } from '../keys/file/load-keys.ts';
import { resolveEndpoints } from '../keys/principal.ts';
import {
  checkSingleValues,
  commandError,
  parseCount,
  parseDurationOption,
  parseFuture,
  parseIdAndOptions,
  parseOptions,
  UsageError,
} from './arguments.ts';
import { createKey, revokeKey, rollKey } from './keys/commands.ts';
import { keyTable } from './keys/key-table.ts';

const usage = `npm run keys -- create --name <text> [--tenant <name>]… [--endpoint <name or UUID>]…
                        [--expires <90d, 2027-01-31T00:00:00Z, or never>] [--permission fresh|catalog|sql]…
                        [--requests-per-minute <number>] [--concurrent-queries <number>]
                        [--allow <address or range>]…
npm run keys -- list
npm run keys -- revoke <id>
npm run keys -- roll <id> [--overlap <24h>] [--expires <90d>]
`;

const now = new Date();
const { apiKeysFile, queriesDir, defaultExpiry } = readKeySettings(process.env);

try {
  await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  printInfo(`${error.message}\n`);
  if (error instanceof UsageError) printInfo(`\n${usage}`);
  process.exit(1);
}

async function run([command, ...args]: readonly string[]): Promise<void> {
  if (command === undefined) return printInfo(usage);
  if (command === 'help' || [command, ...args].includes('--help')) return void process.stdout.write(usage);
  switch (command) {
    case 'create':
      return create(args);
    case 'list':
      return list(args);
    case 'revoke':
      return revoke(args);
    case 'roll':
      return roll(args);
    default:
      throw new UsageError(`${command}: must be create, list, revoke or roll`);
  }
}

async function create(args: readonly string[]): Promise<void> {
  const values = parseOptions(args, {
    name: { type: 'string' },
    tenant: { type: 'string', multiple: true },
    // The former name of --tenant.
    project: { type: 'string', multiple: true },
    endpoint: { type: 'string', multiple: true },
    permission: { type: 'string', multiple: true },
    allow: { type: 'string', multiple: true },
    expires: { type: 'string' },
    'requests-per-minute': { type: 'string' },
    'concurrent-queries': { type: 'string' },
  });
  if (values.name === undefined) throw new UsageError('--name: is missing; it describes whose key this is');
  checkSingleValues('--tenant', values.tenant);
  checkSingleValues('--project', values.project);
  checkSingleValues('--allow', values.allow);
  checkSingleValues('--endpoint', values.endpoint);
  const file = requireKeyFile();
  checkEndpoints(values.endpoint ?? []);
  const perMinute = parseCount('--requests-per-minute', values['requests-per-minute']);
  const concurrent = parseCount('--concurrent-queries', values['concurrent-queries']);
  const rate = {
    ...(perMinute && { requests_per_minute: perMinute }),
    ...(concurrent && { concurrent_queries: concurrent }),
  };
  const expires = expiryOf(values.expires);
  const tenants = [...(values.tenant ?? []), ...(values.project ?? [])];
  warnIfCut(file);
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
}

/** When a new key expires: the option, or else the setting; undefined for never. */
function expiryOf(option: string | undefined): Date | undefined {
  if (option === 'never') return undefined;
  if (option !== undefined) return parseFuture('--expires', option, now);
  return parseFuture('KEYS_DEFAULT_EXPIRY', defaultExpiry, now);
}

function list(args: readonly string[]): void {
  parseOptions(args, {});
  const file = requireKeyFile();
  const { keys } = requireKeys(file, loadKeyText(file));
  const isTerminal = process.stdout.isTTY;
  process.stdout.write(keyTable(keys, { now, lastUsed: loadLastUsed(file), isTerminal }));
}

async function revoke(args: readonly string[]): Promise<void> {
  const { id } = parseIdAndOptions(args, {});
  const file = requireKeyFile();
  warnIfCut(file);
  const { name } = await revokeKey(file, id, now);
  printInfo(`Revoked ${id} (${name}). A running gateway rejects it within two seconds.\n`);
}

async function roll(args: readonly string[]): Promise<void> {
  const { id: oldId, values } = parseIdAndOptions(args, {
    overlap: { type: 'string' },
    expires: { type: 'string' },
  });
  const overlapMs = parseDurationOption('--overlap', values.overlap ?? '24h');
  const expires = parseFuture('--expires', values.expires, now);
  const file = requireKeyFile();
  warnIfCut(file);
  const { id, text, oldEnds } = await rollKey(file, oldId, { now, overlapMs, expires });
  printKey(text);
  printInfo(
    `${id} has the permissions and limits of ${oldId}. ${oldId} is valid until ${formatInstant(oldEnds)}.\n`,
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

function requireKeyFile(): string {
  if (apiKeysFile !== undefined) return apiKeysFile;
  throw commandError(
    'API_KEYS_FILE: is missing; it names the key file, as in API_KEYS_FILE=keys.yaml npm run keys -- list',
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
function checkEndpoints(endpoints: readonly string[]): void {
  if (endpoints.length === 0) return;
  const catalog = loadCatalog(queriesDir);
  const { unknown } = resolveEndpoints(catalog, { endpoints });
  if (unknown.length === 0) return;
  const got = unknown.map((endpoint) => JSON.stringify(endpoint)).join(', ');
  const names = catalog.queries.map(({ name }) => name).join(', ');
  throw commandError(`--endpoint: got ${got}; must be one of ${names}, or a UUID of one`);
}

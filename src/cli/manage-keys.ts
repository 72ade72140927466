import { loadCatalog } from '../catalog/load-catalog.ts';
import { readKeySettings } from '../config.ts';
import { StartError } from '../errors.ts';
import { formatInstant } from '../files/durations.ts';
import type { Permission } from '../keys/file/key-schema.ts';
import { loadKeyText, requireKeys } from '../keys/file/load-keys.ts';
import { resolveEndpoints } from '../keys/principal.ts';
import {
  checkEach,
  noMore,
  onlyId,
  parseAmount,
  parseCommand,
  parseFuture,
  parseLength,
  quote,
  UsageError,
  wrongCommand,
} from './keys/arguments.ts';
import { createKey, revokeKey, rollKey } from './keys/commands.ts';
import { keyTable } from './keys/key-table.ts';

const usage = `npm run keys -- create --name <text> [--project <reference>]… [--endpoint <name or UUID>]…
                        [--expires <90d, or 2027-01-31T00:00:00Z>] [--permission fresh|catalog]…
                        [--requests-per-minute <number>] [--concurrent-queries <number>]
npm run keys -- list
npm run keys -- revoke <id>
npm run keys -- roll <id> [--overlap <24h>] [--expires <90d>]
`;

const now = new Date();
const { apiKeysFile, queriesDir } = readKeySettings(process.env);

try {
  await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  tell(`${error.message}\n`);
  if (error instanceof UsageError) tell(`\n${usage}`);
  process.exit(1);
}

async function run([command, ...args]: readonly string[]): Promise<void> {
  if (command === undefined) return tell(usage);
  if (command === 'help' || [command, ...args].includes('--help')) return void process.stdout.write(usage);
  const commands: Readonly<Record<string, (args: readonly string[]) => Promise<void> | void>> = {
    create,
    list,
    revoke,
    roll,
  };
  const chosen = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (chosen === undefined) throw new UsageError(`${command}: must be create, list, revoke or roll`);
  await chosen(args);
}

async function create(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseCommand('create', args, {
    name: { type: 'string' },
    project: { type: 'string', multiple: true },
    endpoint: { type: 'string', multiple: true },
    permission: { type: 'string', multiple: true },
    expires: { type: 'string' },
    'requests-per-minute': { type: 'string' },
    'concurrent-queries': { type: 'string' },
  });
  noMore(positionals);
  if (values.name === undefined) throw new UsageError('--name: is missing; it tells people whose key it is');
  checkEach('--project', values.project);
  checkEach('--endpoint', values.endpoint);
  const file = keyFile();
  checkEndpoints(values.endpoint ?? []);
  const perMinute = parseAmount('--requests-per-minute', values['requests-per-minute']);
  const concurrent = parseAmount('--concurrent-queries', values['concurrent-queries']);
  const rate = {
    ...(perMinute && { requests_per_minute: perMinute }),
    ...(concurrent && { concurrent_queries: concurrent }),
  };
  const expires = parseFuture('--expires', values.expires, now);
  const { id, text } = await createKey(file, {
    name: values.name,
    ...(values.endpoint && { endpoints: values.endpoint }),
    ...(values.project && { projects: values.project }),
    ...(expires && { expires: formatInstant(expires) }),
    ...(Object.keys(rate).length > 0 && { rate }),
    // The file's schema tells which there are.
    ...(values.permission && { permissions: values.permission as Permission[] }),
  });
  showOnce(text);
  tell(`${id} is in ${file}. A gateway that runs takes it within two seconds.\n`);
}

function list(args: readonly string[]): void {
  noMore(parseCommand('list', args, {}).positionals);
  const file = keyFile();
  process.stdout.write(keyTable(requireKeys(file, loadKeyText(file)), now, process.stdout.isTTY));
}

async function revoke(args: readonly string[]): Promise<void> {
  const { positionals } = parseCommand('revoke', args, {});
  const { name } = await revokeKey(keyFile(), onlyId(positionals), now);
  tell(`${positionals[0]} (${name}) is revoked. A gateway that runs refuses it within two seconds.\n`);
}

async function roll(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseCommand('roll', args, {
    overlap: { type: 'string' },
    expires: { type: 'string' },
  });
  const overlapMs = parseLength('--overlap', values.overlap ?? '24h');
  const expires = parseFuture('--expires', values.expires, now);
  const old = onlyId(positionals);
  const { id, text, oldEnds } = await rollKey(keyFile(), old, {
    now,
    overlapMs,
    expires,
  });
  showOnce(text);
  tell(`${id} may do what ${old} may. ${old} is valid until ${formatInstant(oldEnds)}.\n`);
}

/** On standard output there is the key and nothing else, for pipes. */
function showOnce(key: string): void {
  process.stdout.write(`${key}\n`);
  tell('This is the key. Nobody can tell it again: only its hash is kept.\n');
}

function tell(text: string): void {
  process.stderr.write(text);
}

function keyFile(): string {
  if (apiKeysFile !== undefined) return apiKeysFile;
  throw wrongCommand(
    'API_KEYS_FILE: is missing; it names the key file, as in API_KEYS_FILE=keys.yaml npm run keys -- list',
  );
}

/** A gateway would not start with an endpoint that it does not have. */
function checkEndpoints(endpoints: readonly string[]): void {
  if (endpoints.length === 0) return;
  const catalog = loadCatalog(queriesDir);
  const { unknown } = resolveEndpoints(catalog, { endpoints });
  if (unknown.length === 0) return;
  const names = catalog.queries.map(({ name }) => name).join(', ');
  throw wrongCommand(`--endpoint: got ${unknown.map(quote).join(', ')}; must be of ${names}, or their UUIDs`);
}

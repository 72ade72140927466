import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { datetimeText } from '../scalar-text.ts';
import { type Answer, type ScalarType, scalar, type Value } from '../values.ts';
import type { Measured } from './measured.ts';

interface Field {
  readonly name: string;
  readonly type: string;
  readonly mode?: string;
  readonly fields?: readonly Field[];
}
type Cell = { readonly v: unknown };
interface Reply {
  readonly schema?: { readonly fields?: readonly Field[] };
  readonly rows?: readonly { readonly f: readonly Cell[] }[];
  readonly error?: { readonly message: string };
}

/** What one statement may take. */
const timeoutMs = 5_000;

/** goccy/bigquery-emulator, which is started again behind a statement that ends it. Undefined if it is not installed. */
export async function runEmulator(statements: readonly string[]): Promise<readonly Measured[] | undefined> {
  const program = findProgram();
  if (program === undefined) return undefined;
  const answers: Measured[] = [];
  let running = await start(program);
  for (const sql of statements) {
    const startedAt = performance.now();
    const answer = await ask(running.address, sql).catch(() => undefined);
    answers.push({ answer: answer ?? lost, ms: performance.now() - startedAt });
    if (answer !== undefined) continue;
    running.end();
    running = await start(program);
  }
  running.end();
  return answers;
}

const lost: Answer = { error: 'no answer', stage: 'broken' };

async function start(program: string): Promise<{ readonly address: string; end(): void }> {
  const options = ['--project=test', '--host=127.0.0.1', '--port=0', '--grpc-port=0'];
  const child = spawn(program, options, { stdio: ['ignore', 'pipe', 'ignore'] });
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  const address = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const found = /REST server listening at (\S+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(`bigquery-emulator ended: ${output}`)));
  });
  return {
    address,
    end() {
      process.removeListener('exit', end);
      end();
    },
  };
}

async function ask(address: string, query: string): Promise<Answer> {
  const response = await fetch(`http://${address}/bigquery/v2/projects/test/queries`, {
    method: 'POST',
    body: JSON.stringify({ query, useLegacySql: false }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const { schema, rows = [], error } = (await response.json()) as Reply;
  if (error !== undefined || !response.ok) return { error: error?.message ?? '', stage: 'analysis' };
  const fields = schema?.fields ?? [];
  return {
    columns: fields.map(({ name }) => name),
    rows: rows.map(({ f }) => f.map(({ v }, at) => decode(fields[at] as Field, v))),
  };
}

function decode(field: Field, content: unknown): Value {
  if (content === null || content === undefined) return null;
  if (field.mode === 'REPEATED') {
    const items = content as readonly Cell[];
    return { type: 'ARRAY', items: items.map(({ v }) => decode({ ...field, mode: 'NULLABLE' }, v)) };
  }
  if (field.fields !== undefined) {
    const cells = (content as { readonly f: readonly Cell[] }).f;
    const values = field.fields.map((one, at) => ({ name: one.name, value: decode(one, cells[at]?.v) }));
    return { type: 'STRUCT', fields: values };
  }
  const text = String(content);
  switch (field.type) {
    case 'BYTES':
      return scalar('BYTES', Buffer.from(text, 'base64').toString('hex'));
    case 'TIMESTAMP':
      return scalar('TIMESTAMP', /^-?[\d.]+(?:e\+?\d+)?$/i.test(text) ? momentText(text) : text);
    case 'INTERVAL':
      return scalar('INTERVAL', intervalText(text));
    case 'INTEGER':
      return scalar('INT64', text);
    case 'FLOAT':
      return scalar('FLOAT64', text);
    case 'BOOLEAN':
      return scalar('BOOL', text);
    default:
      return scalar(field.type as ScalarType, text);
  }
}

/** @param seconds since the epoch, with a fraction */
function momentText(seconds: string): string {
  const [whole = '0', fraction = ''] = (/e/i.test(seconds) ? String(Number(seconds)) : seconds).split('.');
  const micros = BigInt(fraction.padEnd(6, '0').slice(0, 6));
  return datetimeText(BigInt(whole) * 1_000_000n + (whole.startsWith('-') ? -micros : micros));
}

/** `Y-M D H:M:S.F` in the form in which intervals are compared. */
function intervalText(text: string): string {
  const found = /^(-?)(\d+)-(\d+) (-?\d+) (-?)(\d+):(\d+):(\d+)(?:\.(\d+))?$/.exec(text);
  if (found === null) return text;
  const [, sign, years, months, days, timeSign, hours, minutes, seconds, fraction = ''] = found;
  const micros =
    (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1e6 + Number(fraction.padEnd(6, '0'));
  const total = Number(years) * 12 + Number(months);
  return `${sign === '-' ? -total : total} months ${days} days ${timeSign === '-' ? -micros : micros} microseconds`;
}

function findProgram(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), join(homedir(), 'go', 'bin')];
  return folders.map((one) => join(one, 'bigquery-emulator')).find((file) => existsSync(file));
}

import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { Table } from '../table.ts';
import type { Answer } from '../values.ts';
import { decode, type WireType, type WireValue } from './decode.ts';
import { languageFeatures } from './language.ts';
import { encodeTable } from './tables.ts';

/** GoogleSQL's own reference implementation, as a local service. */
export interface Evaluator {
  /** @param parameters values for `@name`, all STRING, as the service binds them */
  evaluate(sql: string, parameters?: Readonly<Record<string, string>>): Promise<Answer>;
  close(): Promise<void>;
}

/** Starts the service with these tables in its catalog. */
export async function openEvaluator(tables: readonly Table[] = []): Promise<Evaluator> {
  const port = await freePort();
  const service = startService(port);
  try {
    return await connect(port, service, tables);
  } catch (error) {
    service.kill('SIGKILL');
    throw error;
  }
}

// The reference is installed apart, so its types are not there when the project is checked: what is used is said here.
interface Grpc {
  loadPackageDefinition(definition: unknown): {
    zetasql: { local_service: { ZetaSqlLocalService: Service } };
  };
  readonly credentials: { createInsecure(): unknown };
}
interface ProtoLoader {
  loadSync(file: string, options: object): unknown;
}
type Service = new (address: string, credentials: unknown, options: object) => Client;
interface Client {
  waitForReady(deadlineMs: number, done: (error?: Error) => void): void;
  close(): void;
  readonly [method: string]: unknown;
}

const require = createRequire(import.meta.url);
const lib = dirname(require.resolve('@fivetrandevelopers/zetasql'));

function startService(port: number): ChildProcess {
  const binary = process.arch.startsWith('arm') ? 'remote_server_arm' : 'remote_server';
  const suffix = process.platform === 'darwin' ? '' : '.so';
  const service = spawn(join(lib, 'zetasql', binary + suffix), ['localhost', String(port)], {
    stdio: 'ignore',
  });
  // However this process ends, the service must not outlive it.
  process.once('exit', () => service.kill('SIGKILL'));
  return service;
}

async function connect(port: number, service: ChildProcess, tables: readonly Table[]): Promise<Evaluator> {
  const client = await openClient(port);
  const call = (method: string, request: object) => unary(client, method, request);
  const maximum = await call('GetLanguageOptions', { maximum_features: true });
  const language = {
    ...maximum,
    product_mode: 'PRODUCT_EXTERNAL',
    enabled_language_features: languageFeatures(maximum.enabled_language_features),
  };

  const { registered_id } = await call('RegisterCatalog', {
    simple_catalog: {
      name: 'conformance',
      builtin_function_options: { language_options: language },
      table: tables.map((table) => encodeTable(table).schema),
    },
    table_content: Object.fromEntries(tables.map((table) => [table.name, encodeTable(table).content])),
  });

  return {
    async evaluate(sql, parameters = {}) {
      const names = Object.keys(parameters);
      const options = {
        language_options: language,
        default_timezone: 'UTC',
        query_parameters: names.map((name) => ({ name, type: { type_kind: 'TYPE_STRING' } })),
      };
      const params = names.map((name) => ({ name, value: { string_value: parameters[name] } }));
      try {
        return readAnswer(
          await call('EvaluateQuery', { sql, options, registered_catalog_id: registered_id, params }),
        );
      } catch (error) {
        return failure(error as GrpcError);
      }
    },
    async close() {
      client.close();
      service.kill('SIGKILL');
    },
  };
}

function openClient(port: number): Promise<Client> {
  const grpc = require('@grpc/grpc-js') as Grpc;
  const loader = require('@grpc/proto-loader') as ProtoLoader;
  const definition = loader.loadSync('local_service.proto', {
    includeDirs: [join(lib, 'zetasql/protos')],
    keepCase: true,
    longs: String,
    enums: String,
    bytes: Buffer,
    oneofs: true,
  });
  const { ZetaSqlLocalService } = grpc.loadPackageDefinition(definition).zetasql.local_service;
  const client = new ZetaSqlLocalService(`localhost:${port}`, grpc.credentials.createInsecure(), {
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
  });
  return new Promise((resolve, reject) => {
    client.waitForReady(Date.now() + 20_000, (error) => (error ? reject(error) : resolve(client)));
  });
}

type Message = Record<string, unknown>;

function unary(client: Client, method: string, request: object): Promise<Message> {
  const call = client[method] as (
    request: object,
    options: { deadline: number },
    done: (error: Error | null, response: Message) => void,
  ) => void;
  return new Promise((resolve, reject) => {
    const deadline = Date.now() + 30_000;
    call.call(client, request, { deadline }, (error, response) =>
      error ? reject(error) : resolve(response),
    );
  });
}

interface GrpcError {
  readonly code: number;
  readonly details: string;
}

const [invalidArgument, unimplemented] = [3, 12];

function failure({ code, details }: GrpcError): Answer {
  if (code === unimplemented || /^Unsupported built-in|^Function not found/.test(details)) {
    return { error: details, stage: 'missing' };
  }
  return { error: details, stage: code === invalidArgument ? 'analysis' : 'evaluation' };
}

interface EvaluateQueryResponse {
  readonly content?: { readonly table_data?: { readonly row?: readonly { readonly cell?: WireValue[] }[] } };
  readonly prepared: { readonly columns?: readonly { readonly name?: string; readonly type: WireType }[] };
}

function readAnswer(message: unknown): Answer {
  const { content, prepared } = message as EvaluateQueryResponse;
  const columns = prepared.columns ?? [];
  const rows = content?.table_data?.row ?? [];
  return {
    columns: columns.map(({ name = '' }) => name),
    rows: rows.map(({ cell = [] }) => columns.map(({ type }, at) => decode(cell[at] ?? {}, type))),
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, 'localhost', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

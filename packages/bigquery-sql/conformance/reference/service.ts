import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Edition, packageFolder, startProcess } from './processes.ts';

/** A message of the evaluator's protocol, as plain data. */
type Message = Record<string, unknown>;

/** The evaluator's process. */
export interface Service {
  /** @throws ServiceError if the evaluator reports an error */
  call(method: string, request: object): Promise<Message>;
  close(): void;
}

/** An error of gRPC. */
export interface ServiceError {
  readonly code: number;
  readonly details: string;
}

const startTimeoutMs = 20_000;
const callTimeoutMs = 10_000;

/** Starts an evaluator. */
export async function openService(edition: Edition): Promise<Service> {
  const { address, child } = await startProcess(edition);
  try {
    const client = await connect(address);
    return {
      call: (method, request) => call(client, method, request),
      close() {
        client.close();
        child.kill('SIGKILL');
      },
    };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

// The evaluator is installed separately, so its types are missing in type checks: the used part is declared here.
interface Grpc {
  loadPackageDefinition(definition: unknown): { zetasql: { local_service: { ZetaSqlLocalService: Stub } } };
  readonly credentials: { createInsecure(): unknown };
}
interface ProtoLoader {
  loadSync(file: string, options: object): unknown;
}
type Stub = new (address: string, credentials: unknown, options: object) => Client;
type Method = (
  request: object,
  options: { deadline: number },
  done: (error: Error | null, response: Message) => void,
) => void;
interface Client {
  waitForReady(deadlineMs: number, done: (error?: Error) => void): void;
  close(): void;
  readonly [method: string]: unknown;
}

const require = createRequire(import.meta.url);

function connect(address: string): Promise<Client> {
  const grpc = require('@grpc/grpc-js') as Grpc;
  const loader = require('@grpc/proto-loader') as ProtoLoader;
  const definition = loader.loadSync('local_service.proto', {
    includeDirs: [join(packageFolder(), 'zetasql/protos')],
    keepCase: true,
    longs: String,
    enums: String,
    bytes: Buffer,
    oneofs: true,
  });
  const { ZetaSqlLocalService } = grpc.loadPackageDefinition(definition).zetasql.local_service;
  const client = new ZetaSqlLocalService(address, grpc.credentials.createInsecure(), {
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
  });
  return new Promise((resolve, reject) => {
    client.waitForReady(Date.now() + startTimeoutMs, (error) => (error ? reject(error) : resolve(client)));
  });
}

function call(client: Client, name: string, request: object): Promise<Message> {
  const method = client[name] as Method;
  const deadline = Date.now() + callTimeoutMs;
  return new Promise((resolve, reject) => {
    method.call(client, request, { deadline }, (error, response) =>
      error ? reject(error) : resolve(response),
    );
  });
}

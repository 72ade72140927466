import type { Table } from '../table.ts';
import type { Answer } from '../values.ts';
import type { Parameters, ParameterValue } from '../parameters.ts';
import { decode, typeText, type WireType, type WireValue } from './decode.ts';
import { encodeParameter, encodeTable } from './encode-table.ts';
import { languageFeatures } from './language.ts';
import { knownError } from './evaluator-errors.ts';
import { type Edition, hasLibrary } from './processes.ts';
import { openService, type Service, type ServiceError } from './service.ts';

/** GoogleSQL's reference implementation, with BigQuery's language features, in UTC. */
export interface Evaluator {
  evaluate(sql: string, parameters?: Parameters): Promise<Answer>;
  close(): Promise<void>;
}

/** The evaluators that are installed: that of 2025 judges, and that of 2022 what it gets wrong. */
export interface Evaluators {
  readonly of2025: Evaluator | undefined;
  readonly of2022: Evaluator;
  close(): Promise<void>;
}

/** Starts the evaluators that are installed with these tables in their catalogs. */
export async function openEvaluators(tables: readonly Table[] = []): Promise<Evaluators> {
  const of2022 = await openEdition('2022', tables);
  const of2025 = hasLibrary() ? await openEdition('2025', tables) : undefined;
  return {
    of2022,
    of2025,
    async close() {
      await of2022.close();
      await of2025?.close();
    },
  };
}

/** One evaluator of both: that of 2025, and that of 2022 where the other one may be wrong. */
export async function openEvaluator(tables: readonly Table[] = []): Promise<Evaluator> {
  const { of2025, of2022, close } = await openEvaluators(tables);
  return {
    evaluate: (sql, parameters) =>
      (of2025 === undefined || knownError('2025', sql) ? of2022 : of2025).evaluate(sql, parameters),
    close,
  };
}

/** Starts an evaluator with these tables in its catalog. Some queries end its process: it is started again for the next one. */
export async function openEdition(edition: Edition, tables: readonly Table[] = []): Promise<Evaluator> {
  let session = openSession(edition, tables);
  await session;
  const tryOnce: Session['evaluate'] = async (sql, parameters) => {
    const used = session;
    const answer = await (await used).evaluate(sql, parameters);
    if (answer === 'ended' && session === used) {
      session = openSession(edition, tables);
      (await used).close();
    }
    return answer;
  };
  // One after the other, as another query may have ended the process.
  let last: Promise<unknown> = Promise.resolve();
  const tryAgain: Session['evaluate'] = (sql, parameters) => {
    const next = last.then(() => tryOnce(sql, parameters));
    last = next.catch(() => undefined);
    return next;
  };
  return {
    async evaluate(sql, parameters = {}) {
      const first = await tryOnce(sql, parameters);
      const answer = first === 'ended' ? await tryAgain(sql, parameters) : first;
      return answer === 'ended' ? { error: 'the evaluator ended', stage: 'missing' } : answer;
    },
    async close() {
      (await session).close();
    },
  };
}

interface Session {
  /** ended: its process has ended, by this query or by another one beside it. */
  evaluate(sql: string, parameters: Parameters): Promise<Answer | 'ended'>;
  close(): void;
}

async function openSession(edition: Edition, tables: readonly Table[]): Promise<Session> {
  const service = await openService(edition);
  const language = await languageOptions(service);
  const catalog = await registerCatalog(service, language, tables);
  return {
    async evaluate(sql, parameters) {
      const encoded = Object.entries(parameters).map(([name, value]) => ({
        name,
        ...encodeValue(name, value),
      }));
      const request = {
        sql,
        registered_catalog_id: catalog,
        options: {
          language_options: language,
          default_timezone: 'UTC',
          query_parameters: encoded.map(({ name, type }) => ({ name, type })),
        },
        params: encoded.map(({ name, value }) => ({ name, value })),
      };
      try {
        return readAnswer(await service.call('EvaluateQuery', request));
      } catch (error) {
        return failure(error as ServiceError);
      }
    },
    close: () => service.close(),
  };
}

function encodeValue(name: string, given: ParameterValue): { type: object; value: object } {
  const { type, value } = typeof given === 'string' ? { type: 'STRING' as const, value: given } : given;
  return encodeParameter({ name, type, mode: Array.isArray(value) ? 'REPEATED' : 'NULLABLE' }, value);
}

async function languageOptions(service: Service): Promise<object> {
  const maximum = await service.call('GetLanguageOptions', { maximum_features: true });
  return {
    ...maximum,
    product_mode: 'PRODUCT_EXTERNAL',
    enabled_language_features: languageFeatures(maximum.enabled_language_features),
  };
}

async function registerCatalog(
  service: Service,
  language: object,
  tables: readonly Table[],
): Promise<unknown> {
  const encoded = tables.map((table) => ({ name: table.name, ...encodeTable(table) }));
  const { registered_id } = await service.call('RegisterCatalog', {
    simple_catalog: {
      name: 'conformance',
      builtin_function_options: { language_options: language },
      table: encoded.map(({ schema }) => schema),
    },
    table_content: Object.fromEntries(encoded.map(({ name, content }) => [name, content])),
  });
  return registered_id;
}

const [invalidArgument, deadlineExceeded, unimplemented, unavailable] = [3, 4, 12, 14];

function failure({ code, details }: ServiceError): Answer | 'ended' {
  if (code === unavailable) return 'ended';
  if (code === deadlineExceeded) return { error: 'no answer in time', stage: 'missing' };
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
    types: columns.map(({ type }) => typeText(type)),
    rows: rows.map(({ cell = [] }) => columns.map(({ type }, at) => decode(cell[at] ?? {}, type))),
  };
}

import type { Table } from '../table.ts';
import type { Answer } from '../values.ts';
import type { Parameters, ParameterValue } from '../parameters.ts';
import { decode, typeText, type WireType, type WireValue } from './decode.ts';
import { encodeParameter, encodeTable } from './encode-table.ts';
import { languageFeatures } from './language.ts';
import { openService, type Service, type ServiceError } from './service.ts';

/** GoogleSQL's reference implementation, with BigQuery's language features, in UTC. */
export interface Evaluator {
  evaluate(sql: string, parameters?: Parameters): Promise<Answer>;
  close(): Promise<void>;
}

/** Starts the evaluator with these tables in its catalog. */
export async function openEvaluator(tables: readonly Table[] = []): Promise<Evaluator> {
  const service = await openService();
  const language = await languageOptions(service);
  const catalog = await registerCatalog(service, language, tables);

  return {
    async evaluate(sql, parameters = {}) {
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
    async close() {
      service.close();
    },
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

const [invalidArgument, deadlineExceeded, unimplemented] = [3, 4, 12];

function failure({ code, details }: ServiceError): Answer {
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

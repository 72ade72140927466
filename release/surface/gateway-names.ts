import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  buildSchema as parseSchema,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isScalarType,
  parse,
  visit,
} from 'graphql';
import { gatewayOptions } from '../../src/cli/start/gateway-options.ts';
import { readConfig } from '../../src/config.ts';
import { Renderers } from '../../src/formats/renderers.ts';
import { createGateway } from '../../src/gateway/create-gateway.ts';
import type { GatewayPlugin } from '../../src/gateway/plugin.ts';
import * as paths from '../../src/http/message/paths.ts';
import { operators } from '../../src/row-arguments/reading/postgrest-conditions.ts';
import { permissions } from '../../src/keys/principal.ts';
import type { Forms } from './code-names.ts';

const key = 'a-key-for-the-list-of-names';

/** The paths that only the pages read. */
const internalPaths = /^\/(?:\*\*|assets\/|use\.json|sql\/explain)/;

const isPath = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith('/') && value !== paths.apiPath;

/** The answers of a gateway that has everything turned on, over the saved queries in `queries`. */
interface Answered {
  readonly rest: Forms;
  readonly graphql: Forms;
  readonly metrics: Forms;
  readonly agents: Forms;
}

export async function gatewayForms(): Promise<Answered> {
  const dataDir = mkdtempSync(join(tmpdir(), 'querygate-surface-'));
  const config = readConfig({
    QUERIES_DIR: join(import.meta.dirname, 'queries'),
    DATA_DIR: dataDir,
    STORE_FILE: ':memory:',
    MCP: 'on',
    FEDERATION: 'on',
  });
  const options = await gatewayOptions(config, key);
  const routes: Record<string, string> = {};
  const plugins = (options.plugins ?? []).map(
    (plugin): GatewayPlugin => ({
      ...plugin,
      routes: (...args) => {
        const own = plugin.routes?.(...args) ?? [];
        for (const { path, methods = ['GET'], access } of own.filter((one) => !internalPaths.test(one.path)))
          routes[path] = `${methods.join(', ')}${access === 'key' ? ', with a key' : ''}`;
        return own;
      },
    }),
  );
  const gateway = await createGateway({ ...options, plugins });
  const headers = { 'x-api-key': key, 'content-type': 'application/json', accept: 'application/json' };
  const call = (path: string, init: RequestInit = {}) =>
    gateway.fetch(new Request(`http://localhost${path}`, { headers, ...init }));
  const post = async (path: string, body: object) =>
    (await call(path, { method: 'POST', body: JSON.stringify(body) })).json();
  try {
    for (const path of (Object.values(paths) as readonly unknown[]).filter(isPath)) {
      const { headers: answered } = await call(path.endsWith('/') ? `${path}sample` : path, {
        method: 'OPTIONS',
      });
      routes[path] = answered.get('allow') ?? '';
    }
    const rpc = (method: string) => post('/mcp', { jsonrpc: '2.0', id: 1, method, params: {} });
    const { data } = (await post('/graphql', { query: '{ _service { sdl } }' })) as {
      readonly data: { readonly _service: { readonly sdl: string } };
    };
    return {
      rest: { ...routes, ...restForms(await (await call('/openapi.json')).json()), ...statedRest },
      graphql: graphqlForms(data._service.sdl),
      metrics: metricForms(await (await call('/metrics')).text()),
      agents: agentForms(await rpc('tools/list')),
    };
  } finally {
    await gateway.close();
    rmSync(dataDir, { recursive: true });
  }
}

/** The names of REST that no document of the gateway lists. */
const statedRest: Forms = {
  'Accept: text/event-stream': 'events of a result',
  'Accept: text/event-stream;delta=rows': 'changed rows only',
  'Prefer: wait': 'the next result',
  'event: next': 'the body of a result',
  'event: patch': 'from, removed, added, changed',
  'event: error': 'the body of an error',
  'event: end': 'code, message',
  ...Object.fromEntries(
    Object.entries(operators).map(([name, operator]) => [`?column=${name}.`, JSON.stringify(operator)]),
  ),
  ...Object.fromEntries(permissions.map((name) => [`permission ${name}`, ''])),
  ...Object.fromEntries(
    new Renderers().names.map((name) => [`?format=${name}`, new Renderers().named(name)?.contentType ?? '']),
  ),
};

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Parameter>>>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly headers?: object }>>;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** Operations with what they read, and with the headers of their responses. */
function restForms({ paths, components }: OpenApi): Forms {
  const forms: Record<string, string> = {};
  // What has the number of a version is the same again.
  for (const [path, operations] of Object.entries(paths).filter(([path]) => !path.includes('@')))
    for (const [method, { operationId, parameters = [], responses }] of Object.entries(operations)) {
      const operation = `${method.toUpperCase()} ${path}`;
      forms[operation] = `${operationId}: ${Object.keys(responses).join(', ')}`;
      for (const one of parameters) {
        const [, name = ''] = /^#\/components\/parameters\/(.*)$/.exec(one.$ref ?? '') ?? [];
        const { in: place, name: parameter, required, schema } = components.parameters?.[name] ?? one;
        forms[`${operation} ${place} ${parameter}`] =
          `${JSON.stringify(schema)}${required === true ? ', required' : ''}`;
      }
      for (const header of Object.keys(responses['200']?.headers ?? {}))
        forms[`${operation} → ${header}`] = '';
    }
  return forms;
}

/** The fields, arguments and values of a schema, and the types that have them. */
function graphqlForms(sdl: string): Forms {
  const schema = parseSchema(sdl, { assumeValid: true });
  const forms: Record<string, string> = {};
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (isScalarType(type)) forms[type.name] = 'scalar';
    else if (isEnumType(type))
      for (const { name } of type.getValues()) forms[`${type.name}.${name}`] = 'value';
    else if (isInputObjectType(type))
      for (const field of Object.values(type.getFields()))
        forms[`${type.name}.${field.name}`] = String(field.type);
    else if (isObjectType(type))
      for (const field of Object.values(type.getFields())) {
        const args = field.args.map((one) => `${one.name}: ${one.type}`).join(', ');
        forms[`${type.name}.${field.name}`] = `${args === '' ? '' : `(${args}): `}${field.type}`;
      }
  }
  visit(parse(sdl), {
    Directive({ name: { value } }) {
      if (!['link', 'deprecated', 'specifiedBy'].includes(value)) forms[`@${value}`] = 'directive';
    },
  });
  return forms;
}

const metricForms = (text: string): Forms =>
  Object.fromEntries(
    [...text.matchAll(/^# TYPE (querygate_\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );

/** The tools of agents. */
function agentForms(answer: unknown): Forms {
  const { tools } = (answer as { readonly result: { readonly tools: readonly { readonly name: string }[] } })
    .result;
  return Object.fromEntries(tools.map(({ name }) => [name, 'tool']));
}

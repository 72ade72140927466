import { modern, modernMeta } from '../support/mcp-request.ts';
import type { Caller } from './callers.ts';
import { type Compared, type Endpoint, endpoints } from './endpoints.ts';
import type { Question } from './oracle.ts';
import { endpointOf, type McpStep, othersOf, pick, textOf } from './steps.ts';
import type { World } from './world.ts';

export interface McpRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly question: Question;
  /** Whether SQL of the caller runs, which may show a part of the rows. */
  readonly isSql: boolean;
  /** What is to be returned of all rows; undefined: any of them. */
  readonly partOf: ((rows: readonly Compared[]) => readonly Compared[]) | undefined;
}

/** SQL that tries to read more than the rows of the caller; `$` is a text of the step. */
const texts = [
  'select id, event_message from mine',
  'select id, event_message from mine where true or id = $',
  'select id, event_message from edge_logs',
  'select id, event_message from mine union all select id, event_message from `edge_logs`',
  'select id, event_message from mine where id in (select id from edge_logs where project = $)',
  'with mine as (select id, event_message from edge_logs) select * from mine',
  'select string_agg(event_message) as event_message from mine, (select $ as other)',
  'select @who as id, event_message from mine',
  "select id, event_message from mine /* ' */ where event_message like '%' -- $",
];

/**
 * What a step of an agent sends: a call of a tool, the same as a resource, or SQL.
 *
 * @param cursors of pages that anybody has got
 */
export function buildMcp(
  step: McpStep,
  world: World,
  caller: Caller,
  cursors: readonly string[],
): McpRequest {
  const isSql = step.how === 'sql';
  const sqlEndpoint = endpoints.find(({ name }) => name === 'own.by-sql') as Endpoint;
  const ofPart = endpoints.find(({ name }) => name === partsOf[step.part]);
  const endpoint = isSql ? sqlEndpoint : (ofPart ?? endpointOf(step.endpoint));
  const tenant = textOf(step.value, world, caller).toWellFormed();
  const others = othersOf(endpoint, step.others);
  const given = [
    ...(endpoint.tenant === undefined || step.isLeftOut ? [] : [[endpoint.tenant, tenant] as const]),
    ...others,
  ];
  const sql = pick(texts, step.others + step.sql).replace(
    '$',
    () => `'''${textOf(step.second, world, caller).replaceAll(/['\\\r\n\0]/g, '')}'''`,
  );
  const own = caller.tenants?.length === 1 ? caller.tenants[0] : undefined;
  // The gateway fills in the tenant of a key that has one.
  const filled = step.isLeftOut || tenant === '' ? own : tenant;
  const isFilled = endpoint.tenant !== undefined && filled !== undefined;
  const parameters = new Map([...(isFilled ? [[endpoint.tenant ?? '', filled] as const] : []), ...others]);
  const name = isSql ? `${endpoint.name}.sql` : endpoint.name;
  const part = isSql ? wholeResult : partAsked(step, textOf(step.second, world, caller), cursors);
  const withSql = [...given, ...part.given, ...(isSql ? [['sql', sql] as const] : [])];
  const uri = `querygate://result/${endpoint.name}?${new URLSearchParams(withSql.map((pair) => [...pair]))}`;
  const [method, params] =
    step.how === 'resource'
      ? (['resources/read', { uri }] as const)
      : (['tools/call', { name, arguments: Object.fromEntries(withSql) }] as const);
  return { ...messageOf(step, method, params), question: { endpoint, parameters }, isSql, partOf: part.of };
}

/** The query that has such parts. */
const partsOf: Partial<Record<McpStep['part'], string>> = {
  filtered: 'own.by-column',
  counted: 'own.by-column',
  page: 'logs.all',
  'after a cursor': 'logs.all',
};

interface Part {
  readonly given: readonly (readonly [string, string])[];
  readonly of: McpRequest['partOf'];
}

const wholeResult: Part = { given: [], of: (rows) => rows };

/** Conditions that are true for all rows, with a text of the step in them; counts; pages; and cursors of others. */
function partAsked(step: McpStep, text: string, cursors: readonly string[]): Part {
  if (step.part === 'filtered' || step.part === 'counted') {
    const quoted = text.toWellFormed().replaceAll('\0', '').slice(0, 100).replaceAll(/["\\]/g, '\\$&');
    const and = `(or(id.is.not_null,event_message.eq."${quoted}",not.id.in.("${quoted}",b)))`;
    if (step.part === 'filtered')
      return {
        given: [['and', and], ...Object.entries({ order: 'id.desc', limit: '3', offset: '1' })],
        of: (rows) => rows.toReversed().slice(1, 4),
      };
    return {
      given: Object.entries({ and, select: 'counted:count()' }),
      of: (rows) => [{ counted: rows.length }],
    };
  }
  if (step.part === 'page') return { given: [['limit', '2']], of: (rows) => rows.slice(0, 2) };
  if (step.part === 'after a cursor' && cursors.length > 0)
    return { given: [['after', pick(cursors, step.sql)]], of: undefined };
  return wholeResult;
}

function messageOf(
  { era }: McpStep,
  method: string,
  params: { readonly name?: string; readonly uri?: string; readonly arguments?: object },
): Pick<McpRequest, 'headers' | 'body'> {
  const message = { jsonrpc: '2.0', id: 1, method };
  const headers = { 'content-type': 'application/json' };
  if (era === 'legacy') return { headers, body: JSON.stringify({ ...message, params }) };
  return {
    headers: {
      ...headers,
      'mcp-protocol-version': modern,
      'mcp-method': method,
      'mcp-name': `=?base64?${Buffer.from(params.name ?? params.uri ?? '').toString('base64')}?=`,
    },
    body: JSON.stringify({ ...message, params: { ...params, _meta: modernMeta } }),
  };
}

/** What is hidden in a text is visible for agents, and a moment is text. */
export function asForAgents(endpoint: Endpoint, row: Compared): Compared {
  return Object.fromEntries(
    endpoint.columns.flatMap((column) => {
      const cell = row[column];
      return cell === undefined ? [] : [[column, typeof cell === 'string' ? visible(cell) : cell]];
    }),
  );
}

/** By the code of each character: not by the expression that the gateway has. */
function visible(text: string): string {
  return [...text]
    .map((character) => {
      const code = character.codePointAt(0) ?? 0;
      return isHidden(code) ? `\\u{${code.toString(16)}}` : character;
    })
    .join('');
}

const hiddenRanges = [
  ...[
    [0, 8],
    [0xb, 0x1f],
    [0x7f, 0x9f],
    [0xad, 0xad],
    [0x61c, 0x61c],
    [0x200b, 0x200b],
    [0x200e, 0x200f],
  ],
  ...[
    [0x2028, 0x202e],
    [0x2060, 0x206f],
    [0xfe00, 0xfe0e],
    [0xfeff, 0xfeff],
    [0xfff9, 0xfffb],
    [0xe0000, 0xe01ef],
  ],
];

const isHidden = (code: number): boolean =>
  hiddenRanges.some(([first = 0, last = 0]) => code >= first && code <= last);

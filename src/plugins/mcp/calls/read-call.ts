import { requireEndpoint } from '../../../call/gate.ts';
import type { RouteHost } from '../../../gateway/plugin.ts';
import { EndpointRequest } from '../../../call/endpoint-request.ts';
import type { Principal } from '../../../keys/principal.ts';
import { rowArguments } from '../definitions/row-schemas.ts';
import type { JsonMembers } from '../protocol/message.ts';
import { readSqlArguments } from './sql-arguments.ts';
import { readArguments } from './tool-arguments.ts';
import type { NamedTool } from './tool-names.ts';

/** Arguments that a model has to correct: a line for each mistake. */
export class WrongArguments extends Error {}

/**
 * The request of REST that a call of a tool means.
 *
 * @throws GatewayError as `requireEndpoint` does, before the arguments are read; BAD_REQUEST if a value is a key; WrongArguments
 */
export type ReadCall = (tool: NamedTool, given: JsonMembers, principal: Principal) => EndpointRequest;

/** @param rejectKeys of the host: keys are not to be quoted or cached */
export function buildReadCall(rejectKeys: RouteHost['rejectKeys']): ReadCall {
  return ({ endpoint: { query }, takesSql }, given, principal) => {
    requireEndpoint(principal, query);
    rejectKeys(new Map(Object.entries(given).map(([name, value]) => [name, [value].flat().filter(isText)])));
    const { tenants } = principal;
    const read = takesSql
      ? readSqlArguments(query, given, tenants)
      : readArguments(query, given, tenants, rowArguments(query));
    if ('mistakes' in read) throw new WrongArguments(read.mistakes.join('\n'));
    return new EndpointRequest(query, read.parameters);
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';

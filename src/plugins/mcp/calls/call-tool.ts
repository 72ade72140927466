import { quoteShort } from '@querygate/text';
import { requireEndpoint } from '../../../call/gate.ts';
import { sqlParameter } from '../../../catalog/binding/caller-sql.ts';
import { GatewayError } from '../../../errors.ts';
import type { RouteHost } from '../../../gateway/plugin.ts';
import type { Principal } from '../../../keys/principal.ts';
import { columnsAdvice } from '../definitions/sql-tool.ts';
import { isSearchName, searchNames } from '../definitions/search-tools.ts';
import { isMembers, type JsonMembers } from '../protocol/message.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import { resultText } from '../protocol/result-text.ts';
import type { CallRequest } from './call-request.ts';
import type { CheckSql } from './check-sql.ts';
import type { CallAnswer, CallQuery } from './query-calls.ts';
import { WrongArguments } from './read-call.ts';
import { isDryRun } from './sql-arguments.ts';
import { type CallSearch, searchedCall } from './search-calls.ts';
import { nearOf } from './suggest.ts';
import type { ToolNames } from './tool-names.ts';

/**
 * Answers `tools/call`. Mistakes that a model can correct, and failures that it has to know, are results of the tool.
 *
 * @throws ProtocolError invalidParams
 */
export type CallTool = (params: JsonMembers, request: CallRequest) => CallAnswer | Promise<CallAnswer>;

interface CallToolOptions {
  readonly host: Pick<RouteHost, 'audit' | 'shown'>;
  readonly tools: ToolNames;
  readonly callQuery: CallQuery;
  readonly checkSql: CheckSql;
  readonly callSearch: CallSearch;
  /** True if clients find out by themselves where to get another token. */
  readonly givesTokens: boolean;
}

export function buildCallTool({
  host,
  tools,
  callQuery,
  checkSql,
  callSearch,
  givesTokens,
}: CallToolOptions): CallTool {
  const run: CallQuery = (tool, given, request) => {
    requireEndpoint(request.admission.principal, tool.endpoint.query);
    const { length } = Object.keys(given);
    if (length > maxArguments)
      throw new WrongArguments(`There are ${length} arguments, and no tool has more than ${maxArguments}`);
    return (tool.takesSql && isDryRun(given) ? checkSql : callQuery)(tool, given, request);
  };
  const call = (name: string, given: JsonMembers, request: CallRequest) => {
    if (isSearchName(name) && tools.areSearched(request.admission.principal)) {
      if (name !== searchNames.run) return callSearch(name, given, request);
      const searched = searchedCall(tools, given, request);
      return run(searched.tool, searched.given, request);
    }
    const found = tools.find(name);
    if (found === undefined) throw unknownTool(name, tools, request);
    return run(found, given, request);
  };
  return (params, request) => {
    const { name } = params;
    const given = params.arguments ?? noArguments;
    if (typeof name !== 'string') throw invalid('name must be the name of a tool, as tools/list has it');
    if (!isMembers(given)) throw invalid('arguments must be an object, as in {"name": "value"}');
    const fail = (error: unknown) => {
      if (error instanceof ProtocolError) throw error;
      if (error instanceof GatewayError && error.code === 'UNKNOWN_QUERY') {
        host.audit(error, request.head, request.admission.principal.id);
        throw unknownTool(name, tools, request);
      }
      return failed(error, name, request);
    };
    try {
      const called = call(name, given, request);
      return called instanceof Promise ? called.catch(fail) : called;
    } catch (error) {
      return fail(error);
    }
  };

  function failed(error: unknown, tool: string, { era, head, admission }: CallRequest): CallAnswer {
    if (error instanceof WrongArguments) {
      return errorResult(error.message, 'INVALID_PARAMETER');
    }
    host.audit(error, head, admission.principal.id);
    if (givesTokens && isStepUp(error, admission.principal))
      throw new ProtocolError('invalidRequest', error.message, { status: 403, data: { code: error.code } });
    const shown = host.shown(error, head);
    const advice = tenantAdvice(shown, admission.principal.tenants) + sqlAdvice(shown);
    return errorResult(textOfError(shown) + advice, shown.code);

    function errorResult(text: string, code: string): CallAnswer {
      const content = JSON.stringify([{ type: 'text', text }]);
      return {
        bytes: Buffer.from(resultText(era, { content, isError: 'true' })),
        facts: { tool, error: code },
      };
    }
  }
}

/** To look at each of many more would hold the event loop. */
const maxArguments = 10_000;

/** The same each time: what is computed of arguments is kept with them. */
const noArguments: JsonMembers = {};

/** True if another token of the same user may permit it: clients get one by themselves. A key stays what it is. */
const isStepUp = (error: unknown, { id }: Principal): error is GatewayError =>
  error instanceof GatewayError && error.refusal?.reason === 'permission' && id.startsWith('jwt:');

const invalid = (what: string) => new ProtocolError('invalidParams', `params.${what}`);

function unknownTool(name: string, tools: ToolNames, { admission }: CallRequest): ProtocolError {
  const names = tools.listed(admission.principal).map((one) => one.name);
  const nearest = nearOf(name, names);
  return new ProtocolError(
    'invalidParams',
    `Unknown tool: ${quoteShort(name, 100)}${nearest === undefined ? '' : `; the nearest is ${nearest}`}; tools/list has all that this key may call`,
  );
}

/** The text of an error for a model: what is wrong, and when to try again. */
function textOfError({ message, refusal, retryAfterSeconds }: GatewayError): string {
  if (refusal?.reason === 'endpoint')
    return 'This key may not call this tool; tools/list has all that it may call';
  return retryAfterSeconds === undefined ? message : `${message} (in ${Math.ceil(retryAfterSeconds)} s)`;
}

const sqlAdvice = ({ code, parameter }: GatewayError): string =>
  code === 'INVALID_PARAMETER' && parameter === sqlParameter ? `; ${columnsAdvice}` : '';

/** The nearest one of a key's own tenants. */
function tenantAdvice({ refusal }: GatewayError, tenants: ReadonlySet<string> = new Set()): string {
  if (refusal?.reason !== 'tenant' || refusal.tenant === undefined) return '';
  const nearest = nearOf(refusal.tenant, [...tenants]);
  return nearest === undefined ? '' : `; the nearest is ${nearest}`;
}

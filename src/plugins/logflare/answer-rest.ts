import { sqlParameter } from '../../catalog/binding/caller-sql.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import { mayBeRounded } from '../../catalog/binding/rounded-numbers.ts';
import { variesBy } from '../../http/message/cache-headers.ts';
import { mergeLists } from '../../catalog/binding/merge-lists.ts';
import type { RouteHost } from '../../gateway/plugin.ts';
import { EndpointRequest } from '../../call/endpoint-request.ts';
import { pageWords } from '../../http/rest/row-page.ts';
import { rowWords } from '../../http/rest/row-parameters.ts';
import { withParameterWarning } from '../../http/rest/undeclared-parameters.ts';
import { requireEndpoint } from '../../call/gate.ts';
import { type Reply, replyJson } from '../../http/message/reply.ts';
import type { Answer } from '../../http/message/route.ts';
import { parametersReader } from './body-parameters.ts';

type PreparedRequest = Parameters<Answer>[1];

type AddressedEndpoint = NonNullable<PreparedRequest['addressed']>;

type RawParameters = EndpointRequest['parameters'];

/** With the strict REST API. */
type CompatRestHost = Pick<RouteHost, 'rest' | 'addressOf' | 'rejectKeys' | 'renderers'>;

/** REST with the parameters of Logflare's clients: by GET and POST, the last of a repeated one that is not a list. */
export function buildCompatRest({ rest, addressOf, rejectKeys, renderers }: CompatRestHost): Answer {
  const addressed = (request: PreparedRequest) => {
    const { query, format } = addressOf(request);
    return { endpoint: lastOfEach(query, request.parameters), format };
  };
  const answerGet: Answer = (head, request, admission, readBody) => {
    request.addressed ??= addressed(request);
    const { addressed: address, parameters = new Map() } = request;
    return rowsOrNone(address, parameters, () => rest(head, request, admission, readBody));
  };
  const answerPost: Answer = async (head, received, admission, readBody) => {
    const { query } = addressOf(received);
    // Before the body is read as the query declares it.
    requireEndpoint(admission.principal, query);
    const declared = new Map(query.parameters.map((parameter) => [parameter.name, parameter]));
    const names = namesOf(query);
    const isRead = (name: string, value: unknown) =>
      name === 'format'
        ? value === null || value === '' || (typeof value === 'string' && renderers.isExtension(value))
        : names.has(name) || (typeof value === 'string' && mayBeColumn(query, name));
    const readParameters = parametersReader(head.headers, isRead, listsOf(query), (name, value) =>
      mayBeRounded(declared.get(name), value),
    );
    const { given, ignored } = readParameters(await readBody());
    rejectKeys(given);
    const parameters = new Map([...(received.parameters ?? []), ...given]);
    const unaddressed = new EndpointRequest(query, parameters);
    const { format } = addressOf(received.to({ endpoint: unaddressed, format: undefined }, received.url));
    const address = { endpoint: lastOfEach(query, parameters), format };
    const request = received.to(address, urlWith(received.url, parameters));
    const sent = new Map([...ignored.map((name) => [name, ['']] as const), ...parameters]);
    const reply = await rowsOrNone(address, sent, () => rest(head, request, admission, readBody));
    return notStored(ignored.includes('format') ? withIgnoredFormat(reply) : reply);
  };
  return (head, ...others) => (head.method === 'POST' ? answerPost : answerGet)(head, ...others);
}

/** The parameters that a request for a query may set. */
function namesOf({
  parameters,
  columns,
  rowArguments,
  pages,
  querySandboxing,
}: SavedQuery): ReadonlySet<string> {
  return new Set([
    'format',
    ...parameters.map(({ name }) => name),
    ...(querySandboxing === 'enabled' ? [sqlParameter] : []),
    ...(rowArguments === undefined ? [] : [...rowWords, ...columns.map(({ name }) => name)]),
    ...(pages === undefined ? [] : pageWords),
  ]);
}

/** For links of a page, which are followed by GET. */
function urlWith({ href }: URL, parameters: RawParameters): URL {
  const pairs = [...parameters].flatMap(([name, values]) => values.map((value) => [name, value]));
  return new URL(`?${new URLSearchParams(pairs)}`, href);
}

const listsOf = ({ parameters }: SavedQuery): ReadonlySet<string> =>
  new Set(parameters.filter(({ repeated }) => repeated).map(({ name }) => name));

/** With row arguments, another name may be a misspelled column, which is refused as it is without the setting. */
const mayBeColumn = ({ rowArguments }: SavedQuery, name: string): boolean =>
  rowArguments !== undefined && name !== sqlParameter;

/**
 * All values of a list, and of what Logflare does not have. Other names are ignored, like Logflare's `sql` for a query without
 * a sandbox.
 */
function lastOfEach(query: SavedQuery, received: RawParameters = new Map()): EndpointRequest {
  const names = namesOf(query);
  const lists = listsOf(query);
  const declared = new Set([...query.parameters.map(({ name }) => name), sqlParameter]);
  const known = [...mergeLists(received, lists)].filter(
    ([name]) => names.has(name) || mayBeColumn(query, name),
  );
  const parameters = new Map(
    known.map(([name, values]) => [name, lists.has(name) || !declared.has(name) ? values : values.slice(-1)]),
  );
  return new EndpointRequest(query, parameters);
}

/** Says which names were ignored. @param sent all of the request */
function withIgnored(reply: Reply, { query, parameters }: EndpointRequest, sent: RawParameters): Reply {
  const all = new Map([...mergeLists(sent, listsOf(query)), ...parameters]);
  return all.size === parameters.size ? reply : withParameterWarning(reply, new EndpointRequest(query, all));
}

/** Clients may have a member of this name that Logflare ignores. */
function withIgnoredFormat({ headers, ...others }: Reply): Reply {
  const { 'querygate-warning': known } = headers;
  const warning = `${known === undefined ? '' : `${known}; `}format is ignored, it names no format`;
  return { ...others, headers: { ...headers, 'querygate-warning': warning } };
}

/**
 * Logflare runs a query without a value that it requires, or with one that it has no case for, and comparisons with it are
 * then true for no row.
 */
function rowsOrNone(
  { endpoint, format }: AddressedEndpoint,
  sent: RawParameters,
  reply: () => Reply | Promise<Reply>,
): Reply | Promise<Reply> {
  const withWarning = (replied: Reply) => withIgnored(replied, endpoint, sent);
  const noRows = (error: unknown) => {
    if (isJson(format) && selectsNothing(endpoint.query, error))
      return withWarning(replyJson(200, '{"result":[]}'));
    throw error;
  };
  try {
    const replied = reply();
    return replied instanceof Promise ? replied.then(withWarning, noRows) : withWarning(replied);
  } catch (error) {
    return noRows(error);
  }
}

const isJson = (format: AddressedEndpoint['format']): boolean =>
  format === undefined || (typeof format === 'object' && format.names[0] === 'json');

function selectsNothing({ parameters }: SavedQuery, error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false;
  const { code, parameter } = error;
  if (code === 'MISSING_PARAMETER') return true;
  const declared = parameters.find(({ name }) => name === parameter);
  return code === 'INVALID_PARAMETER' && declared?.type === 'enum';
}

/** The response to a POST is not one that a later GET may be answered with. Events are stored nowhere. */
function notStored(reply: Reply): Reply {
  const { status, headers, body } = reply;
  if (headers['cache-control']?.startsWith('no-store')) return reply;
  const { etag: _etag, age: _age, ...others } = headers;
  return {
    status,
    headers: { ...others, 'cache-control': 'private, no-store', vary: variesBy },
    body,
  };
}

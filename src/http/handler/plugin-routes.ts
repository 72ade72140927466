import { isThenable } from '../../concurrency/thenable.ts';
import { GatewayError, pluginError, StartError } from '../../errors.ts';
import { isRead, type RequestHead } from '../message/head.ts';
import type { PathToLog } from '../message/paths.ts';
import { replyError, toGatewayError } from '../message/reply.ts';
import type { Answer, NamedRoute, Route } from '../message/route.ts';
import { checkedReply } from './changed-reply.ts';

/** The route of a request, by its method and headers. */
export type RouteByHead = (head: RequestHead) => Route;

/** Makes the route that answers OPTIONS. */
export type OptionsRoute = (methods: string, base: Omit<Route, 'answer'>) => Route;

interface PluginRoutes {
  /** Those of plug-ins, and others for requests that they leave. */
  routesAt(pathname: string, otherwise: RouteByHead): RouteByHead;
  /** True if browsers get a page there. */
  hasPage(pathname: string): boolean;
  /** True if one of them takes a request with this path. */
  answers(pathname: string, head: RequestHead): boolean;
  /** Those for what nothing else answers. */
  fallbackAt(pathname: string, otherwise: RouteByHead): RouteByHead;
  readonly loggedPath: PathToLog;
}

/** @throws StartError if two routes have one path */
export function buildPluginRoutes(routes: readonly NamedRoute[], optionsRoute: OptionsRoute): PluginRoutes {
  requireDistinct(routes);
  const made = routes.map((one) => ({ route: one.route, byMethod: routeByMethod(one, optionsRoute) }));
  /** Finds those for a path. */
  const finderOf = (isFallback: boolean) => {
    const those = made.filter(({ route }) => (route.isFallback === true) === isFallback);
    const byPath = Map.groupBy(those, ({ route }) => route.path);
    const patterns = those
      .filter(({ route }) => route.path.endsWith('*'))
      .map((one) => ({ ...one, isPath: patternOf(one.route.path) }));
    return (pathname: string) =>
      byPath.get(pathname) ??
      (patterns.length === 0 ? [] : patterns.filter(({ isPath }) => isPath(pathname)));
  };
  const [matching, fallbacksFor] = [finderOf(false), finderOf(true)];
  const takenBy = (found: typeof made, head: RequestHead) =>
    found.find(({ route }) => route.browsersOnly !== true || isPageRequest(head));
  const firstOf = (found: typeof made, otherwise: RouteByHead): RouteByHead => {
    if (found.length === 0) return otherwise;
    return (head) => (takenBy(found, head)?.byMethod ?? otherwise)(head);
  };
  return {
    routesAt: (pathname, otherwise) => firstOf(matching(pathname), otherwise),
    hasPage: (pathname) => matching(pathname).some(({ route }) => route.browsersOnly === true),
    answers: (pathname, head) => takenBy(matching(pathname), head) !== undefined,
    fallbackAt: (pathname, otherwise) => firstOf(fallbacksFor(pathname), otherwise),
    loggedPath(pathname) {
      const [first] = matching(pathname);
      if (first === undefined) return undefined;
      const { loggedPath, path } = first.route;
      return loggedPath === undefined ? path : loggedPath(pathname);
    },
  };
}

function requireDistinct(routes: readonly NamedRoute[]): void {
  const names = routes.map(
    ({ route: { path, browsersOnly, isFallback } }) =>
      `${path}${browsersOnly === true ? ' for browsers' : ''}${isFallback === true ? ' as a fallback' : ''}`,
  );
  const twice = names.filter((name, at) => names.indexOf(name) < at);
  if (twice.length === 0) return;
  throw new StartError(
    'The gateway cannot start',
    twice.map((name) => ({ message: `plugins: the route ${name} is there twice; leave one of them out` })),
  );
}

function patternOf(path: string): (pathname: string) => boolean {
  const start = path.replace(/\*+$/, '');
  const isDeep = path.endsWith('/**');
  return (pathname) =>
    pathname.length > start.length &&
    pathname.startsWith(start) &&
    (isDeep || !pathname.includes('/', start.length));
}

function routeByMethod(named: NamedRoute, optionsRoute: OptionsRoute): RouteByHead {
  const { access, methods: given = ['GET'], allowsCors = false, isKept } = named.route;
  const methods = given.filter((method) => method === 'GET' || method === 'POST');
  const onlyReads = methods.join() === 'GET';
  const allowed = [
    ...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
    'OPTIONS',
  ].join(', ');
  const base = { access: 'public', allowsCors: true, replyError: replyErrorOf(named) } as const;
  const failed = (error: unknown): never => {
    throw pluginError(error, named.plugin, 'routes');
  };
  const answer: Answer = (...request) => {
    const [{ method }] = request;
    try {
      const reply = named.route.answer(...request);
      return isThenable(reply)
        ? Promise.resolve(reply)
            .then((later) => checkedReply(later, method))
            .catch(failed)
        : checkedReply(reply, method);
    } catch (error) {
      return failed(error);
    }
  };
  const route: Route = {
    ...base,
    access,
    allowsCors,
    answer,
    ...(isKept && { isKept: (head) => head.method !== 'HEAD' && isKept(head) }),
  };
  // A preflight promises nothing that the reply does not keep.
  const options = optionsRoute(allowed, { ...base, allowsCors });
  const other: Route = {
    ...base,
    answer({ method }) {
      throw new GatewayError(
        'METHOD_NOT_ALLOWED',
        `${method} is not allowed here; use ${methods.join(' or ')}`,
      );
    },
    replyError(error, log, head) {
      const reply = base.replyError(error, log, head);
      return onlyReads ? reply : { ...reply, headers: { ...reply.headers, allow: allowed } };
    },
  };
  const readable = methods.includes('GET');
  return (head) => {
    if (head.method === 'OPTIONS') return options;
    if (readable && isRead(head)) return route;
    return methods.includes(head.method as 'POST') ? route : other;
  };
}

/** The usual reply, if that of the plug-in fails: an error must always have a reply. */
function replyErrorOf({ plugin, route }: NamedRoute): Route['replyError'] {
  const { replyError: own } = route;
  if (own === undefined) return replyError;
  return (error, log) => {
    try {
      return checkedReply(own(toGatewayError(error, log)));
    } catch (defect) {
      return replyError(pluginError(defect, plugin, 'replyError'), log);
    }
  };
}

/** True if a browser requests a page. Some programs accept whatever browsers do, but they send a key. */
export function isPageRequest(head: RequestHead): boolean {
  const { 'x-api-key': key, accept = '' } = head.headers;
  return isRead(head) && key === undefined && accept.includes('text/html');
}

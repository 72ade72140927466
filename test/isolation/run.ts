import { isDeepStrictEqual } from 'node:util';
import { type RedisServer, redisServer } from '../support/redis-server.ts';
import { type Caller, makeCallers, tokenSettings } from './callers.ts';
import type { Compared, Endpoint } from './endpoints.ts';
import { type Answer, openGateways } from './gateways.ts';
import { asInRest, buildGraphql } from './graphql-request.ts';
import { asForAgents, buildMcp } from './mcp-request.ts';
import { type Expected, expectedOf, type Question } from './oracle.ts';
import { tamper } from './redis-attacks.ts';
import { buildRest } from './rest-request.ts';
import { callerOf, type GraphqlStep, type McpStep, type RestStep, type Step } from './steps.ts';
import { TagsSeen } from './tags-seen.ts';
import { filesOf, rowIdsIn, type World } from './world.ts';

export interface Run {
  readonly counts: {
    triples: number;
    answered: number;
    rows: number;
    refused: number;
    notModified: number;
    limited: number;
    hits: number;
    graphql: number;
    agents: number;
    /** Answers to agents with a part of the rows. */
    parts: number;
    /** Results that came from runs for many tenants. */
    shared: number;
    redis: number;
  };
  /** Does the steps, and throws if any answer is not what the oracle expects. */
  check(visit: { readonly isTogether: boolean; readonly steps: readonly Step[] }): Promise<void>;
  close(): Promise<void>;
}

/** Three gateways over the rows of a world: two share a Redis, and one has another secret for the same Redis. */
export async function openRun(world: World): Promise<Run> {
  const callers = makeCallers(world.tenants);
  const redis = await redisServer();
  await redis.start();
  const shared = {
    API_KEYS_FILE: callers.file.path,
    CACHE_URL: redis.url,
    CACHE_SECRET: 'secret-of-the-gateways-for-tests-only',
    ...tokenSettings,
    MCP: 'on',
  };
  const gateways = await openGateways(filesOf(world), [
    shared,
    // It keeps next to nothing, so it reads from Redis.
    { ...shared, CACHE_MEMORY_LIMIT: '1KB' },
    { ...shared, CACHE_SECRET: 'another-secret-as-after-a-mistake-in-settings' },
  ]).catch(async (error: unknown) => {
    await redis.close();
    throw error;
  });
  const tags = new TagsSeen();
  /** Of pages that anybody has got. */
  const cursors: string[] = [];
  const counts = {
    triples: 0,
    answered: 0,
    rows: 0,
    refused: 0,
    notModified: 0,
    limited: 0,
    hits: 0,
    graphql: 0,
    agents: 0,
    parts: 0,
    shared: 0,
    redis: 0,
  };

  const rest = async (step: RestStep) => {
    const caller = callerOf(callers, step.caller);
    const { method, path, question, isUnusual } = buildRest(step, world, caller);
    const expected: Expected =
      question === undefined ? { kind: 'refused' } : expectedOf(world, caller, question);
    const key = question === undefined ? '' : keyOf(question);
    const headers = {
      ...caller.headers,
      ...(step.coding !== '' && { 'accept-encoding': step.coding }),
      ...tags.header(step.tag, key),
    };
    const answer = await gateways.send(step.gateway, { method, path, headers });
    counts.triples += 1;
    const context = { caller, path, expected };
    checkMarks(answer, expected, context);
    if (answer.status === 200 || answer.status === 304) {
      if (expected.kind === 'refused') fail('an answer in place of a refusal', answer, context);
      if (`${answer.headers['cache-status']}`.includes('hit')) counts.hits += 1;
      const etag = answer.headers.etag ?? '';
      if (answer.status === 304) {
        counts.notModified += 1;
        if (!Object.hasOwn(headers, 'if-none-match')) fail('304 without a question', answer, context);
        if (expected.kind === 'rows' && !tags.isOf(etag, expected.rows))
          fail('304 for other rows', answer, context);
        return;
      }
      counts.answered += 1;
      if (method === 'HEAD') {
        if (answer.text !== '') fail('a body for HEAD', answer, context);
        return;
      }
      const { result } = JSON.parse(answer.text) as { result: Record<string, unknown>[] };
      const rows = result.map((row) => compared(question?.endpoint, row));
      counts.rows += rows.length;
      if (expected.kind === 'rows' && !isDeepStrictEqual(rows, expected.rows))
        fail('other rows', answer, context);
      tags.add(etag, key, rows);
      return;
    }
    checkRefusal(answer, caller, isUnusual, context);
    const status = expected.kind === 'refused' ? expected.status : undefined;
    if (status !== undefined && !isUnusual && answer.status !== status && answer.status !== 429) {
      fail('another refusal', answer, context);
    }
    if (expected.kind === 'rows' && !isUnusual && !(answer.status === 429 && caller.isLimited)) {
      fail('a refusal in place of rows', answer, context);
    }
  };

  const graphql = async (step: GraphqlStep) => {
    const caller = callerOf(callers, step.caller);
    const { method, path, body, questions, isUnusual, ...built } = buildGraphql(step, world, caller);
    const expected = new Map(
      [...questions].map(([alias, question]) => [alias, expectedOf(world, caller, question)]),
    );
    const key = path + (body ?? '');
    const headers = {
      ...caller.headers,
      ...built.headers,
      ...(step.coding !== '' && { 'accept-encoding': step.coding }),
      ...tags.header(step.tag, key),
    };
    const answer = await gateways.send(step.gateway, {
      method,
      path,
      headers,
      ...(body !== undefined && { body }),
    });
    counts.triples += questions.size;
    counts.graphql += questions.size;
    const context = { caller, path, body, expected: [...expected] };
    const readable = [...expected.values()].flatMap((one) => (one.kind === 'rows' ? one.rows : []));
    const isAny = [...expected.values()].some(({ kind }) => kind === 'any');
    checkMarks(answer, isAny ? { kind: 'any' } : { kind: 'rows', rows: readable }, context);
    const isAllowed = [...expected.values()].every(({ kind }) => kind === 'rows');
    if (answer.status === 304) {
      counts.notModified += 1;
      if (!isAllowed && !isAny) fail('304 in place of a refusal', answer, context);
      if (isAllowed && !tags.isOf(answer.headers.etag ?? '', [...expected]))
        fail('304 for others', answer, context);
      return;
    }
    const parsed = JSON.parse(answer.text) as { data?: Record<string, Result | null> | null };
    const data = parsed.data ?? {};
    for (const [alias, one] of expected) {
      const result = data[alias] ?? undefined;
      if (result === undefined) {
        counts.refused += 1;
        continue;
      }
      if (one.kind === 'refused') fail('an answer in place of a refusal', answer, context);
      counts.answered += 1;
      counts.rows += result.rows.length;
      const endpoint = questions.get(alias)?.endpoint;
      const rows = endpoint === undefined ? [] : result.rows.map((row) => asInRest(endpoint, row));
      if (one.kind === 'rows' && !isDeepStrictEqual(rows, one.rows)) fail('other rows', answer, context);
      if (result.rowCount !== rows.length) fail('another number of rows', answer, context);
    }
    if (Object.keys(data).some((alias) => !expected.has(alias)))
      fail('a field that was not asked for', answer, context);
    if (answer.status >= 500) fail('a failure', answer, context);
    const isComplete = [...expected.keys()].every((alias) => data[alias] != null);
    if (isAllowed && !isUnusual && !isComplete && !caller.isLimited)
      fail('a refusal in place of rows', answer, context);
    if (isAllowed && isComplete && answer.headers.etag !== undefined)
      tags.add(answer.headers.etag, key, [...expected]);
  };

  const agent = async (step: McpStep) => {
    const caller = callerOf(callers, step.caller);
    const { headers, body, question, isSql, partOf } = buildMcp(step, world, caller, cursors);
    const expected = expectedOf(world, caller, question);
    const answer = await gateways.send(step.gateway, {
      method: 'POST',
      path: '/mcp',
      headers: { ...caller.headers, ...headers },
      body,
    });
    counts.triples += 1;
    counts.agents += 1;
    const context = { caller, body, expected };
    checkMarks(answer, expected, context);
    if (answer.status !== 200) {
      if (caller.isValid && !caller.isLimited) fail('an unexpected status', answer, context);
      counts.refused += 1;
      return;
    }
    if (!caller.isValid) fail('an answer in place of a refusal', answer, context);
    const { result } = JSON.parse(answer.text) as { result?: McpResult };
    if (result === undefined || result.isError === true) {
      counts.refused += 1;
      const isRight = expected.kind !== 'rows' || isSql || caller.isLimited === true;
      if (!isRight && step.how === 'tool' && partOf !== undefined)
        fail('a refusal in place of rows', answer, context);
      return;
    }
    if (expected.kind === 'refused') fail('an answer in place of a refusal', answer, context);
    counts.answered += 1;
    const { rows, after } = result.structuredContent ?? {};
    if (after !== undefined && cursors.length < 100) cursors.push(after);
    if (rows === undefined || isSql || expected.kind !== 'rows') return;
    counts.rows += rows.length;
    const { endpoint } = question;
    const shown = rows.map((row) => momentsInRest(endpoint, row));
    if (partOf === undefined) {
      const own = expected.rows.map((row) => asForAgents(endpoint, row));
      const isOwn = shown.every((row) => own.some((one) => isDeepStrictEqual(one, row)));
      if (!isOwn) fail('other rows', answer, context);
      return;
    }
    const part = partOf(expected.rows);
    if (part !== expected.rows) counts.parts += 1;
    const right = part.slice(0, rows.length).map((row) => asForAgents(endpoint, row));
    if (!isDeepStrictEqual(shown, right)) fail('other rows', answer, context);
    if (result.structuredContent?.rowCount !== part.length) fail('another number of rows', answer, context);
  };

  const checkRefusal = (answer: Answer, caller: Caller, isUnusual: boolean, context: object) => {
    counts.refused += 1;
    if (answer.status === 429) counts.limited += 1;
    const allowed = [400, 414, ...(isUnusual ? [404, 431] : [])];
    // Wrong keys are slowed down.
    allowed.push(...(caller.isValid ? [403, 404] : [401, 429]), ...(caller.isLimited ? [429] : []));
    if (!allowed.includes(answer.status)) fail('an unexpected status', answer, context);
    if (answer.headers.etag !== undefined) fail('a tag with a refusal', answer, context);
  };

  const step = (one: Step): Promise<void> => {
    if (one.door === 'REST') return rest(one);
    if (one.door === 'GraphQL') return graphql(one);
    if (one.door === 'MCP') return agent(one);
    counts.redis += 1;
    return redis.run((client) => tamper(client as never, one));
  };
  return {
    counts,
    async check({ isTogether, steps }) {
      if (isTogether) await Promise.all(steps.map(step));
      else for (const one of steps) await step(one);
      const log = gateways.takeLog();
      for (const [, tenants] of log.matchAll(/"tenants":(\d+).*"query ran for many tenants"/g))
        counts.shared += Number(tenants);
      const [line] = log.match(/.*owner=\d+;row=.*/) ?? [];
      if (line !== undefined) throw new Error(`a row in the log: ${line}`);
    },
    close: () => closeAll(gateways, redis, callers.file),
  };
}

interface Result {
  readonly rows: readonly Record<string, unknown>[];
  readonly rowCount: number;
}

interface McpResult {
  readonly isError?: boolean;
  readonly structuredContent?: {
    readonly rows?: readonly Record<string, unknown>[];
    readonly rowCount: number;
    readonly after?: string;
  };
}

/** The columns that are compared, with moments in microseconds. */
function momentsInRest(endpoint: Endpoint, row: Readonly<Record<string, unknown>>): Compared {
  const isMoment = (cell: unknown): cell is string => typeof cell === 'string' && /^\d{4}-.*Z$/.test(cell);
  return Object.fromEntries(
    endpoint.columns.flatMap((name) => {
      const cell = row[name];
      if (cell === undefined) return [];
      return [[name, name === 'timestamp' && isMoment(cell) ? Date.parse(cell) * 1000 : cell]];
    }),
  );
}

async function closeAll(
  gateways: { close(): Promise<void> },
  redis: RedisServer,
  file: { remove(): void },
): Promise<void> {
  await gateways.close();
  await redis.close();
  file.remove();
}

/** No row but those that this caller may read with these questions, whatever the status is. */
function checkMarks(answer: Answer, expected: Expected, context: object): void {
  if (expected.kind === 'any') return;
  const readable = new Set(rowIdsIn(expected.kind === 'rows' ? JSON.stringify(expected.rows) : ''));
  const foreign = rowIdsIn(answer.text + JSON.stringify(answer.headers)).filter((id) => !readable.has(id));
  if (foreign.length > 0) fail(`rows of others: ${foreign.slice(0, 3).join(' ')}`, answer, context);
}

function compared(endpoint: Endpoint | undefined, row: Readonly<Record<string, unknown>>): Compared {
  const columns = endpoint?.columns ?? [];
  return Object.fromEntries(columns.flatMap((name) => (name in row ? [[name, row[name]]] : [])));
}

function keyOf({ endpoint, parameters }: Question): string {
  return JSON.stringify([endpoint.name, ...parameters]);
}

function fail(what: string, answer: Answer, context: object): never {
  throw new Error(
    `${what}: ${answer.status} ${answer.text.slice(0, 600)}\n${JSON.stringify(answer.headers)}\n${JSON.stringify(context).slice(0, 3_000)}`,
  );
}

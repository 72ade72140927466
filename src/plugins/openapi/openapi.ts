import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { checkOptions } from '../../config/option-rules.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { GatewayPlugin, RouteHost } from '../../gateway/plugin.ts';
import { mayQuery } from '../../call/gate.ts';
import { variesBy } from '../../http/message/cache-headers.ts';
import { CodedBody } from '../../http/message/content-coding.ts';
import { jsonType } from '../../http/message/reply.ts';
import type { Answer } from '../../http/message/route.ts';
import { ownerOf, mayPassSql, type Principal } from '../../keys/principal.ts';
import { openapiInSteps, type ReadersKey } from './document.ts';
import { jsonTexts } from './json-texts.ts';

/** Bytes of the documents that are kept, in all codings: keys of a team often permit the same endpoints. */
const maxKeptBytes = 16_000_000;

interface Rendered {
  readonly body: CodedBody;
  readonly etag: string;
}

/**
 * Describes REST: `GET /openapi.json` has the endpoints that the caller's key may query, as OpenAPI 3.1.
 *
 * @returns a plug-in for one gateway
 * @throws StartError if it is given an option
 */
export function openapi(options: Readonly<Record<string, never>> = {}): GatewayPlugin {
  checkOptions('openapi', options, {});
  return {
    name: 'openapi',
    routes: (catalog, host) => [
      {
        path: '/openapi.json',
        access: 'key',
        allowsCors: true,
        answer: buildOpenapi(catalog, host),
      },
    ],
  };
}

/** The endpoints that the key may query, as the GraphQL field `endpoints` lists them. */
function buildOpenapi(
  { queries }: Catalog,
  {
    turns,
    basePath,
    renderers,
    canFollow,
  }: Pick<RouteHost, 'turns' | 'basePath' | 'renderers' | 'canFollow'>,
): Answer {
  const kept = new LRUCache<string, Rendered>({
    maxSize: maxKeptBytes,
    sizeCalculation: ({ body }, key) => key.length + body.bytes,
  });
  return async ({ headers }, _request, { principal }) => {
    const visible = queries.filter((query) => mayQuery(principal, query));
    const options = {
      mayPassSql: mayPassSql(principal),
      renderers,
      canFollow,
      all: queries,
      key: readersKey(principal),
      basePath,
    };
    const key = JSON.stringify([options.mayPassSql, options.key, visible.map(({ id }) => id)]);
    let rendered = kept.get(key);
    if (rendered === undefined) {
      // A large catalog has megabytes of columns.
      await turns.wait(ownerOf(principal));
      const { bytes, digest } = await turns.run(ownerOf(principal), render(visible, options));
      // Weak: the same text has several codings.
      rendered = { body: await CodedBody.of(bytes), etag: `W/"${digest}"` };
      kept.set(key, rendered);
    }
    const { etag } = rendered;
    const { headers: ofBody, body } = rendered.body.in(headers['accept-encoding']);
    const common = { 'content-type': jsonType, etag, 'cache-control': 'private, no-cache', vary: variesBy };
    return { status: 200, headers: { ...common, ...ofBody }, body };
  };
}

/** More tenants are not listed: a form cannot offer them as choices. */
const maxListedTenants = 1_000;

function readersKey({ permissions, tenants }: Principal): ReadersKey {
  return {
    permissions: [...permissions].sort(),
    ...(tenants !== undefined && tenants.size <= maxListedTenants && { tenants: [...tenants].sort() }),
  };
}

function* render(queries: readonly SavedQuery[], options: Parameters<typeof openapiInSteps>[1]) {
  const hash = createHash('sha256');
  const parts: Buffer[] = [];
  for (const text of yield* jsonTexts(yield* openapiInSteps(queries, options))) {
    parts.push(Buffer.from(text));
    hash.update(text);
    yield;
  }
  return { bytes: Buffer.concat(parts), digest: hash.digest('base64url') };
}

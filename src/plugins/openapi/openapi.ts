import { LRUCache } from 'lru-cache';
import { checkOptions } from '../../config/option-rules.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { GatewayPlugin, RouteHost } from '../../gateway/plugin.ts';
import { mayQuery } from '../../call/gate.ts';
import { variesBy } from '../../http/message/cache-headers.ts';
import { chooseCoding } from '../../http/message/content-coding.ts';
import { jsonType } from '../../http/message/reply.ts';
import type { Answer } from '../../http/message/route.ts';
import { ownerOf, mayPassSql, type Principal } from '../../keys/principal.ts';
import { bytesOf, type Encodings, encode } from '../../results/encodings.ts';
import { joinParts } from '../../results/result-document.ts';
import { openapiInSteps, type ReadersKey } from './document.ts';
import { jsonTexts } from './json-texts.ts';

/** Bytes of the documents that are kept, in all codings: keys of a team often permit the same endpoints. */
const maxKeptBytes = 16_000_000;

interface Rendered {
  readonly encodings: Encodings;
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
  { turns, basePath, renderers }: Pick<RouteHost, 'turns' | 'basePath' | 'renderers'>,
): Answer {
  const kept = new LRUCache<string, Rendered>({
    maxSize: maxKeptBytes,
    sizeCalculation: ({ encodings }, key) => key.length + bytesOf(encodings),
  });
  return async ({ headers }, _request, { principal }) => {
    const visible = queries.filter((query) => mayQuery(principal, query));
    const options = {
      mayPassSql: mayPassSql(principal),
      renderers,
      all: queries,
      key: readersKey(principal),
      basePath,
    };
    const key = JSON.stringify([options.mayPassSql, options.key, visible.map(({ id }) => id)]);
    let rendered = kept.get(key);
    if (rendered === undefined) {
      // A large catalog has megabytes of columns.
      await turns.wait(ownerOf(principal));
      const { identity, digest } = await turns.run(ownerOf(principal), render(visible, options));
      // Weak: the same text has several codings.
      rendered = { encodings: await encode(identity), etag: `W/"${digest}"` };
      kept.set(key, rendered);
    }
    const { encodings, etag } = rendered;
    const coding = chooseCoding(encodings, headers['accept-encoding'] ?? '');
    const body = encodings[coding] ?? encodings.identity;
    return {
      status: 200,
      headers: {
        'content-type': jsonType,
        'content-length': String(body.byteLength),
        ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
        etag,
        'cache-control': 'private, no-cache',
        vary: variesBy,
      },
      body,
    };
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
  return yield* joinParts(yield* jsonTexts(yield* openapiInSteps(queries, options)));
}

import type { BrokenFile } from '../../catalog/folder/catalog-history.ts';
import type { Principal } from '../../keys/principal.ts';
import { type Reply, replyJson } from '../message/reply.ts';

/** The answers of `/readyz`. The service stays ready with broken files: their last good versions are served. */
export interface Readiness {
  brief(): Reply;
  /** `?verbose`, for anybody: numbers only. */
  verbose(): Reply;
  /** `?verbose`, for callers with a key: also the broken files if it has the permission `catalog` for all endpoints. */
  verboseFor(principal: Pick<Principal, 'permissions' | 'endpoints' | 'tenants'>): Reply;
}

/** The catalog that is served, compared with its files. */
export interface CatalogState {
  readonly queries: number;
  /** When this version was loaded. */
  readonly loadedAt: Date;
  readonly broken: readonly BrokenFile[];
  /** Why the files cannot be followed now. */
  readonly problem: string | undefined;
}

/** @param isReady false while the service shuts down */
export function buildReadiness(isReady: () => boolean, state: () => CatalogState): Readiness {
  const status = () =>
    isReady() ? ({ code: 200, status: 'ready' } as const) : ({ code: 503, status: 'ending' } as const);
  const reply = (details: object) => {
    const { code, status: word } = status();
    return replyJson(code, JSON.stringify({ status: word, ...details }));
  };
  const numbers = () => {
    const { queries, loadedAt, broken, problem } = state();
    const problems = broken.length + Number(problem !== undefined);
    return { queries, loaded_at: loadedAt.toISOString(), problems };
  };
  return {
    brief: () => reply({}),
    verbose: () => reply({ catalog: numbers() }),
    verboseFor({ permissions, endpoints, tenants }) {
      const maySeeAll = permissions.has('catalog') && endpoints === undefined && tenants === undefined;
      if (!maySeeAll) return reply({ catalog: numbers() });
      const { broken, problem } = state();
      return reply({
        catalog: { ...numbers(), ...(problem && { problem }), broken: broken.map(describeBroken) },
      });
    },
  };
}

/** Texts of the engine may quote SQL, which the permission shows too. */
function describeBroken({ file, problems, isServed, since }: BrokenFile): object {
  const [{ line, column, message } = { message: '' }] = problems;
  return {
    file,
    line,
    column,
    problem: message,
    more: problems.length - 1,
    served: isServed ? 'the last good version' : 'nothing',
    since: since.toISOString(),
  };
}

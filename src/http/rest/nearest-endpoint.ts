import { parseVersionName } from '../../catalog/model/version-name.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import type { Principal } from '../../keys/principal.ts';
import { mayQuery } from '../../call/gate.ts';
import { type Addressing, withoutExtension } from './address.ts';
import { nearestInAnyCase } from './meant-name.ts';

/** More endpoints than this are not compared with a name: a request for an unknown one must stay cheap. */
const maxCompared = 2_000;

/** Two mistakes in a short name make another name. */
const maxEdits = 2;

/** The error for an endpoint that does not exist, with the nearest name that this key may query, or the versions that there are. */
export function withNearestEndpoint(
  error: GatewayError,
  { catalog: { queries }, renderers }: Addressing,
  requested: string,
  principal: Principal,
): GatewayError {
  if (error.code !== 'UNKNOWN_QUERY' || requested.length > 200 || queries.length > maxCompared) return error;
  const address = withoutExtension(requested, renderers);
  const visible = queries.filter((query) => mayQuery(principal, query));
  const advice = versionsAdvice(visible, address) ?? nearestAdvice(visible, address);
  if (advice === undefined) return error;
  const { code, message, refusal } = error;
  return new GatewayError(code, `${message}; ${advice}`, { refusal });
}

function nearestAdvice(queries: readonly SavedQuery[], address: string): string | undefined {
  const names = queries.flatMap(({ name, aliases }) => [name, ...aliases]);
  const name = nearestInAnyCase(address, names, Math.min(maxEdits, Math.ceil(address.length / 4)));
  return name === undefined ? undefined : `did you mean ${name}?`;
}

function versionsAdvice(queries: readonly SavedQuery[], address: string): string | undefined {
  const { base } = parseVersionName(address);
  if (base === address) return undefined;
  const ofBase = queries.map(({ name }) => parseVersionName(name)).filter((one) => one.base === base);
  const versions = ofBase.map(({ version }) => version);
  if (versions.length === 0) return undefined;
  return `${base} has the version${versions.length === 1 ? '' : 's'} ${versions.join(', ')}`;
}

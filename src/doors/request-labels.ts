import type { Bound } from '../catalog/bind.ts';
import { labelValue } from '../catalog/labels.ts';
import type { SavedQuery } from '../catalog/saved-query.ts';
import { GatewayError } from '../errors.ts';

/** A request's own labels for the engine's bill, as in `LF-ENDPOINT-LABELS: team=web,session_id=42`. */
export const labelsHeader = 'LF-ENDPOINT-LABELS';

/**
 * The labels of a request that the query allows; others are ignored, as parameters that a query does not declare.
 *
 * @throws GatewayError BAD_REQUEST where an allowed label has a value that no label may have
 */
export function requestLabels({ labels: allowed }: SavedQuery, headers: Headers): Pick<Bound, 'labels'> {
  const given = headers.get(labelsHeader);
  if (given === null || allowed.length === 0) return {};
  const labels: Record<string, string> = {};
  for (const pair of given.split(',')) {
    const [key = '', value = ''] = pair.split('=', 2).map((part) => part.trim());
    if (!allowed.includes(key)) continue;
    if (!labelValue.test(value)) throw badLabel(key);
    labels[key] = value;
  }
  return { labels };
}

function badLabel(key: string): GatewayError {
  return new GatewayError(
    'BAD_REQUEST',
    `${labelsHeader}: ${key} must be up to 63 lowercase letters, digits, _ and -, as in ${key}=some-value`,
  );
}

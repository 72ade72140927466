import type { BoundQuery } from '../catalog/binding/bind.ts';
import { labelValue } from '../catalog/labels.ts';
import { GatewayError } from '../errors.ts';
import type { RequestHead } from './head.ts';

/** A request's own labels for the engine's bill, as in `LF-ENDPOINT-LABELS: team=web,session_id=42`. */
export const labelsHeader = 'LF-ENDPOINT-LABELS';

const headerName = labelsHeader.toLowerCase();

/**
 * The question with the labels of its request that the query allows; others are ignored, as parameters that a query does
 * not declare.
 *
 * @throws GatewayError BAD_REQUEST where an allowed label has a value that no label may have
 */
export function withLabels(bound: BoundQuery, header: RequestHead['header']): BoundQuery {
  const { labels: allowed } = bound.query;
  const given = allowed.length === 0 ? undefined : header(headerName);
  if (given === undefined) return bound;
  const labels: Record<string, string> = {};
  for (const pair of given.split(',')) {
    const [key = '', value = ''] = pair.split('=', 2).map((part) => part.trim());
    if (!allowed.includes(key)) continue;
    if (!labelValue.test(value)) throw badLabel(key);
    labels[key] = value;
  }
  return { ...bound, labels };
}

function badLabel(key: string): GatewayError {
  return new GatewayError(
    'BAD_REQUEST',
    `${labelsHeader}: ${key} must be up to 63 lowercase letters, digits, _ and -, as in ${key}=some-value`,
  );
}

import { GatewayError } from '../../errors.ts';
import type { Metrics } from '../../metrics/open-registry.ts';
import type { Answer } from '../message/route.ts';

/** `GET /metrics` beside the API: for keys with the permission `metrics`. */
export function buildMetricsRoute({ contentType, render }: Metrics): Answer {
  return async (_head, _request, { principal }) => {
    if (!principal.permissions.has('metrics')) {
      throw new GatewayError('FORBIDDEN', 'This key may not read metrics; it needs the permission metrics', {
        refusal: { reason: 'permission' },
      });
    }
    const text = await render();
    const headers = {
      'content-type': contentType,
      'content-length': String(Buffer.byteLength(text)),
      'cache-control': 'no-store',
    };
    return { status: 200, headers, body: text };
  };
}

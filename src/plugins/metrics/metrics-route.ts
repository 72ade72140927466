import { GatewayError } from '../../errors.ts';
import type { Answer } from '../../http/message/route.ts';
import { textFormatType } from './text-format.ts';

/** `GET /metrics` beside the API: for keys with the permission `metrics`. */
export function buildMetricsRoute(render: () => string): Answer {
  return (_head, _request, { principal }) => {
    if (!principal.permissions.has('metrics')) {
      throw new GatewayError('FORBIDDEN', 'This key may not read metrics; it needs the permission metrics', {
        refusal: { reason: 'permission' },
      });
    }
    const text = render();
    const headers = {
      'content-type': textFormatType,
      'content-length': String(Buffer.byteLength(text)),
      'cache-control': 'no-store',
    };
    return { status: 200, headers, body: text };
  };
}

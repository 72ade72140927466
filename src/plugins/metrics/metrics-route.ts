import { GatewayError } from '../../errors.ts';
import type { PluginRoute } from '../../http/message/route.ts';
import { textFormatType } from './text-format.ts';

export const metricsPath = '/metrics';

/** `GET /metrics` beside the API: for keys with the permission `metrics`. */
export const metricsRoute = (render: () => string): PluginRoute => ({
  path: metricsPath,
  access: 'key',
  answer(_head, _request, { principal }) {
    if (!principal.permissions.has('metrics')) {
      throw new GatewayError(
        'FORBIDDEN',
        'Metrics are read with a key that has the permission metrics, and with no token',
        {
          refusal: { reason: 'permission' },
        },
      );
    }
    const text = render();
    const headers = {
      'content-type': textFormatType,
      'content-length': String(Buffer.byteLength(text)),
      'cache-control': 'no-store',
    };
    return { status: 200, headers, body: text };
  },
});

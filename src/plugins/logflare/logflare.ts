import { checkOptions } from '../../config/option-rules.ts';
import type { GatewayPlugin } from '../../gateway/plugin.ts';
import { endpointPath } from '../../http/message/paths.ts';
import { buildCompatRest } from './answer-rest.ts';
import { replyLogflareError } from './reply-error.ts';
import { translateRequest } from './translate-request.ts';

/**
 * REST as clients of Logflare use it: requests are translated before they are handled, and REST answers as Logflare does.
 * Nothing else is changed. The table is in docs/logflare.md.
 *
 * @returns a plug-in for one gateway
 * @throws StartError if it is given an option
 */
export function logflare(options: Readonly<Record<string, never>> = {}): GatewayPlugin {
  checkOptions('logflare', options, {});
  return {
    name: 'logflare',
    translate: translateRequest,
    routes: (_catalog, { rest, isRestKept, addressOf, rejectKeys, renderers }) => [
      {
        path: `${endpointPath}*`,
        methods: ['GET', 'POST'],
        access: 'key',
        allowsCors: true,
        answer: buildCompatRest({ rest, addressOf, rejectKeys, renderers }),
        isKept: isRestKept,
        replyError: replyLogflareError,
        // The gateway knows which of them are endpoints.
        loggedPath: () => undefined,
      },
    ],
  };
}

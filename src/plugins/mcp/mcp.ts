import { agentLimits } from '../../config/engine-limits.ts';
import { checkOptions, optionRule, required, wholeNumber } from '../../config/option-rules.ts';
import type { GatewayPlugin } from '../../gateway/plugin.ts';
import type { OauthOptions } from './oauth/protected-resource.ts';

/** How saved queries are given to agents. */
export interface McpOptions {
  /** How many rows an answer has at most, from 1 to 10,000. Default: 100. */
  readonly maxRows?: number;
  /** Bytes of the text of an answer, and of its structured rows, from 4,096 to 1,000,000. Default: 32,768. */
  readonly maxBytes?: number;
  /** A folder of Markdown files, each of which is a prompt. Default: none. */
  readonly prompts?: string | undefined;
  /** Who issues tokens for agents; undefined: keys and tokens are given to them. */
  readonly oauth?: OauthOptions | undefined;
  /** Web origins, as in `https://dash.example.com`, whose pages may call; `*` means any. Default: those on this machine. */
  readonly origins?: readonly string[] | '*';
}

/**
 * Gives saved queries to agents as tools, by the Model Context Protocol: `POST /mcp`, with the keys, rates and tenants of REST.
 *
 * @returns a plug-in for one gateway
 * @throws StartError if an option is wrong
 */
export function mcp(options: McpOptions = {}): GatewayPlugin {
  checkMcpOptions(options);
  const { origins: listed = [], oauth, prompts } = options;
  const { maxRows = agentLimits.maxRows.byDefault, maxBytes = agentLimits.maxBytes.byDefault } = options;
  const origins = listed === '*' ? listed : listed.map((one) => new URL(one).origin);
  const limits = { maxRows, maxBytes };
  let modules: typeof import('./routes.ts');
  return {
    name: 'mcp',
    // The routes are loaded only where the plug-in is on.
    async open({ log }) {
      modules = await import('./routes.ts');
      // Requests read them again: what is wrong is to be known before the first one.
      if (prompts !== undefined) modules.promptsOf(prompts, log);
    },
    routes: (catalog, host) => modules.buildMcpRoutes(catalog, host, { limits, origins, oauth, prompts }),
  };
}

function checkMcpOptions(options: McpOptions): void {
  const { text, object, callerOrigins } = optionRule;
  checkOptions<McpOptions>('mcp', options, {
    maxRows: wholeNumber(agentLimits.maxRows),
    maxBytes: wholeNumber(agentLimits.maxBytes),
    prompts: { is: text.is, must: 'the path of a folder' },
    oauth: object,
    origins: callerOrigins,
  });
  if (options.oauth === undefined) return;
  const isUrl = (value: unknown) => typeof value === 'string' && URL.canParse(value);
  const rules = {
    resource: required({ is: isUrl, must: 'a URL, as in https://data.example.com/mcp' }),
    issuer: required(text),
  };
  checkOptions<OauthOptions>('mcp', options.oauth, rules, 'oauth.');
}

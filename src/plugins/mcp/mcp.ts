import { agentLimits, numberText } from '../../config/engine-limits.ts';
import { checkOptions, optionRule, required } from '../../config/option-rules.ts';
import { parseOrigin } from '../../config/web-origins.ts';
import { StartError } from '../../errors.ts';
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
  const { origins: listed = [], oauth, prompts, ...given } = options;
  const origins = listed === '*' ? listed : listed.flatMap((one) => parseOrigin(one) ?? []);
  const limits = limitsOf(given);
  let modules: typeof import('./routes.ts');
  return {
    name: 'mcp',
    // What answers is loaded only where it is on.
    async open() {
      modules = await import('./routes.ts');
    },
    routes: (catalog, host) => modules.buildMcpRoutes(catalog, host, { limits, origins, oauth, prompts }),
  };
}

function checkMcpOptions(options: McpOptions): void {
  const { text, number, object, callerOrigins } = optionRule;
  checkOptions<McpOptions>('mcp', options, {
    maxRows: number,
    maxBytes: number,
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

function limitsOf(given: Pick<McpOptions, keyof typeof agentLimits>) {
  const limitOf = (name: keyof typeof agentLimits) => given[name] ?? agentLimits[name].byDefault;
  const wrong = (['maxRows', 'maxBytes'] as const).filter((name) => {
    const { min, max } = agentLimits[name];
    return !Number.isInteger(limitOf(name)) || limitOf(name) < min || limitOf(name) > max;
  });
  const problems = wrong.map((name) => ({
    message: `${name}: got ${JSON.stringify(given[name])}; must be ${numberText(agentLimits[name])}`,
  }));
  if (problems.length > 0) throw new StartError('The options of mcp have problems', problems);
  return { maxRows: limitOf('maxRows'), maxBytes: limitOf('maxBytes') };
}

import { Option } from 'commander';
import type { CliCommand } from '../command.ts';

interface McpFlags {
  readonly url?: string;
  readonly demo?: boolean;
}

export const mcp: CliCommand<McpFlags> = {
  usage: 'mcp',
  description: 'answer agents over standard input and output, by the Model Context Protocol',
  settings: ['API_KEY', 'QUERIES_DIR', 'DATA_DIR', 'ENGINE', 'LOG_LEVEL'],
  options: [
    new Option(
      '--url <url>',
      'of a running gateway, to which API_KEY is sent; without it, one runs in this process',
    ),
    new Option('--demo', 'serve the queries and the data of the demo').conflicts('url'),
  ],
  hasBadStart: true,
  async run({ flags: { url, demo = false }, settings }) {
    const loaded = settings();
    const { serveStdio } = await import('../mcp/serve-stdio.ts');
    const { chooseQueries } = await import('../choose-queries.ts');
    // A gateway that runs already has its own queries.
    const chosen = url === undefined ? await chooseQueries(loaded, { demo, isBare: false }) : loaded;
    await serveStdio(chosen, url);
    return undefined;
  },
};

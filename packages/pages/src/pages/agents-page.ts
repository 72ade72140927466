import { basePath } from '../base-path.ts';
import { element, section } from '../element.ts';
import type { Snippet } from '../snippets/snippets.ts';
import { buildTabs, copyable, type Tab } from '../snippets/tabs.ts';

/** The page for those who give saved queries to an agent: where it connects, and a configuration to copy. */
export function showAgents(main: HTMLElement): void {
  const gateway = `${location.origin}${basePath}`;
  const status = element('p', { role: 'status', class: 'muted' });
  const tabs = clientsOf(gateway).map(
    ({ title, ...snippet }): Tab => ({ id: idOf(title), title, snippets: () => [snippetOf(title, snippet)] }),
  );
  const clients = buildTabs(tabs, undefined, () => {}, 'Clients');
  document.title = 'Agents – Querygate';
  main.replaceChildren(
    element('h1', {}, 'Agents'),
    element(
      'p',
      { class: 'summary' },
      'Claude, Cursor, VS Code and others get each saved query as a tool, by the Model Context Protocol.',
    ),
    section('endpoint', 'Endpoint', copyable({ title: 'URL', text: `${gateway}/mcp` }, status), status),
    section(
      'clients',
      'Configuration',
      element(
        'p',
        { class: 'muted' },
        'Give an agent a key of its own, bound to what it may read, in the environment variable QUERYGATE_KEY or in the place of “your key”.',
      ),
      clients.element,
    ),
  );
}

interface Client {
  readonly title: string;
  /** The file that it is for; undefined for a command. */
  readonly file?: string;
  readonly text: string;
}

const snippetOf = (title: string, { file, text }: Omit<Client, 'title'>): Snippet => ({
  title: file === undefined ? `command for ${title}` : `${file} of ${title}`,
  text,
});

const idOf = (title: string): string => title.toLowerCase().replaceAll(' ', '-');

/** @param gateway its URL, without a slash at its end */
function clientsOf(gateway: string): readonly Client[] {
  const url = `${gateway}/mcp`;
  const header = (key: string) => ({ Authorization: `Bearer ${key}` });
  return [
    {
      title: 'Claude Code',
      text: `claude mcp add --transport http querygate '${url}' --header "Authorization: Bearer $QUERYGATE_KEY"`,
    },
    {
      title: 'Cursor',
      file: '.cursor/mcp.json',
      text: json({ mcpServers: { querygate: { url, headers: header(`\${env:QUERYGATE_KEY}`) } } }),
    },
    {
      title: 'VS Code',
      file: '.vscode/mcp.json',
      text: json({
        servers: { querygate: { type: 'http', url, headers: header(`\${env:QUERYGATE_KEY}`) } },
      }),
    },
    {
      title: 'Claude Desktop',
      file: 'claude_desktop_config.json',
      text: json({
        mcpServers: {
          querygate: {
            command: 'npx',
            args: ['querygate', 'mcp', '--url', gateway],
            env: { API_KEY: 'your key' },
          },
        },
      }),
    },
    {
      title: 'curl',
      text: `curl -H "Authorization: Bearer $QUERYGATE_KEY" -H 'Content-Type: application/json' '${url}' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
    },
  ];
}

const json = (value: object): string => JSON.stringify(value, undefined, 2);

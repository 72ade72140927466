import type { Gateway } from '../../index.ts';

/**
 * The text that the gateway prints when it is ready: its endpoints, with commands to paste into a shell.
 *
 * @param shownKey the key itself, or a shell variable that contains it
 * @param served which pages are on
 */
export function startBanner(
  { examples }: Pick<Gateway, 'examples'>,
  origin: string,
  shownKey: string,
  served: { readonly pages: boolean; readonly mcp: object | undefined; readonly basePath?: string },
): string {
  const root = `${origin}${served.basePath ?? ''}`;
  const rest = examples.map((path) => `  curl -s -H "X-API-KEY: ${shownKey}" "${origin}${path}"`);
  const graphql = `  curl -s -H "X-API-KEY: ${shownKey}" -H "Content-Type: application/json" -d '{"query":"{ endpoints { name description } }"}' "${root}/graphql"`;
  const isVariable = shownKey.startsWith('$');
  const variable = isVariable
    ? `The commands below read the key from a variable; in another shell, first: export ${shownKey.slice(1)}=…

`
    : '';
  const pages = `Pages of the saved queries, in a browser:
  ${root}/

GraphiQL, in a browser (${isVariable ? 'type your key at the top' : 'the key is filled in'}):
  ${root}/graphql

`;
  const agents = `
Agents, by the Model Context Protocol (header Authorization: Bearer ${shownKey}):
  ${root}/mcp
`;
  return `
Querygate is ready.

${variable}${served.pages ? pages : ''}REST:
${rest.join('\n')}

GraphQL:
${graphql}
${served.mcp === undefined ? '' : agents}
`;
}

import { LRUCache } from 'lru-cache';
import type { RouteHost } from '../../../gateway/plugin.ts';
import { ownerOf, type Principal } from '../../../keys/principal.ts';
import { maxListedTools, searchTools } from '../definitions/search-tools.ts';
import { sqlTables } from '../definitions/sql-tables.ts';
import { sqlToolOf } from '../definitions/sql-tool.ts';
import { type Tool, toolOf } from '../definitions/tool.ts';
import type { NamedTool, ToolNames } from './tool-names.ts';

/** The tools of a key, as the JSON text of an array. It is the same text while the catalog and what the key permits are. */
export type ListTools = (principal: Principal) => string | Promise<string>;

/** Characters of lists that are kept: keys of a team often permit the same. */
const maxKeptLength = 8_000_000;

export function buildListTools(
  tools: ToolNames,
  { sandboxOf, turns }: Pick<RouteHost, 'sandboxOf' | 'turns'>,
): ListTools {
  const definition = ({ name, endpoint, takesSql }: NamedTool, tenants: Principal['tenants']): Tool => {
    const sandbox = takesSql ? sandboxOf(endpoint.query) : undefined;
    return sandbox === undefined
      ? toolOf(name, endpoint, tenants)
      : sqlToolOf(name, endpoint.query, sqlTables(sandbox), tenants);
  };
  const kept = new LRUCache<string, string>({
    maxSize: maxKeptLength,
    sizeCalculation: (text, key) => text.length + key.length,
  });
  return (principal) => {
    const listed = tools.listed(principal);
    if (listed.length > maxListedTools) return JSON.stringify(searchTools(listed.length));
    const { tenants } = principal;
    // Of a key with one tenant, no tool names it.
    const tenantKey = tenants === undefined ? null : tenants.size === 1 ? 1 : [...tenants].sort();
    const key = JSON.stringify([tenantKey, listed.map(({ name }) => name)]);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = turns.compute(ownerOf(principal), definitions(listed, tenants));
    return made.then((tools) => {
      const text = JSON.stringify(tools);
      kept.set(key, text);
      return text;
    });
  };

  /** In steps: the tables of a tool for SQL are compiled when they are first listed, which takes some milliseconds each. */
  function* definitions(listed: readonly NamedTool[], tenants: Principal['tenants']) {
    const tools: Tool[] = [];
    for (const tool of listed) {
      if (tool.takesSql && tools.length > 0) yield;
      tools.push(definition(tool, tenants));
    }
    return tools;
  }
}

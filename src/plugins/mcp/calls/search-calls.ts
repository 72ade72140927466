import { ownerOf } from '../../../keys/principal.ts';
import { parseJson } from '@querygate/text';
import { seenBySql } from '../../../catalog/binding/caller-sql.ts';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import type { RouteHost } from '../../../gateway/plugin.ts';
import { memoize } from '../../../memoize.ts';
import { describeQuery } from '../definitions/describe-query.ts';
import { unknownSchema } from '../definitions/output-schema.ts';
import { sqlArguments } from '../definitions/sql-tool.ts';
import { sqlTables } from '../definitions/sql-tables.ts';
import { searchNames } from '../definitions/search-tools.ts';
import { isMembers, type JsonMembers } from '../protocol/message.ts';
import { resultText } from '../protocol/result-text.ts';
import { csvCell } from '../rows/cells.ts';
import type { CallRequest } from './call-request.ts';
import type { CallAnswer } from './query-calls.ts';
import { WrongArguments } from './read-call.ts';
import { nearOf } from './suggest.ts';
import type { NamedTool, ToolNames } from './tool-names.ts';

/** Answers that need no rows. @throws WrongArguments */
export type CallSearch = (
  tool: string,
  given: JsonMembers,
  request: CallRequest,
) => CallAnswer | Promise<CallAnswer>;

/** Queries of one answer. */
const maxFound = 20;

/** Characters of a search that are read, and words: each is looked for in all texts of all queries. */
const [maxSearched, maxWords] = [1_000, 20];

/** Queries that are searched in one step: a millisecond of work. */
const stepLength = 50;

export function buildCallSearch(
  tools: ToolNames,
  { sandboxOf, turns }: Pick<RouteHost, 'sandboxOf' | 'turns'>,
): CallSearch {
  const find = async (given: JsonMembers, { admission }: CallRequest) => {
    requireOnly(given, ['text']);
    const { text = '' } = given;
    if (typeof text !== 'string') throw new WrongArguments('text: send words, as text');
    const { principal } = admission;
    const ranked = await turns.compute(ownerOf(principal), rank(tools.listed(principal), wordsOf(text)));
    const queries = ranked
      .slice(0, maxFound)
      .map(({ tool: { name, endpoint } }) => ({ name, description: endpoint.query.description }));
    const lines = queries.map(({ name, description }) => [name, description].map(csvCell).join(','));
    const rest = ranked.length > queries.length ? [`${ranked.length - queries.length} more: add words`] : [];
    const shown =
      queries.length > 0
        ? ['name,description', ...lines, ...rest]
        : ['No query has one of these words: try others'];
    return { text: shown.join('\n'), structured: { queries, found: ranked.length } };
  };
  const describe = (given: JsonMembers, request: CallRequest) => {
    requireOnly(given, ['name']);
    const { name, endpoint, takesSql } = namedTool(tools, given, request);
    const sandbox = takesSql ? sandboxOf(endpoint.query) : undefined;
    const described = {
      ...describeQuery(
        name,
        takesSql ? seenBySql(endpoint.query) : endpoint.query,
        request.admission.principal,
        tools.sqlToolOf(endpoint)?.name,
      ),
      ...(sandbox && {
        outputSchema: unknownSchema,
        furtherArguments: Object.values(sqlArguments),
        tables: sqlTables(sandbox),
      }),
    };
    return { text: JSON.stringify(described), structured: described };
  };
  return (tool, given, request) => {
    const answer = ({ text, structured }: { readonly text: string; readonly structured: object }) => {
      const members = {
        content: JSON.stringify([{ type: 'text', text }]),
        structuredContent: JSON.stringify(structured),
      };
      return { bytes: Buffer.from(resultText(request.era, members)), facts: Object.freeze({ tool }) };
    };
    return tool === searchNames.find ? find(given, request).then(answer) : answer(describe(given, request));
  };
}

/** The tools that have one of the words, or all if there are no words; the best one first. */
function* rank(listed: readonly NamedTool[], words: readonly string[]) {
  const found: { readonly tool: NamedTool; readonly score: number }[] = [];
  for (const [at, tool] of listed.entries()) {
    if (at % stepLength === stepLength - 1) yield;
    const score = scoreOf(tool, words);
    if (words.length === 0 || score > 0) found.push({ tool, score });
  }
  return found.sort((a, b) => b.score - a.score);
}

function wordsOf(text: string): readonly string[] {
  const words = text
    .slice(0, maxSearched)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  return [...new Set(words)].slice(0, maxWords);
}

/** The query that `run_query` is to run, with its arguments. @throws WrongArguments */
export function searchedCall(
  tools: ToolNames,
  given: JsonMembers,
  request: CallRequest,
): { readonly tool: NamedTool; readonly given: JsonMembers } {
  requireOnly(given, ['name', 'parameters'], 'belongs into parameters');
  const { parameters = {} } = given;
  const members = typeof parameters === 'string' ? objectIn(parameters) : parameters;
  if (!isMembers(members)) throw new WrongArguments('parameters: must be an object, as in {"name": "value"}');
  return { tool: namedTool(tools, given, request), given: members };
}

function requireOnly(
  given: JsonMembers,
  known: readonly string[],
  advice = `there is no such argument, only ${known}`,
): void {
  const other = Object.keys(given).find((name) => !known.includes(name));
  if (other !== undefined) throw new WrongArguments(`${JSON.stringify(other.slice(0, 60))}: ${advice}`);
}

/** Some models write an object whose members they do not know as text. */
function objectIn(text: string): unknown {
  try {
    return text.trim() === '' ? {} : parseJson(text);
  } catch {
    return undefined;
  }
}

function namedTool(tools: ToolNames, { name }: JsonMembers, { admission }: CallRequest): NamedTool {
  if (typeof name !== 'string')
    throw new WrongArguments(`name: is required: the name of a query, as ${searchNames.find} gives it`);
  const found = tools.findListed(name, admission.principal);
  if (found !== undefined) return found;
  const nearest = nearOf(
    name,
    tools.listed(admission.principal).map((one) => one.name),
  );
  throw new WrongArguments(
    `name: there is no query ${JSON.stringify(name.slice(0, 60))}${nearest === undefined ? '' : `; the nearest is ${nearest}`}; ${searchNames.find} finds others`,
  );
}

/** Words in a name count more than others. */
const scoreOf = ({ name, endpoint: { query } }: NamedTool, words: readonly string[]): number => {
  const texts = [{ text: name.toLowerCase(), weight: 4 }, ...searchedTexts(query)];
  return words.reduce(
    (sum, word) => sum + Math.max(0, ...texts.map(({ text, weight }) => (text.includes(word) ? weight : 0))),
    0,
  );
};

/** Words have no character that is between two texts. */
const searchedTexts = memoize(({ description, tags = [], parameters, columns }: SavedQuery) => {
  const named = [...parameters, ...columns];
  return [
    { texts: [description, ...tags], weight: 2 },
    { texts: named.map(({ name }) => name), weight: 1 },
    { texts: named.map((one) => one.description), weight: 0.5 },
  ].map(({ texts, weight }) => ({ text: texts.join('\n').toLowerCase(), weight }));
});

import type { RawParameters } from '../../../catalog/binding/bind.ts';
import { endpointPath } from '../../../http/message/paths.ts';

/** Where a caller reaches the gateway, as in `https://data.example.com/warehouse`; undefined if that is not known. */
export function originOf(
  url: URL,
  forwardedProtocol: string | undefined,
  basePath: string,
): string | undefined {
  // A name that leads nowhere (RFC 2606): the gateway has no socket.
  if (url.hostname.endsWith('.invalid')) return undefined;
  const protocol = forwardedProtocol === 'https' ? 'https:' : url.protocol;
  const origin = `${protocol}//${url.host}`;
  // It becomes part of a command.
  return /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i.test(origin) ? origin + basePath : undefined;
}

/** Longer URLs are refused. */
const maxUrlLength = 4_000;

/** Commands that write all rows of a result to a file, outside of the context of a model; none if they would not work. */
export function downloadCommands(
  name: string,
  parameters: RawParameters,
  origin: string | undefined,
): readonly string[] {
  if (origin === undefined) return [];
  // With an extension it may be the name of another query.
  const urls = ['csv', 'parquet'].map((format) => ({
    file: `${name}.${format}`,
    url: `${origin}${endpointPath}${name}${searchOf(new Map([['format', [format]], ...parameters]))}`,
  }));
  return urls
    .filter(({ url }) => url.length <= maxUrlLength)
    .map(({ file, url }) => `curl -s --compressed -H "X-API-KEY: $API_KEY" -o ${file} '${url}'`);
}

/** A query string, with its question mark. No character of it means anything to a shell within single quotes. */
function searchOf(parameters: RawParameters): string {
  const pairs = [...parameters].flatMap(([name, values]) => values.map((value) => [name, value]));
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

const resultScheme = 'querygate://result/';

/** The rows of a saved query with parameters, as a resource. */
export const resultUri = (name: string, parameters: RawParameters): string =>
  `${resultScheme}${name}${searchOf(parameters)}`;

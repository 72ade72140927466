import type { Caller } from './callers.ts';
import type { Endpoint } from './endpoints.ts';
import type { Question } from './oracle.ts';
import { endpointOf, othersOf, type RestStep, textOf } from './steps.ts';
import type { World } from './world.ts';

export interface RestRequest {
  readonly method: string;
  readonly path: string;
  /** What the query string asks for; undefined if it is not a question, because a parameter is repeated. */
  readonly question: Question | undefined;
  /** True if the address may also not be found, or be too long. */
  readonly isUnusual: boolean;
}

const plain = (text: string) => encodeURIComponent(text.toWellFormed());
const allEncoded = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

const spell: Readonly<Record<RestStep['spelling'], (text: string) => string>> = {
  plain,
  'all encoded': allEncoded,
  plus: (text) => plain(text).replaceAll('%20', '+'),
  twice: (text) => plain(plain(text)),
};

export function buildRest(step: RestStep, world: World, caller: Caller): RestRequest {
  const endpoint = endpointOf(step.endpoint);
  const encode = spell[step.spelling];
  const name = endpoint.tenant ?? 'project';
  const first = `${plain(name)}=${encode(textOf(step.value, world, caller))}`;
  const second = encode(textOf(step.second, world, caller));
  const others = othersOf(endpoint, step.others).map(([other, text]) => `${plain(other)}=${plain(text)}`);
  const query = [...withExtra(step, name, first, second), ...others].join('&');
  const path = `/api/endpoints/query/${addressOf(endpoint, step.address)}?${query}`;
  return {
    method: step.method,
    path,
    question: questionOf(endpoint, query.split('#')[0] ?? ''),
    isUnusual: !['name', 'id'].includes(step.address) || path.includes('#') || path.length > 3_000,
  };
}

function withExtra({ more }: RestStep, name: string, first: string, second: string): readonly string[] {
  switch (more) {
    case 'repeated':
      return [first, `${name}=${second}`];
    case 'repeated before':
      return [`${name}=${second}`, first];
    case 'repeated the same':
      return [first, first];
    case 'brackets':
      return [`${name}[]=${second}`, first];
    case 'index':
      return [first, `${name}[0]=${second}`];
    case 'upper case':
      return [`${name.toUpperCase()}=${second}`, first, `${name.toUpperCase()}=${second}`];
    case 'semicolon':
      return [`${first};${name}=${second}`];
    case 'space':
      return [`%20${name}=${second}`, first, `${name}%20=${second}`, `${name}%00=${second}`];
    case 'unknown':
      return [`tenant_id=${second}`, first, `__proto__=${second}`];
    case 'fragment':
      return [`${first}#${second}`];
    default:
      return [first];
  }
}

function addressOf({ name, id }: Endpoint, address: RestStep['address']): string {
  switch (address) {
    case 'id':
      return id;
    case 'upper case':
      return id.toUpperCase();
    case 'encoded':
      return allEncoded(name);
    case 'slash':
      return `${name}/`;
    case 'dots':
      return `x/../${name}`;
    default:
      return name;
  }
}

/** What a query string says, as WHATWG reads it. */
function questionOf(endpoint: Endpoint, query: string): Question | undefined {
  const read = new URLSearchParams(query);
  const names = [
    ...(endpoint.tenant === undefined ? [] : [endpoint.tenant]),
    ...Object.keys(endpoint.others),
  ];
  const values = names.map((name) => [name, read.getAll(name)] as const);
  if (values.some(([, texts]) => texts.length > 1)) return undefined;
  // Brackets behind a parameter that is not a list are refused.
  if ([...read.keys()].some((key) => names.some((name) => key.startsWith(`${name}[`)))) return undefined;
  return { endpoint, parameters: new Map(values.map(([name, [text = '']]) => [name, text])) };
}

import { basePath } from '../base-path.ts';
import { element } from '../element.ts';
import type { Json } from '../json.ts';

/** The OpenAPI document as far as people read it. */
interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly default?: Json;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly 'x-unit'?: string;
  readonly $ref?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly description?: string;
  readonly example?: Json;
  readonly 'x-row-argument'?: boolean;
}

interface Response {
  readonly description?: string;
  readonly content?: Readonly<
    Record<string, { readonly schema?: { readonly properties?: { readonly result?: Schema } } }>
  >;
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

interface Reference {
  readonly $ref: string;
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
}

type Resolve = <Part extends object>(part: Part | Reference) => Part;

/** The page that describes REST: each endpoint with its parameters, columns and responses. */
export function showOpenapi(main: HTMLElement, openapi: object): void {
  const spec = openapi as Document;
  const resolve: Resolve = (part) =>
    '$ref' in part && typeof part.$ref === 'string' ? (find(spec, part.$ref) as never) : (part as never);
  const operations = Object.entries(spec.paths).map(([path, { get }]) => ({ path: basePath + path, get }));
  document.title = 'REST interface – Querygate';
  main.replaceChildren(
    element('h1', {}, 'REST interface'),
    element(
      'p',
      { class: 'muted' },
      `${operations.length} paths. For programs: `,
      element('code', {}, `${location.origin}${basePath}/openapi.json`),
    ),
    element(
      'nav',
      { 'aria-label': 'Endpoints' },
      element(
        'ul',
        { class: 'operations' },
        ...operations.map(({ path, get: { operationId, summary = '' } }) =>
          element(
            'li',
            {},
            element('a', { href: `#${operationId}` }, path),
            element('div', { class: 'muted' }, summary),
          ),
        ),
      ),
    ),
    ...operations.map(({ path, get }) => operationSection(path, get, resolve)),
  );
  // The browser has looked for it before it was there.
  if (location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

const find = (spec: object, ref: string): unknown =>
  ref
    .split('/')
    .slice(1)
    .reduce<unknown>((found, name) => (found as Record<string, unknown>)[name], spec);

function operationSection(path: string, operation: Operation, resolve: Resolve): HTMLElement {
  const { operationId, summary = '', description = '', responses } = operation;
  const parameters = (operation.parameters ?? []).map((one) => resolve<Parameter>(one));
  const places = [
    ['path', 'Path'],
    ['query', 'Parameters'],
    ['header', 'Headers'],
  ] as const;
  const result = resolve<Response>(responses['200'] ?? {}).content?.['application/json']?.schema?.properties
    ?.result;
  const row = result?.items && resolve<Schema>(result.items as Schema);
  return element(
    'section',
    { id: operationId },
    element('h2', {}, element('code', {}, `GET ${path}`)),
    element('p', {}, summary),
    ...(description === '' ? [] : [element('p', { class: 'muted' }, description)]),
    element(
      'pre',
      { class: 'raised', tabindex: 0, role: 'region', 'aria-label': `curl command of ${path}` },
      curl(path, parameters),
    ),
    ...places.flatMap(([place, caption]) => {
      const own = parameters.filter((one) => one.in === place);
      return own.length === 0
        ? []
        : [table(caption, path, ['Name', 'Type', 'Required', 'Default', 'Meaning'], own.map(parameterRow))];
    }),
    ...(row?.properties === undefined
      ? []
      : [table('Columns of a row', path, ['Name', 'Type', 'Unit', 'Present', 'Meaning'], columnRows(row))]),
    table(
      'Responses',
      path,
      ['Status', 'Meaning'],
      Object.entries(responses).map(([code, response]) => [
        code,
        resolve<Response>(response).description ?? '',
      ]),
    ),
  );
}

const parameterRow = ({ name, required = false, schema, description = '' }: Parameter) => [
  name,
  typeText(schema),
  required ? 'yes' : 'no',
  schema.default === undefined ? '' : String(schema.default),
  description,
];

const columnRows = ({ properties = {}, required = [] }: Schema) =>
  Object.entries(properties).map(([name, schema]) => [
    name,
    typeText(schema),
    schema['x-unit'] ?? '',
    required.includes(name) ? 'always' : 'unless NULL',
    schema.description ?? '',
  ]);

function typeText({ type = 'any JSON', format, items = {}, enum: values }: Schema): string {
  if (type === 'array') return `array of ${typeText(items)}`;
  if (values !== undefined) return values.join(', ');
  return format === undefined ? type : `${type} (${format})`;
}

/** @param of what the rows are about: there are tables of the same kind on the page */
function table(
  caption: string,
  of: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): HTMLElement {
  const made = element(
    'table',
    {},
    element('caption', {}, caption),
    element('thead', {}, element('tr', {}, ...heads.map((text) => element('th', { scope: 'col' }, text)))),
    element(
      'tbody',
      {},
      ...rows.map(([first = '', ...rest]) =>
        element(
          'tr',
          {},
          element('th', { scope: 'row' }, element('code', {}, first)),
          ...rest.map((text) => element('td', {}, text)),
        ),
      ),
    ),
  );
  return element(
    'div',
    { class: 'scroll described', tabindex: 0, role: 'region', 'aria-label': `${caption}: ${of}` },
    made,
  );
}

function curl(path: string, parameters: readonly Parameter[]): string {
  const values = parameters.filter(
    (one) =>
      one.in === 'query' &&
      (one.required === true || (one.example !== undefined && one['x-row-argument'] !== true)),
  );
  const pairs = ({ name, example = '…' }: Parameter) =>
    (Array.isArray(example) ? example : [example]).map(
      (value) => `${name}=${encodeURIComponent(String(value)).replaceAll("'", '%27')}`,
    );
  const query = values.flatMap(pairs).join('&');
  const [format = ''] = parameters.find((one) => one.in === 'path')?.schema.enum ?? [];
  const url = `${location.origin}${path.replace('{format}', format)}${query === '' ? '' : '?'}${query}`;
  return `curl -H "X-API-KEY: $API_KEY" '${url}'`;
}

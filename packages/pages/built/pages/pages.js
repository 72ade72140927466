// base-path.ts
const module0 = (() => {
/** The path below which the gateway is, as in `/warehouse`, by that of its scripts; empty for the root. */
const basePath =
  /^(?<base>.*)\/assets\/pages\//.exec(new URL(import.meta.url).pathname)?.groups?.base ?? '';

return { basePath };
})();
// element.ts
const module1 = (() => {
                                                                                  

/**
 * An element with attributes and children. Text becomes text, never markup: it comes from rows, and from the authors of
 * queries.
 *
 * @param attributes `true` is an attribute without a value; `false` and undefined are left out
 */
function element                                          (
  name      ,
  attributes             = {},
  ...children                            
)                              {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(...children);
  return made;
}

function button(text        , onClick            , attributes             = {})                    {
  const made = element('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', onClick);
  return made;
}

/** A section with a heading, which names it for screen readers. */
function section(id        , heading        , ...children                            )              {
  const title = element('h2', { id: `${id}-heading` }, heading);
  return element('section', { id, 'aria-labelledby': title.id }, title, ...children);
}

/** An element of the page itself. */
function find                           (id        )        {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element ${id}`);
  return found         ;
}

return { element, button, section, find };
})();
// endpoint.ts
const module2 = (() => {
const { basePath } = module0;
                                                  

/** The JSON Schema of a parameter's value, as far as a form shows it. */
                              
                         
                           
                                    
                                                     
                                                 
                                           
                                                             
                          
                                                                                   
                                       
                            
                            
                               
 

                            
                        
                               
                             
                               
                                                 
                                      
                                                              
                                       
                             
                             
                        
 

                         
                        
                                                                           
                        
                             
                                    
                             
                               
 

                          
                                       
                       
                                                            
                            
 

/** The same as a GraphQL operation. */
                            
                            
                                        
                                                       
 

/** An endpoint as the OpenAPI document describes it. */
                           
                        
                        
                           
                               
                                 
                                            
                                      
                                       
                                        
                                     
                                                  
                                      
 

/** What the key permits. */
                             
                                          
                                             
                                       
 

                     
                            
                                
                                
                                                
                                                                                                         
                                 
                                          
 

                        
                         
                        
                      
                                
                              
                               
                          
                                
                             
 

                   
                                                                                 
 

                        
                             
                                             
 

                     
                                                              
                                        
 

                        
                         
                                
                             
                             
 

                                  
                                                                        
                                                                                 
                                
 

const endpointPath = '/api/endpoints/query/';

/** The endpoints of the document, by name. */
function endpointsOf(document                 )                      {
  return Object.entries(document.paths)
    .flatMap(([path, { get }]) =>
      get['x-graphql'] === undefined ? [] : [endpointOf(document, path, get, get['x-graphql'])],
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function endpointOf(
  document                 ,
  path        ,
  operation           ,
  graphql                  ,
)           {
  const { summary = '', description = '', deprecated = false, parameters = [], responses } = operation;
  const result = responses['200']?.content?.['application/json']?.schema?.properties?.result;
  const rowName = result?.items.$ref?.split('/').at(-1) ?? '';
  const files = document.paths[`${path}.{format}`]?.get.parameters ?? [];
  return {
    name: path.slice(endpointPath.length),
    path: basePath + path,
    summary,
    description,
    isDeprecated: deprecated,
    parameters: parameters.flatMap((raw) => (raw.in === 'query' ? [parameterOf(raw)] : [])),
    columns: columnsOf(document.components.schemas[rowName]),
    maxRows: result?.maxItems,
    caching: operation['x-caching'],
    graphql,
    formats: files.find((parameter) => parameter.in === 'path')?.schema.enum ?? [],
  };
}

function parameterOf(raw              )            {
  const { name, description = '', required = false, schema, example } = raw;
  return {
    name,
    // The values of an enum follow, which the form shows as choices.
    description: description.split('\n\n- `', 1)[0] ?? '',
    required,
    schema,
    // The gateway writes `example` where the author gives no example.
    example: textsOf(example).filter((text) => text !== 'example'),
    fallback: textsOf(schema.default ?? schema['x-relative-default']),
    isTenant: raw['x-tenant'] === true,
    bind: raw['x-bind'] ?? 'STRING',
  };
}

function textsOf(value                  )                    {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? (value                   ) : [value]).map(String);
}

const columnsOf = (row                       )                    =>
  Object.entries(row?.properties ?? {}).map(([name, schema]) => ({
    name,
    type: schema['x-type'] ?? schema.type ?? 'json',
    repeated: schema.type === 'array',
    unit: schema['x-unit'],
    required: row?.required?.includes(name) ?? false,
    description: schema.description ?? '',
  }));

/** The value of a column; undefined for NULL. A column may have the name of a member of `Object.prototype`. */
function valueIn(row            , { name }        )                   {
  const value = Object.hasOwn(row, name) ? row[name] : undefined;
  return value === null ? undefined : value;
}

return { endpointsOf, valueIn };
})();
// json.ts
const module3 = (() => {
/** A value of a JSON text; integers that a number cannot hold exactly are BigInt. */
                                                                                            

                             
                                
 

/** Browsers pass the text of a value to the reviver; older ones do not. */
                                                                                                

const parseWith = JSON.parse                                                ;

/** Integers that may be beyond 2^53 = 9007199254740992. Timestamps of this century, in microseconds, are smaller. */
const mayHoldLargeIntegers = /(?<![.\d])(?:\d{17}|9\d{15})/;

/** As JSON.parse, without losing digits of integers. @throws SyntaxError */
function parseJson(text        )       {
  // A function for each value takes several times as long.
  return parseWith(text, mayHoldLargeIntegers.test(text) ? exactInteger : undefined)        ;
}

const exactInteger          = (_key, value, context) =>
  typeof value === 'number' &&
  !Number.isSafeInteger(value) &&
  context?.source !== undefined &&
  /^-?\d+$/.test(context.source)
    ? BigInt(context.source)
    : value;

/** A value as JSON text that people read. */
function jsonText(value      , indent = '')         {
  if (typeof value === 'bigint') return String(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}  `;
  const items = Array.isArray(value)
    ? (value                   ).map((item) => jsonText(item, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${jsonText(item, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (items.length === 0) return `${open}${close}`;
  return `${open}\n${inner}${items.join(`,\n${inner}`)}\n${indent}${close}`;
}

return { parseJson, jsonText };
})();
// gateway.ts
const module4 = (() => {
const { basePath } = module0;
                                                     
const {                  parseJson } = module3;

/** The gateway's error, or the lack of a response. */
class GatewayError extends Error {
  /** 0 if there was no answer. */
           status        ;
           parameter                    ;
           retryAfterSeconds                    ;

  constructor(
    message        ,
    { status, parameter, retryAfter }                                                                    ,
  ) {
    super(message);
    this.status = status;
    this.parameter = parameter;
    // A proxy may send a date.
    this.retryAfterSeconds = /^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined;
  }
}

/** The response to a query that succeeds. */
                               
                                       
                            
 

/** Requests with one key. */
                          
                                      
                                                                     
                                                                                
                                                                             
                                  
                                     
 

function openGateway(key        )          {
  const request = async (url        , init              = {}) => {
    // fetch would reject it with a message about ByteStrings.
    if (!/^[\x21-\x7e]+$/.test(key)) throw new GatewayError('This is not an API key.', { status: 401 });
    let response          ;
    try {
      const headers = { authorization: `Bearer ${key}`, ...init.headers };
      // The browser sends the ETag of its own cache: rows that are the same are not transferred again.
      response = await fetch(url, { cache: 'no-cache', ...init, headers });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new GatewayError('The gateway did not answer. Is it running, and is this device online?', {
        status: 0,
      });
    }
    if (!response.ok) throw await errorOf(response);
    return response;
  };
  return {
    async openapi() {
      const document = await (await request(`${basePath}/openapi.json`)).json().catch(notTheGateways);
      return document?.paths === undefined ? notTheGateways() : document;
    },
    async rows(url, signal, again) {
      const init = { signal, ...(again && { cache: 'reload'          }) };
      const response = await request(url, init);
      const body = bodyOf(await textOf(response, signal));
      if (!Array.isArray(body.result)) throw compatError(body.error ?? 'There are no rows.', response.status);
      return { rows: body.result, headers: response.headers };
    },
    async file(url) {
      const response = await request(url);
      const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
      const blob = await response.blob().catch(cutShort);
      const start = await blob.slice(0, compatStart.length).text();
      if (start === compatStart)
        throw compatError((JSON.parse(await blob.text())            ).error ?? '', 200);
      return { blob, name: name ?? new URL(url, location.origin).pathname.split('/').at(-1) ?? 'rows' };
    },
    async sql(name) {
      const query = 'query EndpointSql($name: String!) { endpoint(name: $name) { query } }';
      const response = await request(`${basePath}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables: { name } }),
      });
      const { data, errors } = (await response.json())     
                                                 
                                       
       ;
      const sql = data?.endpoint?.query;
      if (sql === undefined || sql === null) {
        throw new GatewayError(errors?.[0]?.message ?? 'The SQL is not available.', { status: 200 });
      }
      return sql;
    },
  };
}

/** With `COMPAT=logflare` the error is a text, and the status 200 if the query has failed. */
                    
                                          
                          
 

const compatStart = '{"error":';

/** Such a text begins with the parameter that is wrong, if it is one. */
function compatError(message        , status        )               {
  const parameter = /^(\w+): /.exec(message)?.[1];
  return new GatewayError(message, { status, ...(parameter !== undefined && { parameter }) });
}

async function textOf(response          , signal             )                  {
  return response.text().catch((error         ) => {
    if (signal.aborted) throw error;
    return cutShort();
  });
}

const cutShort = ()        => {
  throw new GatewayError('The response was cut short; run the query again.', { status: 0 });
};

/** For example the page of a proxy that wants people to log in. */
const notTheGateways = ()        => {
  throw new GatewayError('Something between this page and the gateway answered in its place.', { status: 0 });
};

function bodyOf(text        )           {
  try {
    return (parseJson(text)                   ) ?? notTheGateways();
  } catch {
    return notTheGateways();
  }
}

/** `{"error":{code,message,parameter}}`, or what a proxy in between answers. */
async function errorOf(response          )                        {
  const { status, statusText, headers } = response;
  const retryAfter = headers.get('retry-after');
  try {
    const body = (await response.json())     
                                                               
                                     
     ;
    if (typeof body.error === 'string') return compatError(body.error, status);
    const message = body.error?.message ?? body.errors?.[0]?.message ?? `${status} ${statusText}`;
    const parameter = body.error?.parameter;
    return new GatewayError(message, { status, retryAfter, ...(parameter !== undefined && { parameter }) });
  } catch {
    return new GatewayError(`The gateway answered ${status} ${statusText}.`, { status, retryAfter });
  }
}

return { GatewayError, openGateway };
})();
// key.ts
const module5 = (() => {
const { button, element, find } = module1;

const storageName = 'querygate:key';

/** The key is kept until the tab is closed. A browser may refuse to store anything. */
const storage = {
  get()                {
    try {
      return sessionStorage.getItem(storageName);
    } catch {
      return null;
    }
  },
  set(key                    )       {
    try {
      if (key === undefined) sessionStorage.removeItem(storageName);
      else sessionStorage.setItem(storageName, key);
    } catch {
      // The key is then typed for each page.
    }
  },
};

/** Made by the gateway for development on this machine. */
const madeKey = () => document.querySelector                 ('meta[name="querygate-key"]')?.content;

/** Typed earlier in this tab, or made by the gateway. An empty text is stored if the made one is not to be used. */
function knownKey()                     {
  return (storage.get() ?? madeKey()) || undefined;
}

/** Shows in the page's header that there is a key, and lets people remove it. */
function rememberKey(key        )       {
  // A gateway makes another one at its next start.
  if (key !== madeKey()) storage.set(key);
  const forget = find('forget-key');
  forget.hidden = false;
  forget.onclick = () => {
    storage.set(madeKey() === undefined ? undefined : '');
    location.reload();
  };
}

function forgetKey()       {
  storage.set(undefined);
  find('forget-key').hidden = true;
}

/**
 * Shows a form for the key in the place of the page.
 *
 * @param problem what was wrong with the one before
 */
function askForKey(main             , problem                    )                  {
  return new Promise((resolve) => {
    const input = element('input', {
      id: 'key',
      type: 'password',
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
      required: true,
      'aria-describedby': 'key-help key-problem',
      'aria-invalid': problem !== undefined && 'true',
    });
    const form = element(
      'form',
      { class: 'key' },
      element('label', { for: 'key' }, 'API key or token'),
      element(
        'div',
        { class: 'row' },
        input,
        button('Continue', () => {}, { type: 'submit', class: 'primary' }),
      ),
      element('p', { id: 'key-problem', class: 'problem', role: 'alert' }, problem ?? ''),
      element(
        'p',
        { id: 'key-help', class: 'muted' },
        'It is kept in this tab until you close it, and sent in a header only: it is never part of an address.',
      ),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const key = input.value.trim();
      if (key !== '') resolve(key);
    });
    main.replaceChildren(element('h1', {}, 'Saved queries'), form);
    input.focus();
  });
}

return { knownKey, rememberKey, forgetKey, askForKey };
})();
// list-page.ts
const module6 = (() => {
const { basePath } = module0;
const { element } = module1;
                                              

/** A short list needs no search. */
const minToSearch = 8;

/** The page that lists the endpoints. */
function showList(main             , endpoints                     )       {
  document.title = 'Saved queries – Querygate';
  const items = endpoints.map((endpoint) => ({ endpoint, item: listItem(endpoint) }));
  const list = element('ul', { class: 'endpoints' }, ...items.map(({ item }) => item));
  const status = element('p', { role: 'status', class: 'muted' });
  const search = element('input', { id: 'search', type: 'search', autocomplete: 'off' });
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const { endpoint, item } of items) {
      const text = `${endpoint.name} ${endpoint.summary}`.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) shown += 1;
    }
    status.textContent = shown === items.length ? counted(shown) : `${shown} of ${counted(items.length)}`;
  };
  search.addEventListener('input', filter);
  filter();
  main.replaceChildren(
    element('h1', {}, 'Saved queries'),
    ...(items.length < minToSearch
      ? []
      : [
          element(
            'div',
            { class: 'field' },
            element('label', { for: 'search' }, 'Search names and descriptions'),
            search,
          ),
        ]),
    status,
    list,
  );
}

const counted = (count        ) =>
  count === 0
    ? 'Your key may query no endpoint.'
    : `${count} ${count === 1 ? 'endpoint' : 'endpoints'} that your key may query.`;

function listItem({ name, summary, parameters, isDeprecated }          )                {
  const names = parameters.map((parameter) =>
    parameter.required ? `${parameter.name} (required)` : parameter.name,
  );
  return element(
    'li',
    {},
    element('a', { href: `${basePath}/queries/${name}` }, name),
    ...(isDeprecated ? [' ', element('span', { class: 'badge' }, 'deprecated')] : []),
    element('p', {}, summary),
    element(
      'p',
      { class: 'muted' },
      names.length === 0 ? 'No parameters.' : `Parameters: ${names.join(', ')}.`,
    ),
  );
}

return { showList };
})();
// parameters/moments.ts
const module7 = (() => {
/** What `<input type="datetime-local">` takes: no zone, at most milliseconds. */
const local = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)$/;

const withZone = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:?\d\d)$/i;

/**
 * A moment as a date field shows it, in UTC.
 *
 * @returns undefined if the field cannot show it: another spelling, microseconds, a relative moment
 */
function toDateField(text        )                     {
  const [, day, time] = local.exec(text) ?? [];
  if (day !== undefined && time !== undefined) return `${day}T${time}`;
  if (!withZone.test(text)) return undefined;
  const ms = Date.parse(text.replace(' ', 'T'));
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().replace(/(?:\.000)?Z$/, '');
}

/** The value of a date field as the gateway takes it: with seconds, and in UTC if it is a moment. */
function fromDateField(value        , isMoment         )         {
  if (value === '') return '';
  const withSeconds = value.length === 'yyyy-mm-ddThh:mm'.length ? `${value}:00` : value;
  return isMoment ? `${withSeconds}Z` : withSeconds;
}

/** Seconds and a zone may be absent; a zone may have no minutes. */
const moment =
  /^(?<day>\d{4}-\d\d-\d\d)(?:[T ](?<time>\d\d:\d\d)(?<seconds>:\d\d)?(?:[.,](?<fraction>\d+))?(?<zone>Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/**
 * A moment as the gateway binds it: with microseconds, and in UTC if it is one with a zone. Any other text as it is.
 *
 * @param isMoment whether the type has a zone
 */
function canonicalMoment(text        , isMoment         )         {
  const found = moment.exec(text)?.groups;
  if (found === undefined) return text;
  const { day, time = '00:00', seconds = ':00', fraction = '', zone = 'Z' } = found;
  const offset = zone.replace(/^([+-]\d\d):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`);
  const ms = Date.parse(`${day}T${time}${seconds}${offset.toUpperCase()}`);
  if (Number.isNaN(ms)) return text;
  return `${new Date(ms).toISOString().slice(0, -'000Z'.length)}${fraction.slice(0, 6).padEnd(6, '0')}${isMoment ? 'Z' : ''}`;
}

return { toDateField, fromDateField, canonicalMoment };
})();
// parameters/values.ts
const module8 = (() => {
                                                             
const { canonicalMoment } = module7;

/** The texts of each parameter. A parameter without a value is not in it. */
                                                                     

/** The values in an address. Empty values count as absent, and what is not declared is ignored. */
function valuesOf(search        , parameters                      )                  {
  const query = new URLSearchParams(search);
  return new Map(
    parameters.flatMap(({ name }) => {
      const values = query.getAll(name).filter((value) => value !== '');
      return values.length === 0 ? [] : [[name, values]         ];
    }),
  );
}

/** The query string of values, with its `?`; '' without values. */
function searchOf(values                 )         {
  const pairs = [...values].flatMap(([name, texts]) => texts.map((value) => [name, value]));
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** Whether everything that is required has a value. */
const isComplete = (values                 , parameters                      )          =>
  parameters.every(({ name, required }) => !required || values.has(name));

/** A value as the gateway binds it: of several spellings always the same one. What it refuses stays as it is. */
function canonicalText(text        , schema             )         {
  const { type, format, enum: choices } = schema;
  if (choices !== undefined) {
    const place = schema['x-enum-aliases']?.findIndex((aliases) => aliases.includes(text)) ?? -1;
    return choices[place] ?? text;
  }
  if (type === 'integer' && /^[+-]?\d+$/.test(text)) return String(BigInt(text.replace('+', '')));
  if (type === 'number' && Number.isFinite(Number(text))) return String(Number(text));
  if (type === 'boolean' && /^(?:true|false)$/i.test(text)) return text.toLowerCase();
  return format?.startsWith('date-time') === true ? canonicalMoment(text, format === 'date-time') : text;
}

return { valuesOf, searchOf, isComplete, canonicalText };
})();
// parameters/controls.ts
const module9 = (() => {
const { element } = module1;
                                                             
const { fromDateField, toDateField } = module7;
const { canonicalText } = module8;

/** The part of a form that takes the value of one parameter. */
                          
                                                 
                              
                                                        
                          
                                                    
                            
                                         
                                                                   
                    
 

/** @param tenants that the key is restricted to */
function buildControl(
  parameter           ,
  id        ,
  tenants                               ,
)          {
  const { schema, isTenant, required } = parameter;
  if (isTenant && tenants !== undefined) {
    // The only tenant of a key is filled in, of a list too.
    const isSeveral = schema.type === 'array' && tenants.length > 1;
    return isSeveral ? checkboxes(id, schema, tenants) : choice(id, parameter, tenants, []);
  }
  if (schema.type === 'array') {
    return schema.items?.enum === undefined ? lines(id) : checkboxes(id, schema.items, schema.items.enum);
  }
  if (schema.enum !== undefined)
    return choice(id, parameter, schema.enum, schema['x-enum-descriptions'] ?? []);
  if (schema.type === 'boolean') return choice(id, parameter, ['true', 'false'], []);
  if (schema.format?.startsWith('date-time') === true) {
    // `date-time-local` has no zone.
    return moment(id, required, schema.format === 'date-time');
  }
  if (schema.format === 'date') return dateField(id, required);
  if (schema.type === 'integer' || schema.type === 'number') return numberField(id, required, schema);
  return textField(id, required);
}

const first = (values                   ) => values[0] ?? '';
const single = (value        )                    => (value === '' ? [] : [value]);

/** One of several values. An address may have another one, which is then offered too; or another spelling of one. */
function choice(
  id        ,
  { required, fallback, schema }           ,
  values                   ,
  descriptions                   ,
)          {
  const option = (value        , text        ) => element('option', { value }, text);
  const input = element('select', { id, required });
  const absent = fallback.length > 0 ? `default (${fallback.join(', ')})` : required ? 'choose …' : 'none';
  const isOnlyOne = required && values.length === 1;
  input.append(
    ...(isOnlyOne ? [] : [option('', absent)]),
    ...values.map((value, at) => {
      const description = descriptions[at] ?? '';
      return option(value, description === '' ? value : `${value}: ${description}`);
    }),
  );
  return {
    input,
    read: () => single(input.value),
    write(texts) {
      const value = canonicalText(first(texts), schema);
      if (value !== '' && ![...input.options].some((one) => one.value === value)) {
        input.append(option(value, value));
      }
      input.value = value === '' && isOnlyOne ? (values[0] ?? '') : value;
    },
    problem: () => input.validationMessage,
  };
}

function moment(id        , required         , isMoment         )          {
  const input = element('input', {
    id,
    type: 'datetime-local',
    step: 'any',
    max: '9999-12-31T23:59:59',
    required,
  });
  return {
    input,
    read: () => single(input.type === 'text' ? input.value.trim() : fromDateField(input.value, isMoment)),
    write(texts) {
      const text = first(texts);
      writeDate(input, 'datetime-local', text, text === '' ? '' : toDateField(text));
    },
    problem: () => input.validationMessage,
  };
}

function dateField(id        , required         )          {
  const input = element('input', { id, type: 'date', max: '9999-12-31', required });
  return {
    input,
    read: () => single(input.value.trim()),
    write(texts) {
      const text = first(texts);
      writeDate(input, 'date', text, text);
    },
    problem: () => input.validationMessage,
  };
}

/**
 * Shows a value in a date field, or as text what the field cannot show: it would become empty.
 *
 * @param value as the field takes it; undefined if it does not
 */
function writeDate(input                  , type        , text        , value                    )       {
  input.type = type;
  input.value = value ?? '';
  if (value !== undefined && (value === '' || input.value !== '')) return;
  input.type = 'text';
  input.value = text;
}

/** A text field: a number field would round large integers, and hide what it cannot read. */
function numberField(id        , required         , { type, minimum, maximum }             )          {
  const input = element('input', {
    id,
    type: 'text',
    inputmode: type === 'integer' && (minimum ?? -1) >= 0 ? 'numeric' : 'text',
    autocomplete: 'off',
    required,
  });
  const problem = () => {
    const text = input.value.trim();
    if (text === '') return input.validationMessage;
    const value = Number(text);
    if (Number.isNaN(value) || (type === 'integer' && !/^[+-]?\d+$/.test(text))) {
      return type === 'integer' ? 'Type a whole number.' : 'Type a number.';
    }
    if (minimum !== undefined && value < minimum) return `The least is ${minimum}.`;
    return maximum !== undefined && value > maximum ? `The most is ${maximum}.` : '';
  };
  return {
    input,
    read: () => single(input.value.trim()),
    write(texts) {
      input.value = first(texts);
    },
    problem,
  };
}

function textField(id        , required         )          {
  const attributes = { id, required, autocomplete: 'off', autocapitalize: 'off' };
  // One line, but it keeps the line breaks of a value.
  const input = element('textarea', { ...attributes, rows: 1, spellcheck: 'false', class: 'one-line' });
  input.addEventListener('keydown', submitOnEnter);
  return {
    input,
    read: () => single(input.value),
    write(texts) {
      input.value = first(texts);
      input.rows = Math.min(input.value.split('\n').length, 6);
    },
    problem: () => input.validationMessage,
  };
}

/** Enter submits the form, as in a field of one line; Shift+Enter is a line break. */
function submitOnEnter(event               )       {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  if (event.target instanceof HTMLTextAreaElement) event.target.form?.requestSubmit();
}

/** A list: a value on each line. */
function lines(id        )          {
  const input = element('textarea', { id, rows: 3, spellcheck: 'false', autocomplete: 'off' });
  return {
    input,
    read: () => input.value.split('\n').filter((line) => line !== ''),
    write(texts) {
      input.value = texts.join('\n');
    },
    problem: () => input.validationMessage,
  };
}

/** A list of values that are known. An address may have others, as for one value. */
function checkboxes(id        , schema             , values                   )          {
  const input = element('div', { id, class: 'choices' });
  const boxes = new Map                          ();
  const add = (value        , text = '') => {
    const box = element('input', { type: 'checkbox', id: `${id}-${boxes.size}`, value });
    boxes.set(value, box);
    input.append(element('label', { for: box.id }, box, ` ${value}${text === '' ? '' : `: ${text}`}`));
  };
  for (const [at, value] of values.entries()) add(value, schema['x-enum-descriptions']?.[at]);
  return {
    input,
    isGroup: true,
    read: () => [...boxes].flatMap(([value, box]) => (box.checked ? [value] : [])),
    write(texts) {
      const chosen = texts.map((text) => canonicalText(text, schema));
      for (const value of chosen) if (!boxes.has(value)) add(value);
      for (const [value, box] of boxes) box.checked = chosen.includes(value);
    },
    problem: () => '',
  };
}

return { buildControl };
})();
// parameters/form.ts
const module10 = (() => {
const { element } = module1;
                                                
const { buildControl,              } = module9;
                                                   

                                
                                    
                          
                                       
     
                                                             
    
                                                 
     
                                                           
 

                       
                                            
                                                                                  
                                                  
                                            
                                           
                                                                     
                                
 

function buildForm({ parameters, tenants, actions, onSubmit }             )                {
  const fields = parameters.map((parameter, at) => buildField(parameter, `parameter-${at}`, tenants));
  const form = element(
    'form',
    // Its problems are shown like those that the gateway finds.
    { novalidate: true, class: 'parameters' },
    ...(fields.length === 0 ? [element('p', {}, 'This query takes no parameters.')] : []),
    element('div', { class: 'fields' }, ...fields.map((field) => field.element)),
    element('div', { class: 'row' }, ...actions),
  );
  const clearProblems = () => {
    for (const field of fields) field.showProblem('');
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    clearProblems();
    const wrong = fields.filter((field) => field.check());
    if (wrong[0] === undefined) onSubmit();
    else wrong[0].control.input.focus();
  });
  return {
    element: form,
    read: () =>
      new Map(
        fields.flatMap(({ name, control }) => {
          const values = control.read();
          return values.length === 0 ? [] : [[name, values]         ];
        }),
      ),
    write(values) {
      clearProblems();
      for (const { name, control } of fields) control.write(values.get(name) ?? []);
    },
    showProblem(parameter, message) {
      const field = fields.find(({ name }) => name === parameter);
      field?.showProblem(message);
      field?.control.input.focus();
      return field !== undefined;
    },
  };
}

                 
                        
                                
                            
                                     
                                                                             
                   
 

function buildField(parameter           , id        , tenants                               )        {
  const { name, required } = parameter;
  const control = buildControl(parameter, id, tenants);
  const { input, isGroup } = control;
  const problem = element('p', { id: `${id}-problem`, class: 'problem', role: 'alert' });
  const help = element('p', { id: `${id}-help`, class: 'muted' }, helpOf(parameter, tenants));
  const mark = required ? [' ', element('span', { class: 'badge' }, 'required')] : [];
  const label = isGroup
    ? element('span', { id: `${id}-label`, class: 'label' }, name, ...mark)
    : element('label', { for: id }, name, ...mark);
  if (isGroup) {
    input.setAttribute('role', 'group');
    input.setAttribute('aria-labelledby', label.id);
    input.tabIndex = -1;
  }
  input.setAttribute('aria-describedby', `${help.id} ${problem.id}`);
  const showProblem = (message        ) => {
    problem.textContent = message;
    if (message === '') input.removeAttribute('aria-invalid');
    else if (!isGroup) input.setAttribute('aria-invalid', 'true');
  };
  return {
    name,
    control,
    element: element('div', { class: 'field' }, label, input, problem, help),
    showProblem,
    check() {
      const missing = required && control.read().length === 0 && !parameter.fallback.length;
      const message = missing ? 'A value is required.' : control.problem();
      showProblem(message);
      return message !== '';
    },
  };
}

/** What people need to know of the values: the author's description with bounds, and what the type of the field means. */
function helpOf(
  { description, schema, fallback, example, isTenant }           ,
  tenants                    ,
) {
  const isList = schema.type === 'array';
  const { enum: choices, format } = isList ? (schema.items ?? {}) : schema;
  const isChoice = choices !== undefined || (isTenant && tenants !== undefined);
  const isDescribed = schema['x-relative-default'] !== undefined;
  return [
    // The key's own tenants are the choices of the field.
    isTenant ? description.replace(tenantSentence, '') : description,
    isList && !isChoice ? 'One value on each line.' : '',
    format === 'date-time' ? 'The time is in UTC.' : '',
    format === 'date-time-local' ? 'A date and time without a zone.' : '',
    fallback.length > 0 && !isChoice && !isDescribed ? `Default: ${fallback.join(', ')}.` : '',
    example.length > 0 && !isChoice ? `For example ${example.join(', ')}.` : '',
  ]
    .filter((text) => text !== '')
    .join(' ');
}

const tenantSentence = /\n?A key that is restricted to tenants must name one of its own\.$/;

return { buildForm };
})();
// words.ts
const module11 = (() => {
                                             
const { GatewayError } = module4;

/** A time as people say it: `45 s`, `15 min`, `2 h`. */
function durationText(seconds        )         {
  if (seconds < 120) return `${Math.round(seconds * 10) / 10} s`;
  const [unit, size] =
    seconds < 7200
      ? (['min', 60]         )
      : seconds < 172_800
        ? (['h', 3600]         )
        : (['days', 86_400]         );
  return `${Math.round((seconds / size) * 10) / 10} ${unit}`;
}

/** How long results are cached. */
function cachingText(caching                     )         {
  if (caching === undefined) return 'Each request runs the query: results are not kept.';
  const { ttl, warming } = caching;
  return `A result is kept for ${durationText(ttl)}${
    warming === undefined ? '' : `, and refreshed every ${durationText(warming)} while it is used`
  }.`;
}

/** Where the rows came from, by the header `Cache-Status` (RFC 9211). */
function cacheText(cacheStatus        , ageSeconds        )         {
  // A proxy took the header away.
  if (cacheStatus === '') return '';
  if (cacheStatus.includes('stale-if-error')) {
    return `From the cache, computed ${durationText(ageSeconds)} ago: the query fails at the moment, so these are older rows.`;
  }
  if (/;\s*hit/.test(cacheStatus)) return `From the cache, computed ${durationText(ageSeconds)} ago.`;
  if (cacheStatus.includes('collapsed')) return 'Computed now, for several equal requests at once.';
  if (cacheStatus.includes('stored')) return 'Computed now, and kept for the next request.';
  return 'Computed now, and not kept.';
}

/** What the run cost, by the header `Querygate-Cost`: a dictionary of structured fields (RFC 9651). */
function costText(header               )         {
  if (header === null || header === '') return 'The engine reports no cost.';
  const parts = new Map(
    header.split(/,\s*/).map((part) => {
      const at = part.indexOf('=');
      return [part.slice(0, at), part.slice(at + 1)]         ;
    }),
  );
  const bytes = (name        , text        ) =>
    parts.has(name) ? `${bytesText(Number(parts.get(name)))} ${text}` : '';
  const texts = [
    bytes('bytes-processed', 'read'),
    bytes('bytes-billed', 'billed'),
    parts.has('slot-ms') ? `${durationText(Number(parts.get('slot-ms')) / 1000)} of slots` : '',
    parts.get('cache-hit') === '?1' ? "from the engine's own cache" : '',
  ].filter((text) => text !== '');
  return texts.length === 0 ? '' : `The run cost: ${texts.join(', ')}.`;
}

function bytesText(bytes        )         {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), 5);
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${['B', 'KB', 'MB', 'GB', 'TB', 'PB'][power]}`;
}

/** How many rows there are, and whether there would be more. */
function rowsText(count        , isTruncated         , maxRows                    )         {
  const rows = `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}`;
  return isTruncated
    ? `${rows}: the query has more, but at most ${maxRows?.toLocaleString('en')} are returned.`
    : `${rows}.`;
}

/** What went wrong, in the gateway's words, and when to try again if the gateway says so. */
function problemText(error         )         {
  const message = error instanceof Error ? error.message : String(error);
  const retry = error instanceof GatewayError ? error.retryAfterSeconds : undefined;
  if (retry === undefined) return message;
  return `${message}${/[.!?]$/.test(message) ? '' : '.'} Try again in ${durationText(retry)}.`;
}

return { durationText, cachingText, cacheText, costText, rowsText, problemText };
})();
// result/auto-refresh.ts
const module12 = (() => {
const { element } = module1;
                                              
const { durationText } = module11;

                              
                                
                                                                        
                                      
                                                                                          
                                                      
                                                                
               
 

/** Apart by the kind of caching: a refresh costs a run if results are not cached. */
const storageName = (caching                     ) =>
  `querygate:refresh:${caching === undefined ? 'uncached' : caching.warming === undefined ? 'cached' : 'warmed'}`;

/** The interval for rows that the gateway does not keep. */
const uncachedSeconds = 60;

/** The gateway needs a moment to have the newer rows. */
const marginSeconds = 2;

/** The shortest interval: for rows that the gateway should have refreshed already. */
const minSeconds = 30;

/** `setTimeout` fires at once if the delay is longer than 2^31 − 1 ms. */
const maxDelayMs = 2_000_000_000;

/** Requests the rows again in step with the cache, but not while the page is hidden. */
function buildAutoRefresh(caching                     , refresh            )              {
  const everySeconds = caching?.warming ?? caching?.ttl ?? uncachedSeconds;
  const box = element('input', { type: 'checkbox', id: 'auto-refresh' });
  box.checked = remembered(storageName(caching)) ?? caching?.warming !== undefined;
  const why = caching === undefined ? 'each time the query runs' : 'when the gateway has newer rows';
  const text = ` Refresh every ${durationText(everySeconds)}, ${why}`;
  let dueAt                    ;
  let timer                                           ;

  const schedule = () => {
    clearTimeout(timer);
    if (dueAt === undefined || !box.checked || document.hidden) return;
    timer = setTimeout(
      () => {
        dueAt = undefined;
        refresh();
      },
      Math.min(Math.max(dueAt - Date.now(), 0), maxDelayMs),
    );
  };
  const dueIn = (seconds        ) => {
    dueAt = Date.now() + Math.max(seconds, Math.min(minSeconds, everySeconds)) * 1000;
    schedule();
  };
  box.addEventListener('change', () => {
    remember(storageName(caching), box.checked);
    schedule();
  });
  document.addEventListener('visibilitychange', schedule);
  return {
    element: element('label', { for: box.id }, box, text),
    succeeded: (ageSeconds) => dueIn(everySeconds - ageSeconds + marginSeconds),
    failed: (retryAfterSeconds) => dueIn(retryAfterSeconds ?? Math.min(everySeconds, uncachedSeconds)),
    stop() {
      dueAt = undefined;
      clearTimeout(timer);
    },
  };
}

function remembered(name        )                      {
  try {
    const text = localStorage.getItem(name);
    return text === null ? undefined : text === 'on';
  } catch {
    return undefined;
  }
}

function remember(name        , isOn         )       {
  try {
    localStorage.setItem(name, isOn ? 'on' : 'off');
  } catch {
    // It then holds for this page only.
  }
}

return { buildAutoRefresh };
})();
// timestamp.ts
const module13 = (() => {
/** A timestamp, integer microseconds since 1970, as people read it: in UTC, without zeros at the end. */
function timestampText(value                 )         {
  const micros = BigInt(value);
  const fraction = ((micros % million) + million) % million;
  const date = new Date(Number((micros - fraction) / million) * 1000);
  if (Number.isNaN(date.getTime())) return String(value);
  const text = date.toISOString().replace('T', ' ').replace('.000Z', '');
  return fraction === 0n ? text : `${text}.${String(fraction).padStart(6, '0').replace(/0+$/, '')}`;
}

const million = 1_000_000n;

return { timestampText };
})();
// chart/chart-data.ts
const module14 = (() => {
const {              valueIn } = module2;
                                                   
const { timestampText } = module13;
                                              

                  
                        
                                                         
                          
                        
                                                                             
                                              
 

                            
                                       
                                    
                                     
                                                                                                                
                                                                               
                           
                                      
                                    
 

/** More lines cannot be distinguished. */
const maxSeries = 12;

/** Characters of a line's name that are shown. */
const maxNameLength = 80;

const timeTypes = new Set(['timestamp', 'datetime', 'date']);
const numberTypes = new Set(['integer', 'float', 'numeric']);
const splitTypes = new Set(['string', 'boolean', 'integer']);

const timeColumnOf = (columns                   )                     =>
  columns.find(({ type, repeated }) => !repeated && timeTypes.has(type));

const numberColumnsOf = (columns                   )                    =>
  columns.filter(({ type, repeated }) => !repeated && numberTypes.has(type));

const splitColumnsOf = (columns                   )                    =>
  columns.filter(({ type, repeated }) => !repeated && splitTypes.has(type));

/** The numbers with the unit of the first one; split by a text if several rows have the same time. */
function defaultChoice(rows                       , columns                   )              {
  const [first, ...others] = numberColumnsOf(columns);
  const values = first === undefined ? [] : [first, ...others.filter(({ unit }) => unit === first.unit)];
  const time = timeColumnOf(columns);
  const texts = splitColumnsOf(columns).filter(({ type }) => type !== 'integer');
  const isAmbiguous = time !== undefined && !areUnique(rows, [time]);
  const split = isAmbiguous
    ? (texts.find((column) => areUnique(rows, [time, column])) ?? texts[0])
    : undefined;
  return {
    values: (split === undefined ? values : values.slice(0, 1)).slice(0, maxSeries).map(({ name }) => name),
    split: split?.name,
  };
}

/** The columns of an older address may be gone. @returns undefined if there is nothing left to show */
function knownChoice(
  choice                         ,
  columns                   ,
)                          {
  const names = (known                   ) => new Set(known.map(({ name }) => name));
  const numbers = names(numberColumnsOf(columns));
  const values = choice?.values.filter((value) => numbers.has(value)) ?? [];
  const split = choice?.split;
  if (values.length === 0) return undefined;
  return {
    values,
    split: split !== undefined && names(splitColumnsOf(columns)).has(split) ? split : undefined,
  };
}

function areUnique(rows                       , columns                   )          {
  const keys = new Set(rows.map((row) => columns.map((column) => String(valueIn(row, column))).join('\n')));
  return keys.size === rows.length;
}

function chartData(
  rows                       ,
  columns                   ,
  { values, split }             ,
)            {
  const time = timeColumnOf(columns);
  const splitColumn = columns.find(({ name }) => name === split);
  const shown = numberColumnsOf(columns).filter(({ name }) => values.includes(name));
  const lines = new Map                                                                                  ();
  const seen = new Set        ();
  let repeated = 0;
  let timeless = 0;
  for (const row of time === undefined ? [] : rows) {
    const at = secondsOf(valueIn(row, time          ));
    if (at === undefined) {
      timeless += 1;
      continue;
    }
    seen.add(at);
    const part = splitColumn === undefined ? undefined : splitText(valueIn(row, splitColumn));
    for (const column of shown) {
      const name = part === undefined ? column.name : shown.length === 1 ? part : `${part}: ${column.name}`;
      const line = lines.get(name) ?? { column, byTime: new Map() };
      lines.set(name, line);
      if (line.byTime.has(at)) repeated += 1;
      line.byTime.set(at, numberOf(valueIn(row, column)));
    }
  }
  const { times, empty, buckets } = fillBuckets([...seen].sort((a, b) => a - b));
  const kept = [...lines].sort(([, a], [, b]) => sumOf(b.byTime) - sumOf(a.byTime)).slice(0, maxSeries);
  const series = (lines.size > maxSeries ? kept : [...lines]).map(([name, { column, byTime }]) => ({
    name: name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name,
    column: column.name,
    unit: column.unit ?? '',
    points: times.map((at) => byTime.get(at) ?? null),
  }));
  const notes = [
    lines.size > maxSeries ? `Only the ${maxSeries} largest of ${lines.size} lines are shown.` : '',
    repeated > 0
      ? `${repeated} values share their time and line with another one, and only the last of them is shown: split by a column.`
      : '',
    timeless > 0 ? `${timeless} rows have no time, and are in the table only.` : '',
  ].filter((note) => note !== '');
  return { times, series, empty, buckets, notes };
}

const splitText = (value                  ) =>
  value === undefined ? 'NULL' : value === '' ? 'empty text' : String(value);

const sumOf = (byTime                                    ) =>
  [...byTime.values()].reduce        ((sum, value) => sum + Math.abs(value ?? 0), 0);

function numberOf(value                  )                {
  const number = value === undefined ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}

/** Timestamps are microseconds; dates and datetimes are texts in UTC. */
function secondsOf(value                  )                     {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value) / 1e6;
  if (typeof value !== 'string') return undefined;
  const ms = Date.parse(value.includes('T') ? `${value}Z` : `${value}T00:00:00Z`);
  return Number.isNaN(ms) ? undefined : ms / 1000;
}

const timeText = (seconds        )         => timestampText(Math.round(seconds * 1e6));

                   
                                    
                                                                               
                           
 

/** With more empty buckets than this, and a smaller share with rows, times are single moments instead of buckets. */
const maxSparseBuckets = 2_000;
const leastShare = 0.02;
const maxBuckets = 20_000;

/**
 * Adds the buckets without rows, if the times are those of buckets: multiples of their least distance, in months if
 * they are first days of months.
 */
function fillBuckets(times                   )          {
  const none = { times, empty: [], buckets: times.length };
  const [start, end] = [times[0], times.at(-1)];
  if (start === undefined || end === undefined || times.length < 2) return none;
  const expected = times.every(isFirstOfMonth) ? months(times) : multiples(times, start, end);
  if (expected === undefined) return none;
  const present = new Set(times);
  const empty = expected.filter(({ time }) => !present.has(time));
  const all = [...times, ...empty.map(({ time }) => time)].sort((a, b) => a - b);
  return { times: all, empty, buckets: expected.length };
}

function multiples(times                   , start        , end        ) {
  const step = leastDistance(times);
  const count = Math.round((end - start) / step) + 1;
  const isSparse = count > maxSparseBuckets && times.length / count < leastShare;
  if (!Number.isFinite(step) || count > maxBuckets || isSparse) return undefined;
  // The times themselves are taken where there are some: a multiple of a fraction is not exact.
  const places = new Map(times.map((time) => [Math.round((time - start) / step), time]));
  const isRegular = [...places].every(([place, time]) => Math.abs(start + place * step - time) < step / 1000);
  if (!isRegular || places.size < times.length) return undefined;
  return Array.from({ length: count }, (_, place) => ({
    time: places.get(place) ?? start + place * step,
    width: step,
  }));
}

const day = 86_400;

const isFirstOfMonth = (time        ) => time % day === 0 && new Date(time * 1000).getUTCDate() === 1;

/** Buckets of a month, a quarter, a year: of the least distance, in months, of which the others are multiples. */
function months(times                   ) {
  const places = times.map(monthOf);
  const [first = 0, last = 0] = [places[0], places.at(-1)];
  const step = leastDistance(places);
  const isRegular = places.every((place) => (place - first) % step === 0);
  if (!isRegular || (last - first) / step >= maxSparseBuckets) return undefined;
  return Array.from({ length: (last - first) / step + 1 }, (_, bucket) => {
    const place = first + bucket * step;
    return { time: startOfMonth(place), width: startOfMonth(place + step) - startOfMonth(place) };
  });
}

/** Months since the year 0. */
function monthOf(time        )         {
  const date = new Date(time * 1000);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

const startOfMonth = (place        ) => Date.UTC(Math.floor(place / 12), place % 12) / 1000;

function leastDistance(ascending                   )         {
  let least = Number.POSITIVE_INFINITY;
  for (let at = 1; at < ascending.length; at += 1)
    least = Math.min(least, (ascending[at] ?? 0) - (ascending[at - 1] ?? 0));
  return least;
}

return { maxSeries, timeColumnOf, numberColumnsOf, splitColumnsOf, defaultChoice, knownChoice, chartData, timeText };
})();
// chart/chart-settings.ts
const module15 = (() => {
const { element } = module1;
                                             
                                              
const { numberColumnsOf, splitColumnsOf } = module14;

/** The fields by which people choose what is drawn. */
                                
                                            
                                   
 

function buildChartSettings(
  columns                   ,
  onChoice                               ,
)                {
  const boxes = numberColumnsOf(columns).map(({ name, unit }, at) => {
    const box = element('input', { type: 'checkbox', id: `chart-value-${at}` });
    const text = unit === undefined ? name : `${name} (${unit})`;
    return { name, box, label: element('label', { for: box.id }, box, ` ${text}`) };
  });
  const split = element('select', { id: 'chart-split' }, element('option', { value: '' }, 'nothing'));
  for (const { name } of splitColumnsOf(columns)) split.append(element('option', { value: name }, name));

  const choose = () =>
    onChoice({
      values: boxes.filter(({ box }) => box.checked).map(({ name }) => name),
      split: split.value || undefined,
    });
  for (const { box } of boxes) box.addEventListener('change', choose);
  split.addEventListener('change', choose);

  const labels = boxes.map(({ label }) => label);
  const values = element('fieldset', { class: 'choices' }, element('legend', {}, 'Values'), ...labels);
  const splitRow = element('div', { class: 'row' }, element('label', { for: split.id }, 'Split by'), split);
  return {
    elements: split.options.length === 1 ? [values] : [values, splitRow],
    write(choice) {
      for (const { name, box } of boxes) box.checked = choice.values.includes(name);
      split.value = choice.split ?? '';
      if (split.selectedIndex < 0) split.value = '';
    },
  };
}

return { buildChartSettings };
})();
// chart/number-text.ts
const module16 = (() => {
/** Beyond these a number is written as in `1.5E300`: it would have hundreds of digits, or be shown as 0. */
const isExtreme = (value        ) =>
  value !== 0 && (Math.abs(value) >= 1e16 || Math.abs(value) < 1e-4) && Number.isFinite(value);

const formats = {
  compact: new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 }),
  whole: new Intl.NumberFormat('en', { maximumFractionDigits: 6 }),
  scientific: new Intl.NumberFormat('en', { notation: 'scientific', maximumSignificantDigits: 6 }),
};

/** The numbers beside an axis, where there is little room. What should be zero may be a rounding error of the others. */
function axisNumbers(values                   )           {
  const least = Math.max(...values.map(Math.abs)) * 1e-12;
  return values.map((value) => {
    if (Math.abs(value) < least) return '0';
    return (isExtreme(value) ? formats.scientific : formats.compact).format(value);
  });
}

/** A number that is read off a chart. */
const valueNumber = (value        )         =>
  (isExtreme(value) ? formats.scientific : formats.whole).format(value);

return { axisNumbers, valueNumber };
})();
// chart/plot.ts
const module17 = (() => {
                               
                                                 
const { axisNumbers } = module16;

/** A drawn chart. */
                       
                                                   
                            
                
 

                       
                                  
                           
                                                              
                                               
                                                            
                                               
                                            
 

const height = 280;

/** Of a day, in pixels, with some room beside it. */
const timeLabelWidth = 80;

/** Up to this number every point gets a dot; above, only points between gaps do. */
const maxDots = 150;

let library                                   ;

/** The chart library, which the list of endpoints does not need. It is beside the one file of these modules. */
function loadLibrary()                        {
  library ??= import(new URL('uplot.js', import.meta.url).href).then(
    (module                           ) => module.default,
    () => {
      library = undefined;
      throw new Error('Its library could not be loaded: load the page again.');
    },
  );
  return library;
}

async function drawPlot(options             )                {
  const { container, data, axisLabel, colorOf, onPoint } = options;
  const UPlot = await loadLibrary();
  const units = [...new Set(data.series.map(({ unit }) => unit))];
  const text = () => getComputedStyle(container).color;
  const grid = () => getComputedStyle(container).borderTopColor;
  const ticks = { stroke: grid, width: 1 };
  const hasDots = data.times.length <= maxDots;
  const plot = new UPlot(
    {
      width: Math.max(container.clientWidth, 200),
      height,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false, setScale: false }, points: { size: 8 } },
      // Ticks at whole hours and days of UTC.
      tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      scales: {
        x: { range: (_plot, first, last) => rangeOfTime(data.times, first, last) },
        ...Object.fromEntries(units.map((unit) => [scaleOf(unit), { range: rangeFromZero }])),
      },
      axes: [
        {
          stroke: text,
          grid: ticks,
          ticks,
          label: 'Time (UTC)',
          space: timeLabelWidth,
          labelSize: 24,
          values: (_plot, splits, _axis, _space, step) => timeLabels(splits, step),
        },
        ...units.map(
          (unit, at)             => ({
            scale: scaleOf(unit),
            side: at === 0 ? 3 : 1,
            label: axisLabel(unit),
            labelSize: 22,
            size: 52,
            stroke: text,
            ticks,
            grid: { ...ticks, show: at === 0 },
            values: (_plot, splits) => axisNumbers(splits),
            ...(data.series.some((one) => one.unit === unit && isHuge(one.points)) && { incrs: hugeSteps }),
          }),
        ),
      ],
      series: [
        {},
        ...data.series.map(
          ({ name, unit }, at)               => ({
            label: name,
            scale: scaleOf(unit),
            stroke: () => colorOf(at),
            width: 2,
            spanGaps: false,
            // Every second line is dashed, so that color is not the only difference.
            ...(at % 2 === 1 && { dash: [8, 3] }),
            points: {
              show: true,
              size: 5,
              stroke: () => colorOf(at),
              fill: () => colorOf(at),
              ...(!hasDots && { filter: singlePoints }),
            },
          }),
        ),
      ],
      hooks: {
        drawClear: [(drawn) => shadeEmpty(drawn, data, getComputedStyle(container).borderBottomColor)],
        setCursor: [({ cursor: { idx } }) => idx !== null && idx !== undefined && onPoint(idx)],
      },
    },
    [[...data.times], ...data.series.map(({ points }) => points.map(drawable))],
    container,
  );
  const resized = new ResizeObserver(() => {
    const width = Math.floor(container.clientWidth);
    if (width > 0 && width !== plot.width) plot.setSize({ width, height });
  });
  resized.observe(container);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const redraw = () => plot.redraw(false);
  dark.addEventListener('change', redraw);
  return {
    mark(index) {
      const time = data.times[index];
      if (time !== undefined) plot.setCursor({ left: plot.valToPos(time, 'x'), top: 0 }, false);
    },
    close() {
      resized.disconnect();
      dark.removeEventListener('change', redraw);
      plot.destroy();
    },
  };
}

const scaleOf = (unit        ) => `unit ${unit}`;

/** A single point is drawn in the middle of two hours; the library would take years. */
function rangeOfTime(
  [only, ...others]                   ,
  first        ,
  last        ,
)                   {
  return only === undefined || others.length > 0 ? [first, last] : [only - 3600, only + 3600];
}

/** The library's own steps end at 10^32. */
const hugeSteps = Array.from({ length: 308 }, (_, power) =>
  [1, 2, 5].map((digit) => Number(`${digit}e${power}`)),
).flat();

const isHuge = (points                            ) => points.some((point) => Math.abs(point ?? 0) > 1e30);

/** The distance between the largest drawn numbers is a number too. */
const drawable = (point               ) => point && Math.min(Math.max(point, -8e307), 8e307);

/** The range of an axis, which includes zero: heights can be compared. */
function rangeFromZero(_plot       , low               , high               )                   {
  const [least, most] = [Math.min(0, low ?? 0), Math.max(0, high ?? 0)];
  return least === most ? [0, 1] : [least * 1.1, most * 1.1];
}

/** Times of day, with the day below where it changes; days alone if the steps are days. */
function timeLabels(splits                   , step        )           {
  let before = '';
  return splits.map((seconds) => {
    const [day = '', time = ''] = new Date(seconds * 1000).toISOString().split('T');
    if (step >= 86_400) return day;
    const length = step >= 60 ? 5 : step >= 1 ? 8 : 12;
    const label = day === before ? time.slice(0, length) : `${time.slice(0, length)}\n${day}`;
    before = day;
    return label;
  });
}

/** Points without a neighbour: no line leads to them. */
function singlePoints(plot       , series        )           {
  const values = Array.from(plot.data[series] ?? []);
  const isThere = (at        ) => values[at] !== null && values[at] !== undefined;
  return values.flatMap((_, at) => (isThere(at) && !isThere(at - 1) && !isThere(at + 1) ? [at] : []));
}

function shadeEmpty(plot       , { empty }           , color        )       {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = color;
  for (const { time, width } of empty) {
    const [from, to] = [time - width / 2, time + width / 2].map((edge) => plot.valToPos(edge, 'x', true));
    ctx.fillRect(from ?? 0, bbox.top, (to ?? 0) - (from ?? 0), bbox.height);
  }
  ctx.restore();
}

return { loadLibrary, drawPlot, rangeOfTime, drawable };
})();
// chart/point-reader.ts
const module18 = (() => {
const { element } = module1;
const {                 maxSeries, timeText } = module14;
const { valueNumber } = module16;

/** A slider over the times of a chart, and a legend with the values at the chosen one. */
                              
                                            
                                             
                              
                                 
                                 
                                                         
                              
 

/** @param onPoint called when people choose a time, with its index */
function buildPointReader(onPoint                         )              {
  let data                       ;
  let items                                                                           = [];
  const legend = element('ul', { class: 'legend' });
  const slider = element('input', { type: 'range', id: 'chart-point', min: 0, step: 1 });
  const moment = element('output', { for: slider.id });
  const label = element('label', { for: slider.id }, 'Read the values at');

  const showPoint = (index        ) => {
    const { series = [], times = [] } = data ?? {};
    const texts = series.map(({ name, unit, points }, at) => {
      const text = valueText(points[index], unit);
      const { value } = items[at] ?? {};
      if (value !== undefined) value.textContent = text;
      return `${name} ${text}`;
    });
    slider.value = String(index);
    moment.textContent = `${timeText(times[index] ?? 0)} UTC`;
    slider.setAttribute('aria-valuetext', `${moment.textContent}: ${texts.join(', ')}`);
  };
  slider.addEventListener('input', () => {
    showPoint(Number(slider.value));
    onPoint(Number(slider.value));
  });
  return {
    elements: [element('div', { class: 'row' }, label, slider, moment), legend],
    read(next) {
      data = next;
      items = next.series.map((_, at) => ({
        swatch: element('span', {
          class: `swatch series-${(at % maxSeries) + 1}${at % 2 === 1 ? ' dashed' : ''}`,
        }),
        value: element('span', { class: 'value' }),
      }));
      legend.replaceChildren(
        ...items.map(({ swatch, value }, at) =>
          element('li', {}, swatch, ` ${next.series[at]?.name} `, value),
        ),
      );
      slider.max = String(next.times.length - 1);
      showPoint(next.times.length - 1);
    },
    showPoint,
    colorOf: (at) => getComputedStyle(items[at]?.swatch ?? legend).color,
  };
}

const valueText = (value                           , unit        ) =>
  value === null || value === undefined
    ? 'no value'
    : `${valueNumber(value)}${unit === '' ? '' : ` ${unit}`}`;

return { buildPointReader };
})();
// chart/chart.ts
const module19 = (() => {
const { element } = module1;
                                             
                                             
                                              
const { problemText } = module11;
const {
                 
  chartData,
  defaultChoice,
  knownChoice,
  numberColumnsOf,
  timeColumnOf,
  timeText,
} = module14;
const { buildChartSettings } = module15;
const { drawPlot, loadLibrary,           } = module17;
const { buildPointReader } = module18;

                        
                                
                                                    
                                                                                    
 

/** @returns undefined if the rows have no time, or no numbers */
function buildChart(
  columns                   ,
  onChoice                               ,
)                    {
  if (timeColumnOf(columns) === undefined || numberColumnsOf(columns).length === 0) return undefined;
  // While the rows are computed.
  loadLibrary().catch(() => {});
  let rows                        = [];
  let plot                  ;
  let latest = 0;

  const settings = buildChartSettings(columns, (choice) => {
    onChoice(choice);
    void draw(choice);
  });
  const points = buildPointReader((index) => plot?.mark(index));
  const summary = element('p', { id: 'chart-summary', class: 'muted' });
  const container = element('div', { class: 'plot', role: 'img' });
  const drawn = element('div', {}, container, ...points.elements);

  async function draw(choice             )                {
    latest += 1;
    const turn = latest;
    const data = chartData(rows, columns, choice);
    summary.textContent = summaryText(data);
    drawn.hidden = data.times.length === 0 || data.series.length === 0;
    plot?.close();
    plot = undefined;
    if (drawn.hidden) return;
    points.read(data);
    container.setAttribute('aria-label', `Line chart. ${summary.textContent} The table has the same values.`);
    const made = await drawPlot({
      container,
      data,
      axisLabel: (unit) => axisLabel(unit, data),
      colorOf: points.colorOf,
      onPoint: points.showPoint,
    }).catch(problemText);
    if (typeof made === 'string') {
      if (turn !== latest) return;
      summary.textContent = `The chart cannot be drawn. ${made}`;
      drawn.hidden = true;
      return;
    }
    // Something else was chosen while the library was loaded.
    if (turn !== latest) return made.close();
    plot = made;
  }

  const figure = element('figure', { 'aria-labelledby': summary.id }, ...settings.elements, summary, drawn);
  return {
    element: figure,
    show(next, requested) {
      rows = next;
      figure.hidden = rows.length === 0;
      const choice = knownChoice(requested, columns) ?? defaultChoice(next, columns);
      settings.write(choice);
      return draw(choice);
    },
  };
}

/** The title of an axis: the unit, or else the columns without one. */
function axisLabel(unit        , { series }           )         {
  if (unit !== '') return unit;
  const names = [...new Set(series.filter((one) => one.unit === '').map(({ column }) => column))];
  return names.length <= 2 ? names.join(', ') : 'number';
}

function summaryText({ times, series, empty, buckets, notes }           )         {
  const [first, last] = [times[0], times.at(-1)];
  if (series.length === 0 || first === undefined || last === undefined) {
    return times.length === 0 ? 'There is nothing to draw.' : 'Choose a value to draw.';
  }
  const gaps =
    empty.length === 0 ? '' : ` ${empty.length} of ${buckets} buckets have no rows, and are shaded.`;
  return [`${timeText(first)} to ${timeText(last)} UTC.${gaps}`, ...notes].join(' ');
}

return { buildChart, axisLabel };
})();
// result/downloads.ts
const module20 = (() => {
const { button, element } = module1;
                                               
                                             

const titles                                   = {
  csv: 'CSV',
  'csv-bom': 'CSV for Excel',
  json: 'JSON',
  ndjson: 'NDJSON',
  parquet: 'Parquet',
  arrow: 'Arrow',
  prometheus: 'Prometheus',
};

/**
 * A button for each format. The rows are those that are shown, from the same cached result.
 *
 * @param search the query string of their request
 */
function buildDownloads(
  gateway         ,
  { path, formats }          ,
  search              ,
  onError                          ,
)              {
  const status = element('span', { role: 'status' });
  const save = async (format        ) => {
    const title = titles[format] ?? format;
    status.textContent = `Downloading ${title} …`;
    try {
      const { blob, name } = await gateway.file(`${path}.${format}${search()}`);
      const href = URL.createObjectURL(blob);
      element('a', { href, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(href), 60_000);
      status.textContent = `Saved ${name}.`;
    } catch (error) {
      status.textContent = `${title} could not be downloaded.`;
      onError(error);
    }
  };
  const [csv = [], others = []] = [
    formats.filter((format) => format === 'csv'),
    formats.filter((format) => format !== 'csv'),
  ];
  const buttons = [...csv, 'json', ...others].map((format) =>
    button(titles[format] ?? format, () => void save(format)),
  );
  return element(
    'div',
    { class: 'row', role: 'group', 'aria-label': 'Download' },
    'Download',
    ...buttons,
    status,
  );
}

return { buildDownloads };
})();
// result/cell.ts
const module21 = (() => {
const { element } = module1;
                                             
const {            jsonText } = module3;
const { timestampText } = module13;

const isNumeric = ({ type, repeated }        ) =>
  !repeated && (type === 'integer' || type === 'float' || type === 'numeric');

const alignment = (column        )                     => (isNumeric(column) ? 'number' : undefined);

/** Text longer than this is opened on demand. */
const maxShownLength = 240;

/** What a cell shows of a value. */
function cellContent(value                  , { type, repeated }        )       {
  if (value === undefined) return element('span', { class: 'null' }, 'NULL');
  if (type === 'timestamp' && !repeated && (typeof value === 'number' || typeof value === 'bigint')) {
    return element('span', { class: 'nowrap' }, timestampText(value));
  }
  if (value !== null && typeof value === 'object') return nested(value);
  const text = String(value);
  if (text === '') return element('span', { class: 'null' }, 'empty text');
  return text.length > maxShownLength ? longText(text) : visibleText(text);
}

/** Arrow keys scroll what does not fit. */
const scrollable = { tabindex: 0, role: 'group', 'aria-label': 'Whole value' };

function nested(value      )       {
  const isArray = Array.isArray(value);
  const size = Object.keys(value          ).length;
  const flat = isArray && size <= 8 && (value                   ).every((item) => typeof item !== 'object');
  if (flat) {
    const text = `[${(value                   ).map((item) => jsonText(item)).join(', ')}]`;
    if (text.length <= maxShownLength) return visibleText(text);
  }
  const unit = isArray ? (size === 1 ? 'item' : 'items') : size === 1 ? 'field' : 'fields';
  return opened(`${size} ${unit}`, () => element('pre', scrollable, visibleText(jsonText(value))));
}

const longText = (text        )       =>
  opened(visibleText(`${text.slice(0, maxShownLength)}…`), () =>
    element('div', { class: 'whole', ...scrollable }, visibleText(text)),
  );

/** A summary whose content is made when it is first opened: a page has thousands. */
function opened(summary               , content            )       {
  const details = element('details', {}, element('summary', {}, summary));
  details.addEventListener('toggle', () => details.append(content()), { once: true });
  return details;
}

/**
 * Characters that cannot be seen, or that change how the text around them is shown, as their code. Line breaks and tabs stay.
 */
const hidden = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u00ad\u200b\u2028\u2029\u2060\ufeff]/gu;

/** Longer text is not squeezed into a narrow column. */
const maxNarrowLength = 40;

/** The direction of each text is its own. */
function visibleText(text        )       {
  const made = element('span', { dir: 'auto', class: text.length > maxNarrowLength ? 'text long' : 'text' });
  let from = 0;
  for (const { index, 0: character } of text.matchAll(hidden)) {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    made.append(text.slice(from, index), element('span', { class: 'code' }, `U+${code}`));
    from = index + character.length;
  }
  made.append(text.slice(from));
  return made;
}

return { alignment, cellContent };
})();
// result/order.ts
const module22 = (() => {
const {              valueIn } = module2;
const {                             jsonText } = module3;

/** The rows in an order; NULLs are last in both directions, and equal rows stay as the query ordered them. */
function sortRows(
  rows                       ,
  column        ,
  descending         ,
)                        {
  const present                                                       = [];
  const absent               = [];
  for (const row of rows) {
    const value = valueIn(row, column);
    if (value === undefined) absent.push(row);
    else present.push({ row, value });
  }
  const compare = comparisonOf(column);
  const direction = descending ? -1 : 1;
  present.sort((a, b) => direction * compare(a.value, b.value));
  return [...present.map(({ row }) => row), ...absent];
}

                                               

function comparisonOf({ type, repeated }        )             {
  if (repeated || type === 'json' || type === 'record') return byJson;
  if (type === 'numeric') return (a, b) => compareDecimals(String(a), String(b));
  if (type === 'string') return byLocale;
  return (a, b) => (typeof a === typeof b || (isNumber(a) && isNumber(b)) ? byValue(a, b) : byJson(a, b));
}

const isNumber = (value      ) => typeof value === 'number' || typeof value === 'bigint';

const { compare: compareTexts } = new Intl.Collator();

const byLocale             = (a, b) => compareTexts(String(a), String(b));

/** Numbers and BigInt are compared exactly with each other. */
const byValue             = (a, b) => ((a ?? 0) < (b ?? 0) ? -1 : (a ?? 0) > (b ?? 0) ? 1 : 0);

const byJson             = (a, b) => byValue(jsonText(a), jsonText(b));

/** Compares decimal texts exactly: they may have more digits than a number. */
function compareDecimals(a        , b        )         {
  const [x, y] = [decimalOf(a), decimalOf(b)];
  const digits = Math.max(x.fraction.length, y.fraction.length);
  const scaled = ({ sign, whole, fraction }         ) =>
    BigInt(`${whole}${fraction.padEnd(digits, '0')}`) * sign;
  const difference = scaled(x) - scaled(y);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

                   
                        
                         
                            
 

function decimalOf(text        )          {
  const {
    sign,
    whole = '0',
    fraction = '',
  } = /^(?<sign>-?)(?<whole>\d+)(?:\.(?<fraction>\d+))?$/.exec(text)?.groups ?? {};
  return { sign: sign === '-' ? -1n : 1n, whole, fraction };
}

return { sortRows };
})();
// result/table.ts
const module23 = (() => {
const { button, element } = module1;
const {              valueIn } = module2;
                                             
const { alignment, cellContent } = module21;
                                        
const { sortRows } = module22;

                           
                                
                                          
                                       
 

/** Rows that are put into the page at first, and with each press of the button: more would freeze a phone. */
const pageSize = 200;

/** The rows as a table. Each press of a column's head sorts it: ascending, descending, as the query ordered the rows. */
function buildTable(columns                   , onSort                                    )           {
  let rows                        = [];
  let sorted = rows;
  let order                   ;
  let shown = 0;
  const heads = columns.map((column) => ({ column, cell: headCell(column, () => press(column)) }));
  const body = element('tbody');
  const caption = element('caption', { 'aria-live': 'polite' });
  const more = button('', () => addRows(pageSize), { hidden: true });
  const all = button('', () => addRows(sorted.length), { hidden: true });
  const label = 'Rows, scrollable';
  const table = element(
    'div',
    { class: 'scroll rows', tabindex: 0, role: 'region', 'aria-label': label },
    element(
      'table',
      {},
      caption,
      element('thead', {}, element('tr', {}, ...heads.map(({ cell }) => cell))),
      body,
    ),
  );

  function press({ name }        )       {
    const isSame = order?.column === name;
    order = isSame && order?.descending ? undefined : { column: name, descending: isSame };
    arrange();
    onSort(order);
  }
  function arrange()       {
    const column = columns.find(({ name }) => name === order?.column);
    // A column of an older address may be gone.
    if (column === undefined) order = undefined;
    sorted = column === undefined ? rows : sortRows(rows, column, order?.descending ?? false);
    for (const { column: one, cell } of heads) {
      cell.removeAttribute('aria-sort');
      if (one === column) cell.setAttribute('aria-sort', order?.descending ? 'descending' : 'ascending');
    }
    const rowsToShow = Math.max(shown, pageSize);
    shown = 0;
    body.replaceChildren();
    addRows(rowsToShow);
  }
  function addRows(count        )       {
    const next = sorted.slice(shown, shown + count);
    const made = next.map((row) =>
      element(
        'tr',
        {},
        ...columns.map((column) =>
          element('td', { class: alignment(column) }, cellContent(valueIn(row, column), column)),
        ),
      ),
    );
    body.append(...made);
    shown += next.length;
    const left = sorted.length - shown;
    more.hidden = left === 0;
    all.hidden = left <= pageSize || sorted.length > maxAll;
    more.textContent = `Show ${Math.min(left, pageSize)} more`;
    all.textContent = `Show all ${sorted.length.toLocaleString('en')}`;
    caption.textContent =
      rows.length === 0
        ? 'No rows'
        : `${left === 0 ? '' : `The first ${shown.toLocaleString('en')} of `}${rows.length.toLocaleString('en')} ${rows.length === 1 ? 'row' : 'rows'}${orderText(order)}`;
  }
  return {
    element: element('div', {}, table, element('div', { class: 'row' }, more, all)),
    show(next) {
      rows = next;
      arrange();
    },
    sort(next) {
      if (next?.column === order?.column && next?.descending === order?.descending) return;
      order = next;
      shown = 0;
      arrange();
    },
  };
}

/** More rows at once take a browser too long. */
const maxAll = 10_000;

const orderText = (order                   ) =>
  order === undefined
    ? ', in the order of the query'
    : `, sorted by ${order.column}, ${order.descending ? 'descending' : 'ascending'}`;

function headCell(column        , onPress            )                       {
  const { name, unit, type } = column;
  const more = [unit, type === 'timestamp' ? 'UTC' : undefined].filter((text) => text !== undefined);
  const head = button(name, onPress, { class: 'head' });
  if (more.length > 0) head.append(element('span', { class: 'muted' }, ` ${more.join(', ')}`));
  return element('th', { scope: 'col', class: alignment(column) }, head);
}

return { buildTable };
})();
// result/rows-view.ts
const module24 = (() => {
const { buildChart } = module19;
const { element } = module1;
                                               
                                                           
                                                    
const { buildDownloads } = module20;
const { buildTable } = module23;
const { costText } = module11;

/** The rows of a query as a table and a chart, with their downloads. */
                           
                                                         
                             
                                
                                                                                      
                               
                                                              
               
 

                           
                            
                              
                            
                                                 
                                            
                                               
                                      
                              
 

                 
                               
                          
                                 
 

function buildRowsView(options                 )           {
  const { gateway, endpoint, view, onView, onProblem, above } = options;
  let shown                   ;
  const search = () => shown?.search;
  const cost = element('p', { class: 'muted' });
  const table = buildTable(endpoint.columns, (order) => onView({ order }));
  const chart = buildChart(endpoint.columns, (choice) => {
    onView({ chart: choice });
    if (shown !== undefined) shown.chart = choice;
  });
  const downloads = buildDownloads(gateway, endpoint, () => search() ?? '', onProblem);
  const charts = chart === undefined ? [] : [chart.element];
  const result = element('div', { hidden: true }, above, ...charts, downloads, table.element);
  return {
    cost,
    element: result,
    search,
    async show({ rows, headers }, newSearch) {
      cost.textContent = costLine(headers);
      result.hidden = false;
      const etag = headers.get('etag');
      const { order, chart: choice } = view();
      // Equal rows stay as they are, with what was opened in them.
      const isSame = etag !== null && etag === shown?.etag && newSearch === shown.search;
      const isSameChart = isSame && JSON.stringify(choice) === JSON.stringify(shown?.chart);
      shown = { etag, search: newSearch, chart: choice };
      table.sort(order);
      if (!isSame) table.show(rows);
      if (isSameChart) return;
      // The browser shows the table before it draws many points.
      await new Promise((resolve) => setTimeout(resolve));
      if (shown?.search === newSearch && shown.etag === etag) await chart?.show(rows, choice);
    },
    hide() {
      cost.textContent = '';
      result.hidden = true;
      shown = undefined;
    },
  };
}

function costLine(headers         )         {
  const computedAt = headers
    .get('querygate-computed-at')
    ?.replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
  return [
    computedAt === undefined ? '' : `Computed at ${computedAt}.`,
    costText(headers.get('querygate-cost')),
  ]
    .filter((text) => text !== '')
    .join(' ');
}

return { buildRowsView };
})();
// result/result.ts
const module25 = (() => {
const { button, element, section } = module1;
                                               
const {               GatewayError,                   } = module4;
const {                       searchOf } = module8;
                                       
const { buildAutoRefresh } = module12;
const { buildRowsView } = module24;
const { cacheText, problemText, rowsText } = module11;

/** The part of a page that runs the query and shows the rows. */
                                
                                
                                                                     
                                                              
                                            
                
                                  
                
 

                         
                            
                              
                            
                                                 
                                                        
                                                       
 

function buildResult({ gateway, endpoint, view, onView, onProblem }               )                {
  const { path, maxRows, caching } = endpoint;
  let current                  = new Map();
  let running                             ;

  const status = element('p', { role: 'status' });
  const problem = element('p', { role: 'alert', class: 'problem' });
  const cancel = button('Cancel', () => running?.abort(), { hidden: true });
  const refresh = buildAutoRefresh(caching, () => void load(false, true));
  const rows = buildRowsView({
    gateway,
    endpoint,
    view,
    onView,
    onProblem: showProblem,
    above: refresh.element,
  });

  function showProblem(error         )       {
    if (error instanceof GatewayError && onProblem(error)) return;
    problem.textContent = problemText(error);
  }

  /** @param isRefresh of rows that are shown: they stay if it fails */
  async function load(again         , isRefresh         )                {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    refresh.stop();
    if (!isRefresh) {
      problem.textContent = '';
      status.textContent = 'Running …';
      cancel.hidden = false;
    }
    const search = searchOf(current);
    try {
      const response = await gateway.rows(path + search, mine.signal, again);
      if (running !== mine) return;
      problem.textContent = '';
      status.textContent = statusText(response, maxRows);
      await rows.show(response, search);
      refresh.succeeded(ageOf(response));
    } catch (error) {
      if (running !== mine) return;
      if (mine.signal.aborted) showCancelled(search);
      else if (isRefresh) showFailedRefresh(error);
      else showFailure(error);
    } finally {
      if (running === mine) cancel.hidden = true;
    }
  }

  function showCancelled(search        )       {
    status.textContent = 'Cancelled.';
    if (rows.search() === search) refresh.failed(undefined);
    // The parameters are others than those of the rows.
    else rows.hide();
  }

  function showFailedRefresh(error         )       {
    const message = error instanceof Error ? error.message : String(error);
    problem.textContent = `The rows could not be refreshed, and are those of before. ${message}`;
    const refused = error instanceof GatewayError ? error : undefined;
    if (refused?.status === 401) onProblem(refused);
    if (!isWrongRequest(refused)) refresh.failed(refused?.retryAfterSeconds);
  }

  function showFailure(error         )       {
    status.textContent = 'There is no result.';
    rows.hide();
    showProblem(error);
  }

  function stop()       {
    running?.abort();
    running = undefined;
    refresh.stop();
  }

  return {
    element: section(
      'result',
      'Result',
      element('div', { class: 'row' }, status, cancel),
      rows.cost,
      problem,
      rows.element,
    ),
    async run(values, again) {
      current = values;
      await load(again, false);
    },
    clear() {
      stop();
      rows.hide();
      problem.textContent = '';
      status.textContent = 'Fill in the parameters and press Run.';
    },
    close: stop,
  };
}

/** Repeating an invalid request would fail again. */
const isWrongRequest = (error                          ) =>
  error !== undefined && error.status >= 400 && error.status < 500 && error.status !== 429;

const ageOf = ({ headers }              ) => Number(headers.get('age') ?? 0);

/** How many rows there are, and where they came from. */
function statusText(response              , maxRows                    )         {
  const { rows, headers } = response;
  const isTruncated = headers.get('querygate-truncated') === 'true';
  const origin = cacheText(headers.get('cache-status') ?? '', ageOf(response));
  return `${rowsText(rows.length, isTruncated, maxRows)} ${origin}`;
}

return { buildResult };
})();
// snippets/snippets.ts
const module26 = (() => {
                                                                               
const {            jsonText } = module3;
const { canonicalText,                      } = module8;

/** A text to paste elsewhere. */
                          
                         
                        
 

/** A request as other programs send it. The key is in none of them. */
                                 
                          
                              
                                   
 

function curlSnippet({ origin, endpoint, values }                )         {
  return [
    'curl --silent --show-error --fail-with-body --compressed --get',
    `  --header "Authorization: Bearer $QUERYGATE_KEY"`,
    ...pairsOf(values).map(([name, value]) => `  --data-urlencode ${shellText(`${name}=${value}`)}`),
    `  ${shellText(origin + endpoint.path)}`,
  ].join(' \\\n');
}

function typescriptSnippet({ origin, endpoint, values }                )         {
  const pairs = pairsOf(values).map(([name, value]) => `  [${codeText(name)}, ${codeText(value)}],\n`);
  return `interface Row {
${endpoint.columns.map(columnType).join('')}}

const url = new URL(${codeText(origin + endpoint.path)});
url.search = new URLSearchParams([
${pairs.join('')}]).toString();

const headers = { authorization: \`Bearer \${process.env.QUERYGATE_KEY}\` };
const response = await fetch(url, { headers });
if (!response.ok) throw new Error(await response.text());
const { result } = (await response.json()) as { result: Row[] };
console.log(result);
`;
}

function pythonSnippet({ origin, endpoint, values }                )         {
  const pairs = pairsOf(values).map(([name, value]) => `    (${codeText(name)}, ${codeText(value)}),\n`);
  return `import json
import os
import urllib.parse
import urllib.request

url = ${codeText(origin + endpoint.path)}
parameters = [
${pairs.join('')}]
request = urllib.request.Request(
    f"{url}?{urllib.parse.urlencode(parameters)}",
    headers={"Authorization": f"Bearer {os.environ['QUERYGATE_KEY']}"},
)
with urllib.request.urlopen(request) as response:
    rows = json.load(response)["result"]
for row in rows:
    print(row)
`;
}

/** The values as a GraphQL document's variables. */
function graphqlVariables({ endpoint, values }                )         {
  const { graphql, parameters } = endpoint;
  const variables = parameters.flatMap(({ name, schema })                   => {
    const texts = values.get(name);
    if (texts === undefined || isOtherValue(texts, schema)) return [];
    const value =
      schema.type === 'array'
        ? texts.map((text) => variableValue(text, schema.items ?? {}))
        : variableValue(texts[0] ?? '', schema);
    return [[graphql.variables[name] ?? name, value]];
  });
  return jsonText(Object.fromEntries(variables));
}

/** GraphQL has no values beside those of an enum. Where REST takes others, they mean the same as none. */
const isOtherValue = ([text = '']                   , schema             ) =>
  schema.enum !== undefined &&
  schema.default !== undefined &&
  !schema.enum.includes(canonicalText(text, schema));

/**
 * The query for the console of BigQuery, which has no field for parameters: EXECUTE IMMEDIATE gives them to the SQL as it is.
 * Columns would hide variables of the same names.
 */
function bigquerySnippet(sql        , { endpoint, values }                )         {
  // In backquotes: `from` and `to` are names of parameters, and words of SQL.
  const bound = endpoint.parameters.map(
    (parameter) => `  ${bigqueryValue(parameter, values)} AS \`${parameter.name}\``,
  );
  const using = bound.length === 0 ? '' : `\nUSING\n${bound.join(',\n')}`;
  return `EXECUTE IMMEDIATE ${bigqueryText(sql)}${using};\n`;
}

const pairsOf = (values                 )                                         =>
  [...values].flatMap(([name, texts]) => texts.map((value) => [name, value]         ));

/** In single quotes a shell takes every character as it is. */
const shellText = (text        ) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A string literal of JavaScript and of Python. Characters that change how code looks are escaped. */
const codeText = (text        ) =>
  JSON.stringify(text).replace(
    /[\p{Cc}\p{Bidi_Control}\u200b\u2028\u2029\u2060\ufeff]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const columnTypes                                   = {
  integer: 'number',
  float: 'number',
  timestamp: 'number',
  boolean: 'boolean',
  json: 'unknown',
  record: 'Record<string, unknown>',
};

function columnType({ name, type, repeated, required }        )         {
  const property = /^[A-Za-z_$][\w$]*$/.test(name) ? name : codeText(name);
  return `  ${property}${required ? '' : '?'}: ${columnTypes[type] ?? 'string'}${repeated ? '[]' : ''};\n`;
}

function variableValue(text        , schema             )       {
  if (schema.enum !== undefined) {
    return schema['x-enum-varnames']?.[schema.enum.indexOf(canonicalText(text, schema))] ?? text;
  }
  if (schema.type === 'boolean' && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (schema.type === 'integer' && /^[+-]?\d+$/.test(text)) return BigInt(text.replace('+', ''));
  return schema.type === 'number' && Number.isFinite(Number(text)) ? Number(text) : text;
}

function bigqueryValue({ name, schema, fallback, bind }           , values                 )         {
  const value = schema.items ?? schema;
  const given = values.get(name);
  const texts =
    given === undefined || isOtherValue(given, schema)
      ? fallback.map((text) => resolveRelative(text, value))
      : given;
  const typed = (text        ) => {
    const literal = codeText(canonicalText(text, value));
    return bind === 'STRING' ? literal : `CAST(${literal} AS ${bind})`;
  };
  if (schema.type === 'array') return `ARRAY<${bind}>[${texts.map(typed).join(', ')}]`;
  const [text] = texts;
  if (text !== undefined) return typed(text);
  return bind === 'STRING' ? '""' : `CAST(NULL AS ${bind})`;
}

const unitMs                                   = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A default as in `-1d` as it is now; any other text as it is. */
function resolveRelative(text        , { format }             )         {
  const {
    sign,
    count = '',
    unit = '',
  } = /^(?<sign>[+-]?)(?<count>\d{1,5})(?<unit>[mhdw])$/.exec(text)?.groups ?? {};
  if (unit === '' || (format !== 'date' && format?.startsWith('date-time') !== true)) return text;
  const distance = Number(count) * (unitMs[unit] ?? 0);
  const moment = new Date(Date.now() + (sign === '-' ? -distance : distance)).toISOString();
  if (format === 'date') return moment.slice(0, 10);
  return `${moment.slice(0, 16)}:00${format === 'date-time' ? 'Z' : ''}`;
}

/** A string literal that leaves SQL readable: backslashes mean themselves in a raw one. */
function bigqueryText(sql        )         {
  const quotes = ['"""', "'''"].find((candidate) => !sql.includes(candidate));
  return quotes === undefined ? codeText(sql) : `r${quotes}\n${sql.trim()}\n${quotes}`;
}

return { curlSnippet, typescriptSnippet, pythonSnippet, graphqlVariables, bigquerySnippet };
})();
// snippets/tabs.ts
const module27 = (() => {
const { button, element } = module1;
                                             

                      
                      
                         
                                                  
                                              
 

                       
                                
                                   
                  
                                                               
                                     
 

/**
 * Texts to copy, one kind at a time. Arrow keys choose the tab, as in the pattern of the ARIA Authoring Practices.
 *
 * @param chosen the id of the first shown tab
 */
function buildTabs(
  tabs                ,
  chosen                    ,
  onChoose                      ,
)       {
  const panel = element('div', { role: 'tabpanel', id: 'snippet-panel', tabindex: 0 });
  const status = element('p', { role: 'status', class: 'muted' });
  const placeOf = (chosenId                    ) => tabs.findIndex(({ id }) => id === chosenId);
  let current = Math.max(placeOf(chosen), 0);
  const heads = tabs.map(({ id, title }, at) =>
    button(title, () => choose(at), { role: 'tab', id: `tab-${id}`, 'aria-controls': panel.id }),
  );
  const list = element('div', { role: 'tablist', 'aria-label': 'Languages', class: 'tabs' }, ...heads);
  list.addEventListener('keydown', (event) => {
    const places                                   = {
      ArrowRight: (current + 1) % tabs.length,
      ArrowLeft: (current + tabs.length - 1) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    const next = places[event.key];
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
    heads[next]?.focus();
  });
  function choose(at        )       {
    current = at;
    refresh();
    onChoose(tabs[at]?.id ?? '');
  }
  function refresh()       {
    status.textContent = '';
    for (const [at, head] of heads.entries()) {
      head.setAttribute('aria-selected', String(at === current));
      head.tabIndex = at === current ? 0 : -1;
    }
    panel.setAttribute('aria-labelledby', heads[current]?.id ?? '');
    panel.replaceChildren(...(tabs[current]?.snippets() ?? []).map((snippet) => copyable(snippet, status)));
  }
  function show(chosenId                    )       {
    const at = placeOf(chosenId);
    if (at >= 0) current = at;
    refresh();
  }
  refresh();
  return { element: element('div', {}, list, panel, status), refresh, show };
}

/** A text with a button that copies it. */
function copyable({ title, text }         , status             )              {
  const code = element(
    'pre',
    { tabindex: 0, role: 'region', 'aria-label': title },
    element('code', {}, text),
  );
  const copy = button(`Copy ${title}`, async () => {
    status.textContent = (await copyText(text, code)) ? `Copied ${title}.` : 'Select the text and copy it.';
  });
  return element('div', { class: 'snippet' }, element('div', { class: 'row' }, copy), code);
}

/** Browsers give access to the clipboard over https and on this machine only; elsewhere the older way is left. */
async function copyText(text        , shown             )                   {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(shown);
    return document.execCommand('copy');
  }
}

return { buildTabs, copyable };
})();
// snippets/snippet-section.ts
const module28 = (() => {
const { element, section } = module1;
                                               
                                             
                                                               
const {
  bigquerySnippet,
  curlSnippet,
  graphqlVariables,
  pythonSnippet,
                      
  typescriptSnippet,
} = module26;
const { buildTabs, copyable,          } = module27;

                                 
                            
                              
                                                      
                              
                                 
                                         
                                   
                                        
 

                                 
                                
                                                 
                  
                                                    
                                      
 

/** How programs send the same request, and the SQL for keys that may see it. */
function buildSnippetSection(options                       )                 {
  const { gateway, endpoint, maySeeSql, values, tab, onTab } = options;
  const current = ()                 => ({ origin: location.origin, endpoint, values: values() });
  let sql                    ;
  const tabs                 = [
    { id: 'curl', title: 'curl', snippets: () => [{ title: 'curl command', text: curlSnippet(current()) }] },
    {
      id: 'graphql',
      title: 'GraphQL',
      snippets: () => [
        { title: 'GraphQL document', text: endpoint.graphql.document },
        { title: 'variables', text: graphqlVariables(current()) },
      ],
    },
    {
      id: 'typescript',
      title: 'TypeScript',
      snippets: () => [{ title: 'TypeScript', text: typescriptSnippet(current()) }],
    },
    { id: 'python', title: 'Python', snippets: () => [{ title: 'Python', text: pythonSnippet(current()) }] },
    ...(maySeeSql
      ? [
          {
            id: 'bigquery',
            title: 'BigQuery console',
            snippets: () =>
              sql === undefined
                ? [{ title: 'BigQuery script', text: `-- ${status.textContent ?? ''}` }]
                : [{ title: 'BigQuery script', text: bigquerySnippet(sql, current()) }],
          },
        ]
      : []),
  ];
  const status = element('p', { role: 'status' }, 'Loading the SQL…');
  const shown = buildTabs(tabs, tab, onTab);
  const details = element('details', {}, element('summary', {}, 'SQL'), status);
  if (maySeeSql) {
    gateway.sql(endpoint.name).then(
      (text) => {
        sql = text;
        status.textContent = '';
        details.append(copyable({ title: 'SQL', text }, status));
        shown.refresh();
      },
      (error         ) => {
        status.textContent = `The SQL cannot be shown. ${error instanceof Error ? error.message : String(error)}`;
        shown.refresh();
      },
    );
  }
  const note = element(
    'p',
    { class: 'muted' },
    'The programs read the key from the environment variable QUERYGATE_KEY.',
  );
  return {
    element: section('code', 'From your code', note, shown.element, ...(maySeeSql ? [details] : [])),
    refresh: shown.refresh,
    show: shown.show,
  };
}

return { buildSnippetSection };
})();
// view.ts
const module29 = (() => {
/** What the chart shows. */
                              
                                     
                                     
                                                                                
                                     
 

/** By which column a table is ordered. */
                        
                          
                               
 

/**
 * How a result is shown. It is in the fragment of the address, so that it is shared with the parameters, is not sent, and
 * cannot be taken for a parameter.
 */
                       
                                    
                                       
                                          
                                           
                                   
 

/** @param hash with its `#` */
function viewOf(hash        )       {
  const parts = new URLSearchParams(hash.slice(1));
  const sort = parts.get('sort') ?? '';
  const column = sort.replace(/^-/, '');
  const values = parts.getAll('y');
  return {
    order: column === '' ? undefined : { column, descending: sort.startsWith('-') },
    chart: values.length === 0 ? undefined : { values, split: parts.get('split') ?? undefined },
    tab: parts.get('tab') ?? undefined,
  };
}

/** @returns '' if everything has its default */
function hashOf({ order, chart, tab }      )         {
  const parts = [
    ...(order === undefined ? [] : [['sort', `${order.descending ? '-' : ''}${order.column}`]]),
    ...(chart?.values ?? []).map((value) => ['y', value]),
    ...(chart?.split === undefined ? [] : [['split', chart.split]]),
    ...(tab === undefined ? [] : [['tab', tab]]),
  ];
  return parts.length === 0 ? '' : `#${new URLSearchParams(parts)}`;
}

return { viewOf, hashOf };
})();
// query-page.ts
const module30 = (() => {
const { button, element, section } = module1;
                                                                  
                                            
const { buildForm } = module10;
const { isComplete,                       searchOf, valuesOf } = module8;
const { buildResult } = module25;
const { cachingText } = module11;
const { buildSnippetSection } = module28;
const { hashOf,            viewOf } = module29;

                            
                             
                            
                              
                           
                                  
 

/** The page of one endpoint: its parameters, the result, and how programs send the request. */
function showQuery({ main, gateway, endpoint, key, onWrongKey }                  )       {
  const { name, summary, description, parameters, maxRows, caching, isDeprecated } = endpoint;
  let view = viewOf(location.hash);
  const setView = (part               ) => {
    view = { ...view, ...part };
    history.replaceState(null, '', location.pathname + location.search + hashOf(view));
  };

  const runAgain = button('Run now, without the cache', () => submit(true));
  const form = buildForm({
    parameters,
    tenants: key.tenants,
    actions: [
      element('button', { type: 'submit', class: 'primary' }, 'Run'),
      ...(key.permissions.includes('fresh') && caching !== undefined ? [runAgain] : []),
    ],
    onSubmit: () => submit(false),
  });
  const result = buildResult({
    gateway,
    endpoint,
    view: () => view,
    onView: setView,
    onProblem(error) {
      if (error.status === 401) {
        result.close();
        onWrongKey();
        return true;
      }
      return error.parameter !== undefined && form.showProblem(error.parameter, error.message);
    },
  });
  const snippets = buildSnippetSection({
    gateway,
    endpoint,
    maySeeSql: key.permissions.includes('catalog'),
    values: () => form.read(),
    tab: view.tab,
    onTab: (tab) => setView({ tab }),
  });
  form.element.addEventListener('input', () => snippets.refresh());

  function submit(again         )       {
    const values = form.read();
    const address = location.pathname + searchOf(values) + hashOf(view);
    if (searchOf(values) !== location.search) history.pushState(null, '', address);
    void result.run(values, again);
  }
  /** Shows the request in the address. */
  function readAddress()       {
    const values = valuesOf(location.search, parameters);
    view = viewOf(location.hash);
    form.write(values.size === 0 ? withExamples(endpoint, key) : values);
    snippets.show(view.tab);
    if (isComplete(values, parameters)) void result.run(values, false);
    else result.clear();
  }
  window.onpopstate = readAddress;

  document.title = `${name} – Querygate`;
  main.replaceChildren(
    element('p', {}, element('a', { href: '/' }, 'All endpoints')),
    element('h1', {}, name),
    ...(isDeprecated
      ? [element('p', {}, element('span', { class: 'badge' }, 'deprecated'), ` ${description}`)]
      : []),
    element('p', { class: 'summary' }, summary),
    element(
      'p',
      { class: 'muted' },
      `${maxRows === undefined ? '' : `At most ${maxRows.toLocaleString('en')} rows. `}${cachingText(caching)}`,
    ),
    section('parameters', 'Parameters', form.element),
    result.element,
    snippets.element,
    section('columns', 'Columns', columnsTable(endpoint.columns)),
  );
  readAddress();
}

/** Values to start with: where one is required, the example of the author. The key's own tenant is filled in by its field. */
const withExamples = ({ parameters }          , { tenants }            )                  =>
  new Map(
    parameters.flatMap(({ name, required, example, isTenant }) =>
      required && example.length > 0 && !(isTenant && tenants !== undefined)
        ? [[name, example]         ]
        : [],
    ),
  );

function columnsTable(columns                   )              {
  const head = ['Name', 'Type', 'Unit', 'NULL', 'Meaning'].map((text) =>
    element('th', { scope: 'col' }, text),
  );
  const rows = columns.map(({ name, type, repeated, unit = '', required, description }) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, name),
      ...[repeated ? `list of ${type}` : type, unit, required ? 'never' : 'possible', description].map(
        (text) => element('td', {}, text),
      ),
    ),
  );
  const table = element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...rows),
  );
  return element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Columns, scrollable' },
    table,
  );
}

return { showQuery };
})();
// main.ts
const module31 = (() => {
const { basePath } = module0;
const { element, find } = module1;
const { endpointsOf,                      } = module2;
const {               GatewayError, openGateway } = module4;
const { askForKey, forgetKey, knownKey, rememberKey } = module5;
const { showList } = module6;
const { showQuery } = module30;
const { problemText } = module11;

const main = find('main');
const queryPath = `${basePath}/queries/`;

/** The gateway's words are for programs, which send the key in a header. */
const wrongKey = 'This key is not valid. It may be mistyped, expired or revoked.';

find('skip').addEventListener('click', (event) => {
  // The fragment of the address holds how the result is shown.
  event.preventDefault();
  main.focus();
});

let usedKey = knownKey();
void show(usedKey, undefined);

// A page that the browser kept while another one was shown has rows that are no longer for everybody at this screen.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted && knownKey() !== usedKey) location.reload();
});

async function show(key                    , problem                    )                {
  usedKey = key;
  if (key === undefined) {
    await show(await askForKey(main, problem), undefined);
    focusMain();
    return;
  }
  const name = location.pathname.startsWith(queryPath) ? nameOf(location.pathname) : undefined;
  main.replaceChildren(
    element('h1', {}, name ?? 'Saved queries'),
    element('p', { role: 'status' }, 'Loading…'),
  );
  const gateway = openGateway(key);
  try {
    const document = await gateway.openapi();
    rememberKey(key);
    showPage(gateway, document);
  } catch (error) {
    if (error instanceof GatewayError && error.status === 401) {
      forgetKey();
      return show(undefined, wrongKey);
    }
    showFailure(error, () => void show(key, undefined).then(focusMain));
  }
}

function showPage(gateway         , document                 )       {
  const endpoints = endpointsOf(document);
  if (!location.pathname.startsWith(queryPath)) {
    showList(main, endpoints);
    return;
  }
  const name = nameOf(location.pathname);
  const endpoint = endpoints.find((one) => one.name === name);
  if (endpoint === undefined) {
    showNotFound();
    return;
  }
  const onWrongKey = () => {
    forgetKey();
    void show(undefined, wrongKey);
  };
  showQuery({ main, gateway, endpoint, key: document['x-key'] ?? { permissions: [] }, onWrongKey });
}

/** What had the focus is gone: screen readers go on with what has come in its place. */
function focusMain()       {
  if (document.activeElement === document.body) main.focus();
}

function showNotFound()       {
  document.title = 'Not found – Querygate';
  main.replaceChildren(
    element('h1', {}, 'Not found'),
    element('p', {}, 'There is no such endpoint, or your key may not query it.'),
    element('p', {}, element('a', { href: `${basePath}/` }, 'All endpoints of your key')),
  );
}

function nameOf(pathname        )                     {
  try {
    return decodeURIComponent(pathname.slice(queryPath.length));
  } catch {
    return undefined;
  }
}

function showFailure(error         , tryAgain            )       {
  const again = element('button', { type: 'button' }, 'Try again');
  again.addEventListener('click', tryAgain);
  main.replaceChildren(
    element('h1', {}, 'The endpoints cannot be shown'),
    element('p', { class: 'problem', role: 'alert' }, problemText(error)),
    again,
  );
}

return {  };
})();

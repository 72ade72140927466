import { describeParameter } from '../../../catalog/binding/describe-parameter.ts';
import { exampleValue } from '../../../catalog/binding/example-parameters.ts';
import { textsOf } from '../../../catalog/binding/list-values.ts';
import { type JsonObject, parameterSchema } from '../../../catalog/binding/parameter-schema.ts';
import { maxValueLength } from '../../../catalog/binding/value-limits.ts';
import type { Parameter, SavedQuery } from '../../../catalog/model/saved-query.ts';
import { type Detail, shortened } from './detail.ts';

/** Tenants of a key that are listed as choices; of more, a model gets the number. */
const maxListedTenants = 100;

/** The parameter that the gateway fills in, because the key permits one tenant; undefined: none. */
export const filledParameter = (
  { tenant }: Pick<SavedQuery, 'tenant'>,
  tenants: ReadonlySet<string> | undefined,
): string | undefined => (tenants?.size === 1 ? tenant?.parameter : undefined);

/**
 * The arguments of a tool, with the schemas that OpenAPI has for them. The tenant is not among them for a key that has one.
 *
 * @param tenants that the key is bound to; undefined: none
 * @param further schemas of what the tool takes besides, by name
 */
export function inputSchema(
  query: SavedQuery,
  tenants: ReadonlySet<string> | undefined,
  detail: Detail,
  further: JsonObject = {},
): JsonObject {
  const filled = filledParameter(query, tenants);
  const parameters = query.parameters.filter(({ name }) => name !== filled);
  const required = parameters.filter((one) => one.required).map(({ name }) => name);
  const properties = parameters.map((parameter) => {
    const isTenant = tenants !== undefined && parameter.name === query.tenant?.parameter;
    return [parameter.name, isTenant ? tenantSchema(parameter, tenants) : argumentSchema(parameter, detail)];
  });
  const all = [...properties, ...Object.entries(further)];
  return {
    type: 'object',
    // OpenAI's API refuses an object without them.
    properties: Object.fromEntries(all),
    ...(required.length > 0 && { required }),
  };
}

function argumentSchema(parameter: Parameter, detail: Detail): JsonObject {
  const example = exampleValue(parameter);
  const texts = describeParameter(parameter);
  const values =
    parameter.type === 'enum' && detail.values
      ? parameter.values.map(({ value, description }) => `${value}: ${description}`)
      : [];
  const shown = example !== undefined && detail.extras ? textsOf(example).join(', ') : forms[parameter.type];
  const examples = shown === undefined ? [] : [`As in ${shown}.`];
  return {
    ...plainSchema(parameterSchema(parameter)),
    description: [...(detail.sentences ? texts : [shortened(texts[0] ?? '')]), ...examples, ...values].join(
      '\n',
    ),
  };
}

/** Of types whose texts have a form that no member says. */
const forms: Partial<Record<Parameter['type'], string>> = {
  date: '2026-01-31',
  datetime: '2026-01-31T12:00:00',
};

/**
 * The members that every model API takes: Gemini refuses a whole list of tools for one member, or one format of a text,
 * that its subset of JSON Schema does not have. The gateway judges values itself.
 *
 * @see https://ai.google.dev/api/caching#Schema
 */
const plainMembers: ReadonlySet<string> = new Set([
  ...['type', 'description', 'enum', 'items', 'default'],
  ...['minimum', 'maximum', 'minItems', 'maxItems', 'maxLength'],
]);

/** Also without the length that any text may have. */
const plainSchema = (schema: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(schema)
      .filter(
        ([name, value]) =>
          (plainMembers.has(name) || (name === 'format' && value === 'date-time')) &&
          !(name === 'maxLength' && value === maxValueLength),
      )
      .map(([name, value]) => [name, name === 'items' ? plainSchema(value as JsonObject) : value]),
  );

/** A bound key sends tenants, and not a pattern, whatever the type of the parameter is. */
function tenantSchema({ repeated }: Parameter, tenants: ReadonlySet<string>): JsonObject {
  const names = [...tenants].sort();
  const isListed = names.length <= maxListedTenants;
  const one = { type: 'string', ...(isListed && { enum: names }) };
  const description = isListed
    ? 'Whose rows are returned.'
    : `Whose rows are returned: one of the ${names.length} that this key may read.`;
  return repeated ? { type: 'array', items: one, minItems: 1, description } : { ...one, description };
}

import { didYouMean, listShort } from '@querygate/text';
import {
  type GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { connectionFieldOf } from '../../../names/graphql-names.ts';

/** More names than this are not compared, and not for more errors: an invalid document must stay cheap. */
const maxCompared = 2_000;
const maxSuggestions = 3;

type Hint = (schema: GraphQLSchema, of: string, name: string) => string;

/** Of the nearest of the names that there are. */
const nearestOf =
  (namesIn: (schema: GraphQLSchema, of: string) => readonly string[]): Hint =>
  (schema, of, name) => {
    const names = namesIn(schema, of);
    return names.length > maxCompared ? '' : didYouMean(name, names);
  };

const nearestField = nearestOf((schema, of) => Object.keys(fieldsOf(schema.getType(of))));

const nearestArgument = nearestOf((schema, of) => {
  const [type = '', field = ''] = of.split('.');
  return (fieldsOf(schema.getType(type))[field]?.args ?? []).map(({ name }) => name);
});

const pageArguments: ReadonlySet<string> = new Set(['first', 'after', 'last', 'before']);

/** The field that has the pages of a query, for an argument of pages on another field of it. */
function pagesHint(schema: GraphQLSchema, of: string, name: string): string | undefined {
  if (!pageArguments.has(name)) return undefined;
  const roots = fieldsOf(schema.getQueryType() ?? undefined);
  const [type, field = ''] = of.split('.');
  const root =
    type === schema.getQueryType()?.name
      ? field
      : Object.values(roots).find((one) => getNamedType(one.type).name === type)?.name;
  const pages = root === undefined ? undefined : roots[connectionFieldOf(root)]?.name;
  return pages && `; ${pages} has pages`;
}

const unknownNames: readonly (readonly [RegExp, Hint])[] = [
  [
    /Cannot query field "(?<name>\w+)" on type "(?<of>\w+)"\.$/,
    (schema, of, name) => placeOfField(schema, of, name) ?? nearestField(schema, of, name),
  ],
  [
    /Unknown argument "(?<name>\w+)" on field "(?<of>\w+\.\w+)"\.$/,
    (schema, of, name) => pagesHint(schema, of, name) ?? nearestArgument(schema, of, name),
  ],
  // A longer value is not compared with the names.
  [/(?:Value "(?<name>[^"]{0,60}))?" does not exist in "(?<of>\w+)" enum\.$/, valueHint],
  [
    /Enum "(?<of>\w+)" cannot represent non-(?:enum|string) value: (?:"(?<quoted>[^"]{0,60})"\.$|(?<name>[\w.-]{0,60}))/,
    valueHint,
  ],
  [
    /value of type "(?<of>\w+)!?" not to include unknown field "(?<name>\w+)"/,
    nearestOf((schema, of) => {
      const type = schema.getType(of);
      return isInputObjectType(type) ? Object.keys(type.getFields()) : [];
    }),
  ],
  [/Unknown type "(?<name>\w+)"(?<of>)\.$/, nearestOf((schema) => Object.keys(schema.getTypeMap()))],
];

export const isOfUnknownName = (message: string): boolean =>
  unknownNames.some(([pattern]) => pattern.test(message));

/**
 * Adds to messages about unknown names what is probably meant, of the schema that the caller may see. The comparison is our
 * own: that of graphql-js takes as long as a name is, for each name of the schema.
 */
export function addNearestNames(errors: readonly GraphQLError[], schema: GraphQLSchema): void {
  let left = maxSuggestions;
  for (const error of errors) {
    if (left === 0) return;
    for (const [pattern, hintOf] of unknownNames) {
      const groups = pattern.exec(error.message)?.groups;
      if (groups === undefined) continue;
      left -= 1;
      const { of = '', quoted, name = quoted ?? '' } = groups;
      const hint = hintOf(schema, of, name);
      const right =
        quoted !== undefined && hint.endsWith('?') ? hint.replace('?', ', without quotes?') : hint;
      if (right !== '') error.message = `${error.message.replace(/\.$/, '')}${right}`;
      break;
    }
  }
}

/** Where a field of an object of the type is, as that of a column of the rows of a result. */
function placeOfField(schema: GraphQLSchema, of: string, name: string): string | undefined {
  const plain = plainName(name);
  const type = schema.getType(of);
  // Each saved query has the fields of a result: none of them is meant.
  if (type === schema.getQueryType()) return undefined;
  for (const outer of Object.values(fieldsOf(type))) {
    const inner = Object.values(fieldsOf(getNamedType(outer.type))).find(
      (one) => plainName(one.name) === plain,
    );
    if (inner === undefined) continue;
    const fields = isCompositeType(getNamedType(inner.type)) ? ' { … }' : '';
    return `; it is a field of ${outer.name}: ${outer.name} { ${inner.name}${fields} }`;
  }
  return undefined;
}

/** A column has another spelling in REST. */
const plainName = (name: string): string => name.replaceAll('_', '').toLowerCase();

/** The value that is probably meant, as it is spelled here or in REST, or all of them. */
function valueHint(schema: GraphQLSchema, of: string, text: string): string {
  const type = schema.getType(of);
  if (!isEnumType(type)) return '';
  const values = type.getValues();
  const exact = values.find(({ name, value }) => name === text || value === text)?.name;
  if (exact !== undefined) return `; did you mean ${exact}?`;
  const names = values.map(({ name }) => name);
  const near = names.length > maxCompared ? '' : didYouMean(text, names);
  return `; one of ${listShort(names)}${near}`;
}

const fieldsOf = (type: GraphQLNamedType | undefined) =>
  isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};

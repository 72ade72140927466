import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  getNamedType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  type NamedTypeNode,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  printType,
  type TypeNode,
} from 'graphql';
import { type Entity, entitiesOf, keyFieldsOf } from '../../catalog/model/entities.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import { publicNames } from '../../catalog/model/versions.ts';
import { connectionFieldOf, reservedFields, sqlFieldOf } from '../../names/graphql-names.ts';
import { lookupName } from './lookup-fields.ts';

const link =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@external", "@tag", "@inaccessible", "@override"])';

/** Whose directives a schema has: those of Federation 2, or those of the proposal for composite schemas. */
export type Dialect = 'federation' | 'composite';

/**
 * The schema of a catalog as routers read it: with their directives, and without the fields that describe the catalog, which
 * each gateway has. In steps of about a millisecond; some more for the root type.
 *
 * @param schema of the catalog, with entities
 * @see https://graphql.github.io/composite-schemas-spec/draft, "Source Schema"
 */
export function* subgraphSdl(
  schema: GraphQLSchema,
  catalog: Catalog,
  dialect: Dialect,
): Generator<void, string> {
  const directives = directivesOf(schema, catalog, dialect);
  const definitions: DefinitionNode[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type) || isSpecifiedScalarType(type)) continue;
    const [definition] = parse(printType(type), { noLocation: true }).definitions;
    if (definition !== undefined) definitions.push(definitionWith(definition, directives, dialect));
    yield;
  }
  const texts = dialect === 'federation' ? [link] : [];
  for (const definition of reachable(definitions)) {
    texts.push(print(definition));
    yield;
  }
  return `${texts.join('\n\n')}\n`;
}

function definitionWith(
  definition: DefinitionNode,
  directives: Directives,
  dialect: Dialect,
): DefinitionNode {
  if (definition.kind === Kind.OBJECT_TYPE_DEFINITION) return withDirectives(definition, directives);
  // Composition of Federation does not know @oneOf; the values are checked here in any case.
  return dialect === 'federation' && definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION
    ? { ...definition, directives: [] }
    : definition;
}

interface Directives {
  /** By the name of the type. */
  readonly ofTypes: ReadonlyMap<string, readonly string[]>;
  /** By the name of the type and the field, as in `Query.orders`. */
  readonly ofFields: ReadonlyMap<string, readonly string[]>;
}

/** Of the root type; fields whose names begin so are for routers. */
const isOwnField = (name: string): boolean => reservedFields.has(name) || name.startsWith('_');

function withDirectives(
  { name, fields = [], ...type }: ObjectTypeDefinitionNode,
  { ofTypes, ofFields }: Directives,
): ObjectTypeDefinitionNode {
  const kept = fields.filter((field) => {
    const isOwn = name.value === 'Query' && isOwnField(field.name.value);
    return !isOwn || ofFields.has(`Query.${field.name.value}`);
  });
  return {
    ...type,
    name,
    directives: [...(type.directives ?? []), ...parseDirectives(ofTypes.get(name.value))],
    fields: kept.map((field): FieldDefinitionNode => {
      const own = ofFields.get(`${name.value}.${field.name.value}`);
      return { ...field, directives: [...(field.directives ?? []), ...parseDirectives(own)] };
    }),
  };
}

function parseDirectives(texts: readonly string[] = []): readonly ConstDirectiveNode[] {
  if (texts.length === 0) return [];
  const [definition] = parse(`scalar A ${texts.join(' ')}`, { noLocation: true }).definitions;
  return (definition as { readonly directives: readonly ConstDirectiveNode[] }).directives;
}

function directivesOf(schema: GraphQLSchema, catalog: Catalog, dialect: Dialect): Directives {
  const ofTypes = new Map<string, readonly string[]>();
  const ofFields = new Map<string, readonly string[]>();
  const entities = entitiesOf(catalog);
  // Each gateway, and each subgraph with connections, has them.
  for (const type of ['PageInfo', 'Cost', 'SqlColumn', 'SqlResult']) ofTypes.set(type, ['@shareable']);
  for (const entity of entities) {
    ofTypes.set(
      entity.name,
      entity.keys.map((key) => keyDirective(key, entity, dialect)),
    );
    if (dialect === 'composite' && entity.fields.length > 0)
      for (const key of entity.keys)
        ofFields.set(`Query.${lookupName(entity, key)}`, ['@lookup', '@internal']);
    for (const { name } of keyFieldsOf(entity)) {
      // An entity that is known by another key does not have this one here.
      const isInAll = entity.keys.every((key) => key.some((field) => field.name === name));
      if (!isInAll) ofFields.set(`${entity.name}.${name}`, ['@external']);
    }
    for (const { field, query } of entity.fields)
      ofFields.set(`${entity.name}.${field}`, fieldDirectives(query, dialect));
  }
  for (const { field, query } of publicNames(catalog)) {
    const { extension, directives } = query.federation ?? {};
    const shareable = directives?.shareable ? ['@shareable'] : [];
    const own =
      extension === undefined
        ? fieldDirectives(query, dialect)
        : [...shareable, ...tagDirectives(query, dialect)];
    for (const one of [field, connectionFieldOf(field), sqlFieldOf(field)]) ofFields.set(`Query.${one}`, own);
    if (directives?.shareable)
      for (const type of typesBelow(schema, field, entities)) ofTypes.set(type, ['@shareable']);
  }
  return { ofTypes, ofFields };
}

function keyDirective(
  key: readonly { readonly name: string }[],
  { fields }: Entity,
  dialect: Dialect,
): string {
  const names = JSON.stringify(key.map(({ name }) => name).join(' '));
  // In composite schemas no entity is resolved without a lookup.
  const isStub = fields.length === 0 && dialect === 'federation';
  return `@key(fields: ${names}${isStub ? ', resolvable: false' : ''})`;
}

function fieldDirectives(query: SavedQuery, dialect: Dialect): readonly string[] {
  const { shareable, inaccessible, override } = query.federation?.directives ?? {};
  return [
    ...(shareable ? ['@shareable'] : []),
    ...(inaccessible ? ['@inaccessible'] : []),
    ...(override === undefined ? [] : [`@override(from: ${JSON.stringify(override)})`]),
    ...tagDirectives(query, dialect),
  ];
}

/** Composite schemas have none. */
const tagDirectives = ({ tags = [] }: SavedQuery, dialect: Dialect): readonly string[] =>
  dialect === 'composite' ? [] : tags.map((tag) => `@tag(name: ${JSON.stringify(tag)})`);

/** The object types of a field's result, which a subgraph that shares it has too; entities are shared in any case. */
function typesBelow(schema: GraphQLSchema, field: string, entities: readonly Entity[]): ReadonlySet<string> {
  const found = new Set<string>();
  const collect = (type: unknown) => {
    if (!isObjectType(type) || found.has(type.name)) return;
    if (entities.some(({ name }) => name === type.name)) return;
    found.add(type.name);
    for (const one of Object.values(type.getFields())) collect(getNamedType(one.type));
  };
  collect(getNamedType(schema.getQueryType()?.getFields()[field]?.type));
  return found;
}

/** The definitions that the root type and the entities lead to: types of the fields that were left out are left out too. */
function reachable(definitions: DocumentNode['definitions']): readonly DefinitionNode[] {
  const byName = new Map(definitions.flatMap((one) => ('name' in one ? [[one.name?.value ?? '', one]] : [])));
  const found = new Set<DefinitionNode>();
  const collect = (name: string) => {
    const definition = byName.get(name);
    if (definition === undefined || found.has(definition)) return;
    found.add(definition);
    if (!('fields' in definition)) return;
    for (const field of definition.fields ?? []) {
      collect(namedType(field.type).name.value);
      if ('arguments' in field)
        for (const { type } of field.arguments ?? []) collect(namedType(type).name.value);
    }
  };
  collect('Query');
  // Entities are not below the root type if no row refers to them.
  for (const one of definitions)
    if (one.kind === Kind.OBJECT_TYPE_DEFINITION && one.directives?.some(({ name }) => name.value === 'key'))
      collect(one.name.value);
  return definitions.filter((one) => found.has(one));
}

const namedType = (type: TypeNode): NamedTypeNode =>
  type.kind === Kind.NAMED_TYPE ? type : namedType(type.type);

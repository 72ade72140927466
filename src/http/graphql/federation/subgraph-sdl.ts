import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type NamedTypeNode,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  printSchema,
  type TypeNode,
} from 'graphql';
import { type Entity, entitiesOf, keyFieldsOf } from '../../../catalog/model/entities.ts';
import type { Catalog, SavedQuery } from '../../../catalog/model/saved-query.ts';
import { publicNames } from '../../../catalog/model/versions.ts';
import { connectionFieldOf, reservedFields, sqlFieldOf } from '../../../names/graphql-names.ts';

const link =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@external", "@tag", "@inaccessible", "@override"])';

/**
 * The schema of a catalog as routers read it: with the directives of Federation, and without the fields that describe the
 * catalog, which each gateway has.
 *
 * @param schema of the catalog, with entities
 */
export function subgraphSdl(schema: GraphQLSchema, catalog: Catalog): string {
  const document = parse(printSchema(schema));
  const directives = directivesOf(schema, catalog);
  const definitions = document.definitions.map((definition): DefinitionNode => {
    if (definition.kind === Kind.OBJECT_TYPE_DEFINITION) return withDirectives(definition, directives);
    // Composition does not know @oneOf; the values are checked here in any case.
    return definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION
      ? { ...definition, directives: [] }
      : definition;
  });
  return `${link}\n\n${print({ kind: Kind.DOCUMENT, definitions: reachable(definitions) })}\n`;
}

interface Directives {
  /** By the name of the type. */
  readonly ofTypes: ReadonlyMap<string, readonly string[]>;
  /** By the name of the type and the field, as in `Query.orders`. */
  readonly ofFields: ReadonlyMap<string, readonly string[]>;
}

const ownFields = new Set([...reservedFields, '_service', '_entities']);

function withDirectives(
  { name, fields = [], ...type }: ObjectTypeDefinitionNode,
  { ofTypes, ofFields }: Directives,
): ObjectTypeDefinitionNode {
  const kept = fields.filter((field) => name.value !== 'Query' || !ownFields.has(field.name.value));
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

function directivesOf(schema: GraphQLSchema, catalog: Catalog): Directives {
  const ofTypes = new Map<string, readonly string[]>();
  const ofFields = new Map<string, readonly string[]>();
  const entities = entitiesOf(catalog);
  // Each gateway, and each subgraph with connections, has them.
  for (const type of ['PageInfo', 'Cost', 'SqlColumn', 'SqlResult']) ofTypes.set(type, ['@shareable']);
  for (const entity of entities) {
    ofTypes.set(
      entity.name,
      entity.keys.map((key) => keyDirective(key, entity)),
    );
    for (const { name } of keyFieldsOf(entity)) {
      // An entity that is known by another key does not have this one here.
      const isInAll = entity.keys.every((key) => key.some((field) => field.name === name));
      if (!isInAll) ofFields.set(`${entity.name}.${name}`, ['@external']);
    }
    for (const { field, query } of entity.fields)
      ofFields.set(`${entity.name}.${field}`, fieldDirectives(query));
  }
  for (const { field, query } of publicNames(catalog)) {
    const { extension, directives } = query.federation ?? {};
    const shareable = directives?.shareable ? ['@shareable'] : [];
    const own = extension === undefined ? fieldDirectives(query) : [...shareable, ...tagDirectives(query)];
    for (const one of [field, connectionFieldOf(field), sqlFieldOf(field)]) ofFields.set(`Query.${one}`, own);
    if (directives?.shareable)
      for (const type of typesBelow(schema, field, entities)) ofTypes.set(type, ['@shareable']);
  }
  return { ofTypes, ofFields };
}

function keyDirective(key: readonly { readonly name: string }[], { fields }: Entity): string {
  const names = JSON.stringify(key.map(({ name }) => name).join(' '));
  return `@key(fields: ${names}${fields.length === 0 ? ', resolvable: false' : ''})`;
}

function fieldDirectives(query: SavedQuery): readonly string[] {
  const { shareable, inaccessible, override } = query.federation?.directives ?? {};
  return [
    ...(shareable ? ['@shareable'] : []),
    ...(inaccessible ? ['@inaccessible'] : []),
    ...(override === undefined ? [] : [`@override(from: ${JSON.stringify(override)})`]),
    ...tagDirectives(query),
  ];
}

const tagDirectives = ({ tags = [] }: SavedQuery): readonly string[] =>
  tags.map((tag) => `@tag(name: ${JSON.stringify(tag)})`);

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

/** What the root type and the entities lead to: types of the fields that were left out are left out too. */
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

import {
  type DocumentNode,
  executeSync,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  Kind,
  OperationTypeNode,
} from 'graphql';
import {
  type CollectedField,
  collectFields,
  type Fragments,
  selectionsBelow,
} from '../document/collect-fields.ts';

/** How many types, or fields of the root type, are executed in one step, which takes about a millisecond. */
const perSlice = 20;

/**
 * Executes one root field that queries the schema, without variables. `__schema` of a large catalog has megabytes: each of
 * its fields is executed by itself, and the list of types in slices.
 *
 * @returns the JSON text of the field in parts; undefined if it has errors
 */
export function* introspect(
  schema: GraphQLSchema,
  fragments: Fragments,
  field: CollectedField,
): Generator<void, readonly string[] | undefined> {
  const run = (part: GraphQLSchema, nodes: readonly FieldNode[]) => execute(part, fragments, nodes);
  if (field.name !== '__schema') {
    const data = run(schema, field.nodes);
    return data && [JSON.stringify(data[field.responseKey])];
  }
  const texts: string[] = [];
  for (const inner of collectFields(selectionsBelow(field), { fragments, conditions: {} })) {
    const { responseKey } = inner;
    const nodes = [schemaNode(inner)];
    const resultOf = (part: GraphQLSchema) =>
      (run(part, nodes)?.__schema as Result | undefined)?.[responseKey];
    texts.push(`${texts.length === 0 ? '{' : ','}${JSON.stringify(responseKey)}:`);
    if (inner.name === 'types') {
      const list = yield* listTypes(schema, fieldKeysOf(inner, fragments), resultOf);
      if (list === undefined) return undefined;
      texts.push(...list);
    } else {
      const value = resultOf(schema);
      if (value === undefined) return undefined;
      texts.push(JSON.stringify(value));
      yield;
    }
  }
  texts.push('}');
  return texts;
}

type Result = Readonly<Record<string, unknown>>;

/** The response keys under which types have their fields. */
const fieldKeysOf = (types: CollectedField, fragments: Fragments) =>
  collectFields(selectionsBelow(types), { fragments, conditions: {} })
    .filter(({ name }) => name === 'fields')
    .map(({ responseKey }) => responseKey);

/** The list of types as text in parts. */
function* listTypes(
  schema: GraphQLSchema,
  fieldKeys: readonly string[],
  resultOf: (part: GraphQLSchema) => unknown,
): Generator<void, readonly string[] | undefined> {
  const texts: string[] = [];
  const add = (types: readonly Result[]) => {
    texts.push(`${texts.length === 0 ? '[' : ','}${JSON.stringify(types).slice(1, -1)}`);
  };
  let last: readonly Result[] | undefined;
  for (const { types, isContinued } of slicesOf(schema)) {
    const answer = resultOf(withTypes(schema, types)) as readonly Result[] | undefined;
    if (answer === undefined) return undefined;
    if (isContinued && last !== undefined) last = joinFields(last, answer, fieldKeys);
    else {
      if (last !== undefined) add(last);
      last = answer;
    }
    yield;
  }
  if (last !== undefined) add(last);
  return [...texts, ']'];
}

/** One type, whose lists of fields are in two parts. */
function joinFields(
  [first = {}]: readonly Result[],
  [second = {}]: readonly Result[],
  fieldKeys: readonly string[],
): readonly Result[] {
  const lists = fieldKeys.map((key) => [key, [first[key], second[key]].flat()] as const);
  return [{ ...first, ...Object.fromEntries(lists) }];
}

interface Slice {
  readonly types: readonly GraphQLNamedType[];
  /** Whether it is the type of the slice before, with further fields. */
  readonly isContinued: boolean;
}

/** The types in their order, some in each slice. The root type has a field for each saved query, and has slices of its own. */
function* slicesOf(schema: GraphQLSchema): Generator<Slice> {
  const root = schema.getQueryType();
  let types: GraphQLNamedType[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    if (types.length > 0 && (type === root || types.length === perSlice)) {
      yield { types, isContinued: false };
      types = [];
    }
    if (type !== root) types.push(type);
    else for (const [at, part] of partsOf(root).entries()) yield { types: [part], isContinued: at > 0 };
  }
  if (types.length > 0) yield { types, isContinued: false };
}

/** An object type, each with some of its fields. */
function partsOf(type: GraphQLObjectType): readonly GraphQLObjectType[] {
  const fields = Object.entries(type.getFields());
  const starts = Array.from({ length: Math.ceil(fields.length / perSlice) }, (_, at) => at * perSlice);
  return starts.map((at) => {
    const some = Object.fromEntries(fields.slice(at, at + perSlice));
    return Object.create(type, { getFields: { value: () => some } }) as GraphQLObjectType;
  });
}

/** The schema with other types in its list, but all of them are found by their names. */
function withTypes(schema: GraphQLSchema, types: readonly GraphQLNamedType[]): GraphQLSchema {
  return Object.create(schema, {
    getTypeMap: { value: () => types },
    getType: { value: (name: string) => schema.getType(name) },
  }) as GraphQLSchema;
}

/** `__schema` with one of the fields below it. */
const schemaNode = ({ nodes }: CollectedField): FieldNode => ({
  kind: Kind.FIELD,
  name: { kind: Kind.NAME, value: '__schema' },
  selectionSet: { kind: Kind.SELECTION_SET, selections: nodes },
});

function execute(schema: GraphQLSchema, fragments: Fragments, selections: readonly FieldNode[]) {
  const operation = {
    kind: Kind.OPERATION_DEFINITION,
    operation: OperationTypeNode.QUERY,
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  } as const;
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [operation, ...fragments.values()],
  };
  const { data, errors } = executeSync({ schema, document });
  return errors === undefined ? (data ?? undefined) : undefined;
}

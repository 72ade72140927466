import { isOutputType } from 'graphql';
import { isThenable } from '../../concurrency/thenable.ts';
import { isObject } from '../../config/option-rules.ts';
import type { ExtendSchema, SchemaExtension } from '../../http/graphql/schema-extension.ts';
import { camelCase, graphqlName } from '../../names/graphql-names.ts';
import type { GatewayPlugin } from '../plugin.ts';

/** Where fields are added. */
interface Place {
  readonly isRoot?: boolean;
  /** Their names there. */
  readonly columns?: readonly string[];
}

type Fail = (plugin: GatewayPlugin, error: unknown) => never;

/** Extends schemas as all plug-ins do; undefined if none does. @throws StartError if a field would replace another one */
export function joinExtensions(plugins: readonly GatewayPlugin[], fail: Fail): ExtendSchema | undefined {
  const extending = plugins.filter((plugin) => plugin.extendSchema !== undefined);
  if (extending.length === 0) return undefined;
  return (catalog, queries) => {
    const extensions: (readonly [GatewayPlugin, SchemaExtension])[] = [];
    /** The fields that each plug-in gives, in one object. */
    const join = <Field extends object>(
      { isRoot = false, columns = [] }: Place,
      fieldsOf: (extension: SchemaExtension) => Readonly<Record<string, Field>> | undefined,
    ): Record<string, Field> => {
      const joined: Record<string, Field> = {};
      const isTaken = (name: string) => Object.hasOwn(joined, name) || columns.includes(name);
      for (const [plugin, extension] of extensions)
        try {
          const fields = fieldsOf(extension);
          checkFields(fields, isRoot, isTaken);
          Object.assign(joined, fields);
        } catch (error) {
          fail(plugin, error);
        }
      return joined;
    };
    for (const plugin of extending)
      try {
        const extension: unknown = plugin.extendSchema?.(catalog, queries);
        if (extension !== undefined) extensions.push([plugin, checkedExtension(extension)]);
      } catch (error) {
        fail(plugin, error);
      }
    return {
      rowFields(query) {
        const columns = query.columns.map((column) => camelCase(column.name));
        const fields = join({ columns }, (extension) => extension.rowFields(query));
        return Object.keys(fields).length === 0 ? undefined : fields;
      },
      rootFields: join({ isRoot: true }, ({ rootFields }) => rootFields),
    };
  };
}

function checkedExtension(extension: unknown): SchemaExtension {
  if (
    !isObject(extension) ||
    !isObject(extension.rootFields ?? {}) ||
    typeof extension.rowFields !== 'function'
  )
    throw new TypeError('it must return an object rootFields and a function rowFields');
  return extension as unknown as SchemaExtension;
}

function checkFields(fields: unknown, isRoot: boolean, isTaken: (name: string) => boolean): void {
  if (fields !== undefined && (!isObject(fields) || isThenable(fields)))
    throw new TypeError('fields must be an object');
  for (const [name, field] of Object.entries(fields ?? {})) {
    const wrong = (problem: string) => new TypeError(`the field ${name} ${problem}`);
    if (!graphqlName.test(name)) throw wrong('must have a name of GraphQL');
    if (isRoot && !name.startsWith('_')) throw wrong('must begin with _');
    if (isTaken(name)) throw wrong('is there already; give it another name');
    if (!isObject(field) || !isOutputType(field.type)) throw wrong('must have a type of the package graphql');
  }
}

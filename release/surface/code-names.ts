import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { settingDefault, settingNames, settings } from '../../src/config/settings.ts';
import { commands } from '../../src/cli/program.ts';
import { statusOf } from '../../src/errors.ts';
import { keyFileSchema } from '../../src/keys/file/key-schema.ts';
import { exportedNames } from '../exports.ts';
import { jsonSchemas } from '../json-schemas.ts';
import { packages } from '../packages.ts';
import { declarationText } from './declaration-text.ts';

/** The forms of names, by name: what else a change of them would be. */
export type Forms = Readonly<Record<string, string>>;

interface JsonSchema {
  readonly [key: string]: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

/** Each setting, with its values and its default. */
export const settingForms = (): Forms => {
  const { properties = {} } = z.toJSONSchema(settings, { io: 'input' }) as JsonSchema;
  return Object.fromEntries(
    settingNames.map((name) => [
      name,
      plainForm({ ...properties[name], type: 'text', default: settingDefault(name) }),
    ]),
  );
};

/** The keys of a file, those of what is inside of others with their path. */
export function keysOf(schema: JsonSchema, path = ''): Forms {
  const inside = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map((one) => keysOf(one, path));
  const own = Object.entries(schema.properties ?? {}).map(([key, value]) => {
    const name = path === '' ? key : `${path}.${key}`;
    const isRequired = schema.required?.includes(key) ?? false;
    return { [name]: `${plainForm(value)}${isRequired ? ', required' : ''}`, ...keysOf(value, name) };
  });
  const { additionalProperties: any, items } = schema;
  return Object.assign(
    {},
    ...inside,
    ...own,
    typeof any === 'object' ? keysOf(any, `${path}.*`) : {},
    items === undefined ? {} : keysOf(items, path),
  );
}

/** The form of a value, without its members. */
function plainForm({
  type,
  enum: values,
  const: one,
  anyOf,
  oneOf,
  default: byDefault,
  items,
}: JsonSchema): string {
  const choices = [...(anyOf ?? []), ...(oneOf ?? [])].map(plainForm);
  const form =
    values !== undefined || one !== undefined
      ? JSON.stringify(values ?? one)
      : choices.length > 0
        ? [...new Set(choices)].join(' or ')
        : items !== undefined
          ? `list of ${plainForm(items)}`
          : String(type ?? 'any');
  return byDefault === undefined ? form : `${form}, default ${JSON.stringify(byDefault)}`;
}

export const headerForms = (): Forms => keysOf(schemaFile('schemas/saved-query.schema.json'));

export const testFileForms = (): Forms => keysOf(schemaFile('schemas/query-tests.schema.json'));

export const keyFileForms = (): Forms =>
  keysOf(z.toJSONSchema(keyFileSchema, { io: 'input', unrepresentable: 'any' }) as JsonSchema);

const schemaFile = (file: string): JsonSchema => JSON.parse(jsonSchemas().get(file) ?? '{}');

export const errorForms = (): Forms =>
  Object.fromEntries(Object.entries(statusOf).map(([code, status]) => [code, String(status)]));

/** Commands with their arguments, and their options. Every setting is an option, too. */
export function commandForms(): Forms {
  const forms: Record<string, string> = {};
  for (const one of commands) {
    const members = 'usage' in one ? [one] : one.commands;
    for (const { usage, options = [], hasBadStart } of members) {
      const [name = '', ...args] = usage.split(' ');
      const command = `querygate ${'usage' in one ? '' : `${one.name} `}${name}`;
      forms[command] = [...args, ...(hasBadStart ? ['exits with 2 if it cannot start'] : [])].join(' ');
      for (const { long, flags, defaultValue, argChoices } of options)
        forms[`${command} ${long}`] = [
          flags,
          ...(argChoices ?? []),
          ...(defaultValue === undefined ? [] : [`default ${defaultValue}`]),
        ].join(' ');
    }
  }
  return {
    'querygate --config': '--config <file>',
    ...forms,
    ...usageForms('bigquery-sql', 'packages/bigquery-sql/src/command/run-command.ts'),
  };
}

/** The options in the text of a command's help. */
function usageForms(command: string, file: string): Forms {
  const [, usage = ''] = /const usage = `([\s\S]*?)`/.exec(readFileSync(file, 'utf8')) ?? [];
  const options = [...usage.matchAll(/^ {2}((?:-\w, +| {4})(--[\w-]+)(?: <[^>]*>)?)/gm)];
  return {
    [command]: /^Usage: \S+ (.*)$/m.exec(usage)?.[1] ?? '',
    ...Object.fromEntries(options.map(([, flags = '', long = '']) => [`${command} ${long}`, flags.trim()])),
  };
}

/** The names that can be imported, with their declarations. */
export function exportForms(): Forms {
  const names = packages.flatMap(({ folder }) => exportedNames(folder));
  const all = names.flatMap((one) => [one, ...(one.members ?? [])]);
  return Object.fromEntries(
    all.map(({ from, name, declaration, members }) => [
      `${from}: ${name}`,
      members === undefined ? declarationText(declaration) : 'group',
    ]),
  );
}

import { z } from 'zod';
import { asIn } from '../../../files/schema-problems.ts';
import { graphqlName } from '../../../names/graphql-names.ts';
import { keyTypes } from '../../model/entity-keys.ts';

const name = z.string().regex(graphqlName, 'must be a GraphQL name');

const type = z.enum(keyTypes).default('ID');

const parameterField = z.union(
  [z.string(), z.strictObject({ parameter: z.string(), type, column: z.string().optional() })],
  { error: asIn('project, or { parameter: project, type: String }') },
);

const columnField = z.union([z.string(), z.strictObject({ column: z.string(), type })], {
  error: asIn('project_ref, or { column: project_ref, type: String }'),
});

const keyOf = <T extends z.ZodType>(field: T, example: string) =>
  z
    .record(name, field, { error: asIn(example) })
    .refine((fields) => Object.keys(fields).length > 0, 'must have at least one field');

const parameterKey = keyOf(parameterField, '{ ref: project }');

/** The key `federation` of a header. */
export const federationSchema = z.strictObject(
  {
    extends: name.optional(),
    key: z
      .union([parameterKey, z.array(parameterKey).min(1).max(5)], {
        error: asIn('{ ref: project }, or a list of such keys'),
      })
      .optional(),
    field: name.optional(),
    references: z
      .record(name, z.strictObject({ entity: name, key: keyOf(columnField, '{ ref: project_ref }') }), {
        error: asIn('{ project: { entity: Project, key: { ref: project_ref } } }'),
      })
      .default({}),
    shareable: z.boolean().default(false),
    inaccessible: z.boolean().default(false),
    override: z.string().trim().min(1, 'must be the name of a subgraph').optional(),
  },
  { error: asIn('{ extends: Project, key: { ref: project } }') },
);

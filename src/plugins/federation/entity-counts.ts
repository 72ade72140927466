import type { GraphQLResolveInfo } from 'graphql';
import { GatewayError } from '../../errors.ts';
import type { ResolverContext } from '../../http/graphql/schema-extension.ts';
import { getOrAdd } from '../../get-or-add.ts';
import { valuesBelow } from './argument-values.ts';
import { federationLimits } from './federation-limits.ts';

const { maxEntityFields, maxEntityValues, maxRepresentations } = federationLimits;

/** Counts of an operation so far, in all its fields. */
interface EntityCounts {
  representations: number;
  fields: number;
  /** Of arguments, for each entity that has them. */
  values: number;
}

const counts = new WeakMap<ResolverContext, EntityCounts>();

const countsOf = (context: ResolverContext): EntityCounts =>
  getOrAdd(counts, context, () => ({ representations: 0, fields: 0, values: 0 }));

/** @throws GatewayError OPERATION_TOO_LARGE if they are too many with those before */
export function countRepresentations(context: ResolverContext, added: number): void {
  const known = countsOf(context);
  known.representations += added;
  const count = known.representations;
  if (count <= maxRepresentations) return;
  throw new GatewayError(
    'OPERATION_TOO_LARGE',
    `The operation has ${count} representations; at most ${maxRepresentations} are allowed: send several operations`,
    { parameter: 'representations' },
  );
}

/** Counts entities of a field with what it selects of each. @returns false as `countEntityField` does */
export function countEntities(context: ResolverContext, info: GraphQLResolveInfo, added = 1): boolean {
  const known = countsOf(context);
  known.values += added * valuesBelow(info);
  if (known.values > maxEntityValues) {
    refuse(
      context,
      `reads more than ${maxEntityValues} values in arguments of entities; send lists as variables`,
    );
    return false;
  }
  return known.fields <= maxEntityFields;
}

/** Counts a result within an entity. @returns false if an operation has too many: the request is refused */
export function countEntityField(context: ResolverContext): boolean {
  const known = countsOf(context);
  known.fields += 1;
  return mayHaveEntityFields(context, known.fields);
}

/** True if an operation may have so many results within entities; the request is refused otherwise. */
export function mayHaveEntityFields(context: ResolverContext, count: number): boolean {
  if (count <= maxEntityFields) return true;
  refuse(
    context,
    `has more than ${maxEntityFields} fields of saved queries in entities; send several operations`,
  );
  return false;
}

const refuse = (context: ResolverContext, problem: string): void =>
  context.refuse(new GatewayError('OPERATION_TOO_LARGE', `The operation ${problem}`));

import SchemaBuilder from '@pothos/core';
import type { Context } from '../context.ts';

export interface SchemaTypes {
  Context: Context;
  DefaultFieldNullability: false;
  Scalars: {
    Date: { Input: string; Output: string };
    DateTime: { Input: string; Output: string };
    JSON: { Input: unknown; Output: unknown };
    LocalDateTime: { Input: string; Output: string };
    SafeInt: { Input: number; Output: number };
    UUID: { Input: string; Output: string };
  };
}

/** Pothos builds the types that are the same whatever the saved queries are: its types check their resolvers. */
export type Builder = InstanceType<typeof SchemaBuilder<SchemaTypes>>;

export const newBuilder = (): Builder => new SchemaBuilder<SchemaTypes>({ defaultFieldNullability: false });

/** The fields of an object type that is being built. */
export type FieldBuilder<Source> = PothosSchemaTypes.ObjectFieldBuilder<
  PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>,
  Source
>;

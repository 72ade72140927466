import type SchemaBuilder from '@pothos/core';
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

/** The Pothos builder that every part of the schema adds to. */
export type Builder = InstanceType<typeof SchemaBuilder<SchemaTypes>>;

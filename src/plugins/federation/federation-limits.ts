/** Every limit of an operation on entities. The table in docs/operations.md names these keys. */
export const federationLimits = {
  /** Representations of one operation, in all its fields `_entities` together: routers of Apollo send as many as they have. */
  maxRepresentations: 100,
  /** Fields of saved queries in entities, each of which may be a run. */
  maxEntityFields: 500,
  /** Values in the arguments of what is selected of entities, for each of them: some 10 ms. A variable is one value. */
  maxEntityValues: 20_000,
} as const;

/** The scalars of GraphQL that fields of a key have. */
export const keyTypes = ['ID', 'String', 'Int', 'Boolean'] as const;

/** A field of a key of an entity. Subgraphs that have the key must agree about its type. */
export interface KeyField {
  readonly name: string;
  readonly type: (typeof keyTypes)[number];
}

/** A field of a key that is the value of a parameter. */
export interface ParameterKeyField extends KeyField {
  readonly parameter: string;
  /** If the parameter is a list: the column that says to which of its values a row belongs. */
  readonly column: string | undefined;
}

/** A field of a key that is the value of a column. */
export interface ColumnKeyField extends KeyField {
  readonly column: string;
}

/** That a saved query is a field of an entity, which another subgraph may have too. */
export interface EntityExtension {
  readonly entity: string;
  readonly field: string;
  /** One or several, each of one field or of several. */
  readonly keys: readonly (readonly ParameterKeyField[])[];
}

/** A field of rows that is an entity. */
export interface EntityReference {
  readonly field: string;
  readonly entity: string;
  readonly key: readonly ColumnKeyField[];
}

/** The role of a saved query in a graph of several subgraphs. */
export interface Federation {
  readonly extension: EntityExtension | undefined;
  readonly references: readonly EntityReference[];
  /** About the field of the entity; without one, about the root field. */
  readonly directives: {
    readonly shareable: boolean;
    readonly inaccessible: boolean;
    /** The subgraph that had the field before. */
    readonly override: string | undefined;
  };
}

/** Stable: it changes only with a version that says so. Experimental: it may change with any version. */
export type Stability = 'stable' | 'experimental';

/** A list of names: where they are used. */
export type Kind =
  | 'settings'
  | 'headerKeys'
  | 'testKeys'
  | 'keyFileKeys'
  | 'rest'
  | 'graphql'
  | 'agents'
  | 'metrics'
  | 'errorCodes'
  | 'commands'
  | 'exports'
  | 'sql';

/** The names that are experimental, by kind. Everything else that is listed is stable. */
const experimental: Readonly<Partial<Record<Kind, RegExp>>> = {
  // Federation, as a subgraph and as a source schema.
  settings: /^FEDERATION$/,
  // Pushed row arguments.
  headerKeys: /^(?:federation|push)\b/,
  // Changed rows only.
  rest: /delta=rows|^event: patch$/,
  graphql: /^(?:@|_|User\b|Project\b|Query\._)|\.owner$/,
  agents: /_sql$/,
  commands: /--federation|--composite|--compose/,
  // What the compiler, the plug-ins that ship and the tools for authors are made of needs the same version of them.
  exports:
    /^(?:querygate\/(?:catalog|data-files|engine-test)|@querygate\/(?:text|authoring|duckdb-import)\b.*|@querygate\/bigquery-sql\/(?!problem|types|table-schema)[\w-]+): |^querygate\/plugins: \w+: /,
  sql: /LANGUAGE js/,
};

export const stabilityOf = (kind: Kind, name: string): Stability =>
  experimental[kind]?.test(name) ? 'experimental' : 'stable';

import type { SavedQuery } from 'querygate';
import type {
  loadChecks,
  parseSavedQuery,
  readFolder,
  readHeader,
  readParts,
  readYaml,
  schemaProblems,
} from 'querygate/catalog';

/** A parameter of a saved query. */
export type Parameter = SavedQuery['parameters'][number];

/** A parameter that has one of several values. */
export type EnumParameter = Extract<Parameter, { readonly type: 'enum' }>;

/** A value of a parameter as it is sent: of a list, several. */
export type ParameterText = NonNullable<Parameter['default']>;

/** For how long results of a saved query are kept, and whether it is followed. */
export type CachePolicy = Exclude<SavedQuery['caching'], 'disabled'>;

/** Which metrics of Prometheus the rows of a saved query are. */
export type PrometheusText = NonNullable<SavedQuery['prometheus']>;

type Federation = NonNullable<SavedQuery['federation']>;

/** The field of an entity that a saved query is. */
export type EntityExtension = NonNullable<Federation['extension']>;

/** A field of a key that is the value of a parameter. */
export type ParameterKeyField = EntityExtension['keys'][number][number];

/** A field of a key that is the value of a column. */
export type ColumnKeyField = Federation['references'][number]['key'][number];

/** The files of a queries folder by their paths in it. */
export type CatalogFiles = ReturnType<typeof readFolder>;

/** The parts in a queries folder. */
export type FolderParts = ReturnType<typeof readParts>;

/** A file of checks. */
export type CheckFile = ReturnType<typeof loadChecks>[number];

/** An ASSERT statement. */
export type Assertion = CheckFile['assertions'][number];

/** A file's text, or why it cannot be read. */
export type FileContent = CatalogFiles extends ReadonlyMap<string, infer Content> ? Content : never;

/** The parts of the file of a saved query. */
export type HeaderAndSql = Extract<ReturnType<typeof readHeader>, { readonly header: unknown }>;

/** The SQL of a file whose header has problems. */
export type FileSql = NonNullable<
  Extract<ReturnType<typeof parseSavedQuery>, { readonly query?: undefined }>['sql']
>;

/** YAML with the lines of its values. */
export type YamlData = Extract<ReturnType<typeof readYaml>, { readonly data: unknown }>;

/** A problem with a value of a file. */
export type SchemaProblem = ReturnType<typeof schemaProblems>[number];

/** Memory of DuckDB for one conversion. */
const memoryLimit = '200MB';

/** A statement of DuckDB that reads and writes files of one folder: data that can be sent. */
export interface Conversion {
  readonly statement: string;
  readonly folder: string;
}

/** Kinds of frames from a process that runs one: it has written the file, or the message of an error. */
export const fromProgram = { done: 1, failed: 2 } as const;

export async function convertFile({ statement, folder }: Conversion): Promise<void> {
  // Loaded when it is first needed: not every gateway runs its queries in DuckDB.
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: memoryLimit,
    temp_directory: folder,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  });
  try {
    const connection = await instance.connect();
    try {
      await connection.run(`SET allowed_directories = ['${folder.replaceAll("'", "''")}']; SET enable_external_access = false;
        SET lock_configuration = true;`);
      await connection.run(statement);
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
  }
}

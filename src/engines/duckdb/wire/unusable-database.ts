/** The text is matched from its beginning: what follows may quote a value that a caller chose. */
const unusable =
  /^(FATAL Error: |IO Error: (Checkpoint failed for database "\w+"\. The database|Database "\w+") has been invalidated)/;

/**
 * True if DuckDB refuses everything from now on, until it is opened again: after an error inside of it that may have
 * left wrong data behind, or after a checkpoint of the store that failed.
 */
export const isDatabaseUnusable = (error: unknown): error is Error =>
  error instanceof Error && unusable.test(error.message);

/** True for a path in a bucket. */
export const isRemote = (path: string): boolean => /^(?:s3|gs):\/\//.test(path);

/** True if a bucket has not answered as it should: the same request may succeed later. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof Error &&
  /^(?:HTTP|IO|Unknown) Error: |ETag/.test(error.message) &&
  /http|etag|connect|curl/i.test(error.message);

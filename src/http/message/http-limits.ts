import { maxValueLength } from '../../catalog/binding/value-limits.ts';
import { maxTokenLength } from '../../keys/jwt/token-shape.ts';
import { argumentLimits } from '../../row-arguments/argument-limits.ts';

/**
 * Every limit of a request, an operation and a connection. The table in docs/operations.md names these keys.
 */
export const httpLimits = {
  /** Characters of a URL; longer operations are sent by POST. */
  maxUrlLength: 8_192,
  /** Bytes of the request line and all headers together: the parser of Node counts them as one. */
  maxHeaderBytes: 16_384,
  /** Elements of a list in a header; clients send some ten. */
  maxHeaderElements: 100,
  /** Parameters of such an element; clients send one or two. */
  maxElementParameters: 20,
  /** Bytes of a request body: operations are text that people write. */
  maxBodyBytes: 256 * 1024,
  /** Parameters of a query string, including those that the query does not declare. */
  maxParameters: 100,
  /** Values of lists in a query string, beside the other parameters. */
  maxListValues: 1_000,
  /** Characters of one parameter's value. */
  maxValueLength,
  ...argumentLimits,
  /** Characters of a JSON Web Token; a longer one is not valid. */
  maxTokenLength,

  /**
   * Size of a GraphQL document, checked before validation. A dashboard of twenty fields with all their columns has some
   * 800 tokens; the longest document that a tool sends, the introspection query, has 163, and a depth of 13.
   */
  maxTokens: 2_000,
  /** Lines of a document. To locate one error, graphql-js reads all lines before it, and a response may have hundreds. */
  maxDocumentLines: 2_500,
  /** Characters of a name, and so of an alias, which every row repeats. Columns of BigQuery have at most 300. */
  maxNameLength: 300,
  /** Brackets inside each other: parsing, and most later steps, recurse for every bracket. */
  maxBracketDepth: 50,
  /** Levels of fields, with fragments expanded. Records of BigQuery are at most 15 levels deep. */
  maxFieldDepth: 20,
  maxRootFields: 20,
  maxAliases: 50,
  /**
   * Values in the variables of one operation, also those in lists and objects. An object counts as ten: graphql-js takes some
   * ten microseconds for each, before any limit of an argument is looked at.
   */
  maxVariableValues: 25_000,
  /** How often one operation may select a field again under another alias, below root fields that have arguments. */
  maxRepeatedFields: 5,
  /**
   * Fields of one document with its fragments expanded. Twenty root fields that spread one fragment of 300 columns are
   * 6,000; nested fragments may be astronomically many.
   */
  maxExpandedFields: 10_000,
  /**
   * Fields that share one place in the response, as in `{ rows { id } rows { id } }`. Validation compares each with each
   * other one: 450 took up to a second. Tools that put an operation together from the fragments of their components
   * repeat a field once for each component.
   */
  maxFieldsPerPath: 50,
  /** Errors reported for one document; each quotes a part of it. */
  maxDocumentErrors: 10,
  /** Characters of an error message: a quoted value may be as long as a body. */
  maxErrorLength: 300,
  /** Bytes of the documents that clients have stored under their hash (automatic persisted queries). */
  maxPersistedBytes: 8_000_000,
  /** Bytes of rows in one GraphQL response, which is in memory several times while it is written. */
  maxResponseBytes: 64_000_000,
  /** The same for rows that graphql-js writes as objects, in one turn of the event loop, and at a fraction of the speed. */
  maxExecutorBytes: 500_000,
  /**
   * Bytes of all large responses together that are being built, or that their clients have not taken yet. Keys share them;
   * see `concurrency/fair-share.ts`.
   */
  maxUnsentBytes: 80_000_000,
  /** Bytes of a JSON result that is converted to another format as a whole. A larger one is converted while it is sent. */
  maxConvertedBytes: 4_000_000,

  /**
   * Requests in flight in one process. A thousand dashboards that send the same cold request at once wait for one run and
   * all get its result; each waiting request costs some 20 KB. Keys share them, and one whose body is still arriving is not counted.
   */
  maxRequestsInFlight: 2_000,
  /** Requests with a key whose body is still arriving, up to `maxBodyBytes` each. Keys share them. */
  maxArrivingBodies: 2_000,
  maxConnections: 16_000,
  /**
   * Connections of one address (of IPv6: one /64) over which no valid key has been sent. When there are more, the oldest one
   * that waits for nothing is closed.
   */
  maxKeylessConnections: 2_500,
  /** Wrong keys from one address within a minute; further ones get 429. */
  maxWrongKeysPerMinute: 60,
  /** A request is some hundred bytes of headers and at most `maxBodyBytes`: a slower sender only occupies a connection. */
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 10_000,
  /** How often both timeouts are checked. */
  timeoutCheckIntervalMs: 500,
  /** The same for a body by `fetch`, of which the gateway has no connection. */
  bodyTimeoutMs: 30_000,
  /** How long a source of keys may take to find a caller, and `onRequest` to admit one: they may wait for something else. */
  callerTimeoutMs: 30_000,
  /** Longer than the idle time of common load balancers (60 s), so that they never send into a connection being closed. */
  keepAliveTimeoutMs: 72_000,
  /** How long one write may wait for a client that does not read. */
  slowReaderTimeoutMs: 60_000,
} as const;

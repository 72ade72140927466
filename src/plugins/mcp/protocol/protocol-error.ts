/** Codes of JSON-RPC, and those that the Model Context Protocol adds. */
const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Before the modern era. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

interface ProtocolErrorOptions {
  /** Of the response over HTTP. Default: 200, as the message was understood. */
  readonly status?: number;
  /** For programs. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A message that is not answered with a result. A mistake that a model can correct is a result of the tool instead. */
export class ProtocolError extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: ProtocolErrorOptions['data'];

  constructor(
    code: keyof typeof rpcCodes,
    message: string,
    { status = 200, data }: ProtocolErrorOptions = {},
  ) {
    super(message);
    this.code = rpcCodes[code];
    this.status = status;
    this.data = data;
  }
}

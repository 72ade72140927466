import {
  type ErrorCode,
  GatewayError,
  type GatewayErrorOptions,
  type Problem,
  StartError,
} from '../../errors.ts';

/** An error as JSON, with what the log has of its cause. */
export type WireError =
  | ({ readonly type: 'gateway'; readonly code: ErrorCode; readonly message: string } & Omit<
      GatewayErrorOptions,
      'cause'
    > & { readonly cause?: WireCause })
  | { readonly type: 'start'; readonly message: string; readonly problems: readonly Problem[] }
  | { readonly type: 'other'; readonly cause: WireCause };

type WireCause =
  | string
  | {
      readonly name: string;
      readonly message: string;
      readonly stack: string;
      /** Of a system error: the log has its whole message. */
      readonly syscall?: string;
      readonly cause?: WireCause;
    };

/** Errors may be the cause of each other. */
const maxCauses = 5;

export function errorToWire(error: unknown): WireError {
  if (error instanceof GatewayError) {
    const { code, message, parameter, retryAfterSeconds, refusal, isOverMaximum, cause } = error;
    return {
      ...{ type: 'gateway', code, message, parameter, retryAfterSeconds, refusal, isOverMaximum },
      ...(cause !== undefined && { cause: causeToWire(cause, maxCauses) }),
    };
  }
  if (error instanceof StartError) return { type: 'start', message: error.message, problems: error.problems };
  return { type: 'other', cause: causeToWire(error, maxCauses) };
}

function causeToWire(cause: unknown, left: number): WireCause {
  if (!(cause instanceof Error)) return String(cause);
  const { name, message, stack = '' } = cause;
  return {
    ...{ name, message, stack },
    ...('syscall' in cause && { syscall: String(cause.syscall) }),
    ...(cause.cause !== undefined && left > 0 && { cause: causeToWire(cause.cause, left - 1) }),
  };
}

/** The error as it was on the other side; its stack is the one that it had there. */
export function errorFromWire(error: WireError): unknown {
  if (error.type === 'other') return causeFromWire(error.cause);
  if (error.type === 'start')
    return Object.assign(new StartError('', error.problems), { message: error.message });
  const { code, message, cause, ...options } = error;
  return new GatewayError(code, message, {
    ...options,
    ...(cause !== undefined && { cause: causeFromWire(cause) }),
  });
}

function causeFromWire(cause: WireCause): unknown {
  if (typeof cause === 'string') return cause;
  const { message, cause: inner, ...others } = cause;
  const options = inner === undefined ? undefined : { cause: causeFromWire(inner) };
  return Object.assign(new Error(message, options), others);
}

import type { Logger } from 'pino';

/** A log whose errors are reported once, as a warning of the process: they must not end what is logged. */
export function safeLog(log: Logger, onError: (error: unknown) => void = warnOnce()): Logger {
  const safe: Logger = new Proxy(Object.create(log), {
    get(_, name) {
      const member: unknown = Reflect.get(log, name);
      if (typeof member !== 'function') return member;
      return (...given: readonly unknown[]) => {
        try {
          const made: unknown = member.apply(log, given);
          return name === 'child' ? safeLog(made as Logger, onError) : made;
        } catch (error) {
          onError(error);
          return name === 'child' ? safe : undefined;
        }
      };
    },
    set: (_, name, value) => Reflect.set(log, name, value),
  });
  return safe;
}

function warnOnce(): (error: unknown) => void {
  let isReported = false;
  return (error) => {
    if (!isReported) process.emitWarning(`the log fails: ${error}`, 'QuerygateWarning');
    isReported = true;
  };
}

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Engine } from '../engine-contract/engine.ts';
import type { EngineFactory } from '../engine-contract/engine-factory.ts';
import { GatewayError, StartError } from '../errors.ts';
import { membersOf } from '../engines/factory-members.ts';

/**
 * The engine that is the default export of a module: of a file, if the name is a path, or else of a package. Paths are those
 * of the working directory, as in all settings.
 *
 * @throws StartError if the module exports no engine; so does `open` of the engine, for every reason
 */
export async function importEngine(module: string): Promise<EngineFactory> {
  const fail = (what: string) =>
    new StartError('The engine cannot be loaded', [{ message: `ENGINE: ${module} ${what}` }]);
  const isPath = /^(?:\.{0,2}[\\/]|[a-z]:[\\/])/i.test(module);
  const { default: found } = await import(isPath ? pathToFileURL(resolve(module)).href : module).catch(
    (error: unknown) => {
      throw fail(`cannot be imported: ${messageOf(error).replace(/ imported from .*/s, '')}`);
    },
  );
  requireMembers('its default export', found, factoryMembers, fail);
  const factory = membersOf(found);
  return {
    ...factory,
    async open(host) {
      const engine: Engine = await openOrFail(
        () => factory.open(host),
        (reason) => fail(`cannot be opened: ${reason}`),
      );
      requireMembers('what it opens', engine, engineMembers, fail);
      return {
        source: engine.source,
        ...(engine.updates && { updates: engine.updates }),
        async run(bound, options) {
          try {
            return await engine.run(bound, options);
          } catch (error) {
            throw ownError(error);
          }
        },
        close: () => engine.close(),
      };
    },
  };
}

async function openOrFail<T>(open: () => Promise<T>, fail: (reason: string) => Error): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const own = ownError(error);
    if (own instanceof StartError || own instanceof GatewayError) throw own;
    throw Object.assign(fail(messageOf(error)), { cause: error });
  }
}

/** A module may import another copy of the package, as beside a command that is installed globally: an error of it as ours. */
function ownError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof GatewayError || error instanceof StartError) return error;
  if (error.name === 'GatewayError') {
    const { code, parameter, retryAfterSeconds, cause, message } = error as GatewayError;
    return new GatewayError(code, message, { cause, parameter, retryAfterSeconds });
  }
  if (error.name !== 'StartError' && error.name !== 'ProblemError') return error;
  const [summary = ''] = error.message.split(':\n', 1);
  return new StartError(summary, (error as StartError).problems);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The members that an object must have: for each, what it must be, and a test of that. */
type Members = Readonly<Record<string, readonly [what: string, is: (value: unknown) => boolean]>>;

const text = ['a text', (value: unknown) => typeof value === 'string'] as const;
const method = ['a function', (value: unknown) => typeof value === 'function'] as const;

const factoryMembers: Members = {
  name: text,
  sql: ["'bigquery' or 'native'", (value) => value === 'bigquery' || value === 'native'],
  open: method,
};

const engineMembers: Members = { source: text, run: method, close: method };

function requireMembers(
  what: string,
  value: unknown,
  members: Members,
  fail: (problem: string) => Error,
): void {
  const names = Object.keys(members).join(', ');
  if (typeof value !== 'object' || value === null)
    throw fail(`cannot be used: ${what} is ${kindOf(value)}, and must be an object with ${names}`);
  const wrong = Object.entries(members).flatMap(([name, [required, is]]) => {
    const member: unknown = Reflect.get(value, name);
    return is(member) ? [] : [`${name} is ${kindOf(member)}, and must be ${required}`];
  });
  if (wrong.length > 0) throw fail(`cannot be used: of ${what}, ${wrong.join('; ')}`);
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return JSON.stringify(value);
  return value === null ? 'null' : `of type ${typeof value}`;
}

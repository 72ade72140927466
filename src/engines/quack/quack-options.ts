import { duckdbDefaults } from '../../config/duckdb-defaults.ts';
import { isLoopback } from '../../config/loopback.ts';
import { checkOptions, optionRule, required } from '../../config/option-rules.ts';

/** The options of `quack`. */
export interface QuackOptions {
  /**
   * The server, as in `quack://db.example.com:9494/lake`: the path names its database, and a schema after it.
   * Without `?tls=off`, only a server on this machine is reached without TLS.
   */
  readonly url: string;
  /** The secret that the server requires of its callers. */
  readonly token: string;
  /** The folder of the files of DuckDB's extensions `httpfs` and `quack`. */
  readonly extensionsDir?: string | undefined;
  /** The most memory that results and constants may take in this process, as in `512MB`: `1GB` without it. */
  readonly memoryLimit?: string | undefined;
}

/** Options with all defaults. */
export interface QuackSettings extends QuackOptions {
  readonly memoryLimit: string;
  readonly threads: number;
}

/** Where a server is. */
export interface QuackAddress {
  /** As the client of Quack takes it. */
  readonly uri: string;
  readonly tls: boolean;
  /** The database, and perhaps the schema, of the tables; empty for those that the server begins with. */
  readonly path: readonly string[];
}

const mustBe = 'the address of a server, as in quack://db.example.com:9494/database, without a password';

/** @throws StartError with every option of a wrong name or kind */
export function checkQuackOptions(options: QuackOptions): QuackSettings {
  const { text } = optionRule;
  checkOptions<QuackOptions>('quack', options, {
    url: required({
      ...text,
      problemOf: (url) => (addressIn(String(url)) === undefined ? `must be ${mustBe}` : undefined),
    }),
    token: required({ is: text.is, must: 'the token that the server requires' }),
    extensionsDir: { is: text.is, must: 'the path of a folder' },
    memoryLimit: { is: text.is, must: 'a size, as in 512MB' },
  });
  return { ...options, memoryLimit: options.memoryLimit ?? duckdbDefaults.memoryLimit, threads: 2 };
}

/** The address in a URL that has been checked. */
export function addressOf({ url }: Pick<QuackOptions, 'url'>): QuackAddress {
  const found = addressIn(url);
  if (found === undefined) throw new Error(`url: must be ${mustBe}`);
  return found;
}

function addressIn(text: string): QuackAddress | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== 'quack:' || url.hostname === '' || url.username + url.password + url.hash !== '')
    return undefined;
  const path = partsOf(url.pathname);
  if (path === undefined || path.length > 2 || !['', '?tls=off', '?tls=on'].includes(url.search))
    return undefined;
  return {
    uri: `quack:${url.host}`,
    tls: url.search === '' ? !isLoopback(url.hostname) : url.search === '?tls=on',
    path,
  };
}

/** @returns undefined if a percent sign has no code after it */
function partsOf(pathname: string): readonly string[] | undefined {
  try {
    return pathname
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

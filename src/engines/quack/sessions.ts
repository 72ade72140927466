import type { DuckDBMaterializedResult } from '@duckdb/node-api';
import {
  type Bindings,
  serverMacros,
  type ServerText,
  sessionSettings,
} from '@querygate/bigquery-sql/duckdb';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { quote } from '@querygate/bigquery-sql/types';
import type { Database } from '../duckdb/open-database.ts';
import { openWorker, type Worker } from '../duckdb/run/worker.ts';
import { addressOf, type QuackSettings } from './quack-options.ts';
import { ServerFailure } from './server-failure.ts';

/** Runs a statement as it is. @throws ServerFailure */
export type Ask = (sql: string) => Promise<DuckDBMaterializedResult>;

interface SessionsOptions {
  readonly database: Database;
  readonly settings: QuackSettings;
  /** Called when a session begins: what it throws ends the session. */
  readonly onBegin: (ask: Ask) => Promise<void>;
}

/** The sessions of a server: as many as have been used at the same moment. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #idle: Session[] = [];
  readonly #running = new Set<Promise<unknown>>();
  #opened = 0;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = this.#idle.pop() ?? (await this.#open());
    const running = work(session).finally(() => {
      this.#running.delete(running);
      this.#idle.push(session);
    });
    this.#running.add(running);
    return running;
  }

  /** Resolves when none is used. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #open(): Promise<Session> {
    const { database } = this.#options;
    this.#opened += 1;
    const alias = `server_${this.#opened}`;
    const worker = openWorker(await database.connect(), database.hostWorks);
    return new Session(worker, alias, this.#options);
  }
}

/** The objects that a session has on the server. */
interface Begun {
  readonly macros: Set<string>;
  /** The names of prepared statements, by their SQL. */
  readonly statements: Map<string, string>;
}

/** How many statements a session keeps: those of the plans in use. A session with more is followed by another one. */
const maxStatements = 500;

/** A connection to the server, which runs one statement at a time. It begins with its first statement. */
export class Session {
  /** On the database of this process, which computes constants. */
  readonly worker: Worker;
  readonly #alias: string;
  readonly #options: SessionsOptions;
  /** Undefined while there is no session. */
  #begun: Begun | undefined;

  constructor(worker: Worker, alias: string, options: SessionsOptions) {
    this.worker = worker;
    this.#alias = alias;
    this.#options = options;
  }

  /** @param comment by which the server lists it @throws ServerFailure; as `onBegin` does */
  run(text: ServerText, bindings: Bindings, comment: string): Promise<DuckDBMaterializedResult> {
    return this.#inSession(async (begun) => {
      await this.#define(begun, text.macros);
      const values = text.values(bindings);
      // DuckDB plans a prepared statement without parameters once, by the values that the rows have then: it leaves out later ones.
      if (values === '') return this.#send(`/* ${comment} */ ${text.sql}`);
      const name = begun.statements.get(text.sql) ?? (await this.#prepare(begun, text.sql));
      return this.#send(`/* ${comment} */ EXECUTE ${name}(${values})`);
    });
  }

  /** @throws ServerFailure; as `onBegin` does */
  readonly ask: Ask = (sql) => this.#inSession(() => this.#send(sql));

  /** The next statement begins another session. */
  forget(): void {
    this.#begun = undefined;
  }

  /** A server that was started again does not know the session, so that nothing ran: it is done once more in another one. */
  async #inSession<T>(work: (begun: Begun) => Promise<T>): Promise<T> {
    const before = this.#begun;
    try {
      return await work(before ?? (await this.#begin()));
    } catch (error) {
      if (!(error instanceof ServerFailure && error.isUnknownSession && before !== undefined)) throw error;
      return work(await this.#begin());
    }
  }

  async #begin(): Promise<Begun> {
    const { settings, onBegin } = this.#options;
    const { uri, tls, path } = addressOf(settings);
    const options = `TYPE quack, TOKEN ${quoteText(settings.token)}, DISABLE_SSL ${!tls}`;
    await this.#local(`DETACH DATABASE IF EXISTS ${this.#alias}`);
    await this.#local(`ATTACH ${quoteText(uri)} AS ${this.#alias} (${options})`);
    const use = path.length === 0 ? [] : [`USE ${path.map(quote).join('.')}`];
    await this.#send([...sessionSettings, ...use].join(';'));
    await onBegin((sql) => this.#send(sql));
    this.#begun = { macros: new Set(), statements: new Map() };
    return this.#begun;
  }

  async #define({ macros }: Begun, names: readonly string[]): Promise<void> {
    const missing = names.filter((macro) => !macros.has(macro));
    if (missing.length > 0) await this.#change(serverMacros(missing, macros).join(';\n'));
  }

  async #prepare({ statements }: Begun, sql: string): Promise<string> {
    const name = `statement_${statements.size}`;
    await this.#change(`PREPARE ${name} AS ${sql}`);
    statements.set(sql, name);
    if (statements.size >= maxStatements) this.forget();
    return name;
  }

  /** Changes what the session has. After a failure it is not known how far it came, and the next statement begins another one. */
  async #change(sql: string): Promise<void> {
    const begun = this.#begun;
    this.forget();
    await this.#send(sql);
    this.#begun = begun;
  }

  /** The client would give the rows of the first run again if it prepared a statement once. */
  #send(sql: string): Promise<DuckDBMaterializedResult> {
    return this.#local('FROM quack_query_by_name($1, $2)', [this.#alias, sql]);
  }

  async #local(sql: string, values?: string[]): Promise<DuckDBMaterializedResult> {
    try {
      return await this.worker.connection.run(sql, values);
    } catch (error) {
      const failure = new ServerFailure(error, this.#options.settings.token);
      if (failure.isUnknownSession || failure.isUnreachable) this.forget();
      throw failure;
    }
  }
}

import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { QueryForm } from '../../catalog/model/query-forms.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { Owner } from '../../concurrency/fair-share.ts';
import type { Problem } from '../../errors.ts';
import type { Cost, ImportReport, StoppedSql, TimedTable, Wave } from '../engine.ts';
import type { EngineLimits } from '../engine-factory.ts';
import type { ResultColumn } from '../../catalog/model/header-types.ts';

/** The kinds of frames from the gateway to the process of an engine. The id is that of a request, which its answers have too. */
export const toEngine = {
  /** `OpenMessage`, by V8's serialization. Answered by `opened` or `failed`. */
  open: 1,
  /** `RunMessage`. Answered by `started`, `part`, `waiting`, and in the end by `ended` or `failed`. */
  run: 2,
  /** The parts of a result that is waiting may be sent. */
  goOn: 3,
  /** A run is not awaited any longer. It is not answered. */
  cancel: 4,
  /** `CatalogMessage`, by V8's serialization. Answered by `answer` with `CheckAnswer`, or by `failed`. */
  check: 5,
  /** The same; answered by `answer`. */
  replace: 6,
  /** `ReleaseMessage`. Answered by `answer`. */
  release: 7,
  /** The time of the gateway, in milliseconds: before what needs it, and each second. */
  time: 8,
  /** The engine is to be closed, and the process to end. */
  close: 9,
  /** `ChangesMessage`. Answered by `answer` with `WireChanges`, or by `failed`. */
  changes: 10,
} as const;

/** Those back to it. */
export const toGateway = {
  /** `OpenedMessage` */
  opened: 1,
  /** `EventMessage` */
  event: 2,
  started: 3,
  /** A part of the bytes of a result's document. */
  part: 4,
  /** There are more parts, which are sent when they may be. */
  waiting: 5,
  /** `EndedMessage` */
  ended: 6,
  /** `WireError` */
  failed: 7,
  answer: 8,
} as const;

/** Saved queries are sent once, and named by a number from then on. */
export interface CatalogMessage {
  /** The queries of the version, in their order. */
  readonly queries: readonly number[];
  /** Those that were not sent before. */
  readonly added: readonly (readonly [number, SavedQuery])[];
  /** Queries of other versions that may still be run. */
  readonly kept: readonly number[];
  /** undefined for those that were sent last. */
  readonly schemas: Catalog['tables'] | undefined;
}

export interface OpenMessage<Settings = unknown> {
  readonly catalog: CatalogMessage;
  readonly limits: EngineLimits;
  readonly settings: Settings;
  /** As in `toEngine.time`. */
  readonly time: number;
}

export interface OpenedMessage {
  readonly source: string;
}

export interface RunMessage extends Pick<BoundQuery, 'parameters'> {
  readonly query: number;
  /** Of the query, if it is one that was not sent before. */
  readonly form: QueryForm | undefined;
  readonly sql: BoundQuery['sql'] | undefined;
  readonly labels: BoundQuery['labels'] | undefined;
  readonly owner: Owner;
  readonly wave: Wave | undefined;
}

export interface EndedMessage {
  readonly rowCount: number;
  readonly truncated: boolean;
  readonly cost?: Cost;
  readonly dataVersion?: string;
  readonly columns?: readonly ResultColumn[];
}

/** Nothing uses any more what only the version had that was replaced. */
export interface ReleaseMessage {
  /** The id of the request to replace it. */
  readonly replaced: number;
}

export interface ChangesMessage {
  readonly tables: readonly TimedTable[];
  readonly since: string | undefined;
}

/** The problems of queries, by their numbers. */
export type CheckAnswer = readonly (readonly [number, readonly Problem[]])[];

export type EventMessage =
  | { readonly type: 'problem' | 'news' | 'progress' | 'stuck'; readonly text: string }
  | { readonly type: 'imported'; readonly report: ImportReport }
  | { readonly type: 'sqlStopped'; readonly stopped: StoppedSql }
  | { readonly type: 'dataVersions'; readonly versions: readonly (readonly [number, string])[] }
  | { readonly type: 'unusable'; readonly text: string };

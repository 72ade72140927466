import type { Endpoint } from '../endpoint.ts';
import { type Gateway, isCut, type RowsResponse } from '../gateway.ts';
import { follow } from '../live/follow.ts';
import { buildLiveSwitch } from '../live/live-switch.ts';
import type { RowChange } from '../live/row-change.ts';

/** Rows that follow the result of a query, if people want it. */
export interface LiveRows {
  readonly element: HTMLElement;
  isOn(): boolean;
  /** Follows what has changed since these rows. @param search the query string of their request */
  begin(rows: RowsResponse, search: string): void;
  /** @param isWhole false if arguments select among the rows, which cannot be followed then */
  allow(isWhole: boolean): void;
  /** Until `begin`: a request is on its way. */
  pause(): void;
  /** @param reason why it is switched off */
  end(reason: string): void;
}

interface LiveRowsOptions {
  readonly gateway: Gateway;
  readonly endpoint: Endpoint;
  readonly onChange: (rows: RowsResponse, change: RowChange) => Promise<void>;
  /** There are no newer rows, for this reason. */
  readonly onFailure: (message: string) => void;
  /** People have switched it, or it has ended. */
  readonly onSwitch: (isOn: boolean) => void;
}

/** @returns undefined if the result cannot be followed */
export function buildLiveRows(options: LiveRowsOptions): LiveRows | undefined {
  const { gateway, endpoint, onChange, onFailure, onSwitch } = options;
  const { path, liveSeconds, rowKey, maxRows } = endpoint;
  if (liveSeconds === undefined) return undefined;
  let close = () => {};
  const control = buildLiveSwitch(liveSeconds, (isOn) => {
    close();
    onSwitch(isOn);
  });
  return {
    element: control.element,
    isOn: control.isOn,
    begin(first, search) {
      close();
      let shown = first;
      close = follow({
        known: { etag: first.headers.get('etag') ?? undefined, rows: first.rows },
        rowKey,
        connect: (etag, signal) => gateway.events(path + search, etag, signal),
        async onChange(change, etag) {
          shown = followed(shown, change, etag, maxRows);
          await onChange(shown, change);
        },
        onFailure,
        onState(state) {
          control.show(state);
          if (state.kind === 'ended') onSwitch(false);
        },
      });
    },
    allow: control.allow,
    pause: () => close(),
    end(reason) {
      close();
      if (control.isOn()) control.switchOff(reason);
    },
  };
}

/** An event does not say whether there are more rows: as many as a result may have are taken for a part, unless they were known to be all. */
function followed(
  before: RowsResponse,
  { rows }: RowChange,
  etag: string | undefined,
  maxRows: number | undefined,
): RowsResponse {
  const isFull = rows.length === maxRows && (before.rows.length < rows.length || isCut(before));
  const headers = new Headers({ 'querygate-truncated': String(isFull) });
  if (etag !== undefined) headers.set('etag', etag);
  return { rows, headers };
}

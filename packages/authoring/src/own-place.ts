import { type Source, writtenAt } from '@querygate/bigquery-sql/problem';

interface Place {
  readonly start: number;
  readonly end: number;
}

/** A place of SQL that may have been put together, in the text of its own file; undefined in a part of another file. */
export function ownPlace({ start, end }: Place, { file, written }: Source): Place | undefined {
  if (written === undefined) return { start, end };
  const offsetOf = (at: number) => {
    const place = writtenAt(written, at);
    return place?.isCopy && place.file === file ? place.offset : undefined;
  };
  const [first, last] = [offsetOf(start), offsetOf(end - 1)];
  return first === undefined || last === undefined ? undefined : { start: first, end: last + 1 };
}

import type { ResultColumn } from '../catalog/model/header-types.ts';
import type { RowTask } from '../row-arguments/row-task.ts';
import type { BoundPage } from '../row-pages/page-request.ts';

/** Conditions, an order, a range or aggregates for the rows of a result. */
export interface RowRequest {
  readonly task: RowTask;
  /** The columns of its one row, if it has aggregates. */
  readonly aggregates: readonly ResultColumn[] | undefined;
}

/** The part of a query's rows that a caller requests. Without either member: the rows as they are. */
export interface Part {
  readonly rowRequest: RowRequest | undefined;
  readonly page: BoundPage | undefined;
}

import { checkOptions, emulatorUrl, optionRule, required, wholeNumber } from '../../config/option-rules.ts';
import { reservationName, reservationRule } from '../../config/reservation.ts';

/** The options of `bigquery`. Credentials are found as Google's own libraries find them. */
export interface BigqueryOptions {
  /** The Google Cloud project that runs the queries and pays for them. */
  readonly projectId: string;
  /** The dataset of tables that the SQL names without one. */
  readonly dataset: string;
  /** Where the dataset is, as in `EU`; BigQuery finds it without it. */
  readonly location?: string | undefined;
  /** The URL of an emulator, as in `http://127.0.0.1:9050`; Google's without it. */
  readonly apiEndpoint?: string | undefined;
  /** A query that would read more bytes fails. */
  readonly maximumBytesBilled?: number | undefined;
  /**
   * The treatment of problems that a dry run of all queries finds at start: they are reported (the default), stop the
   * start, or are not looked for.
   */
  readonly startCheck?: 'report' | 'stop' | 'off' | undefined;
  /**
   * The views and functions of the queries folder: each query sends those that it reads (the default), or BigQuery has
   * them under the names in their files.
   */
  readonly definitions?: 'sent' | 'stored' | undefined;
  /** The reservation whose slots run queries that name none, as in `projects/p/locations/EU/reservations/r`. */
  readonly reservation?: string | undefined;
}

/** @throws StartError with every option of a wrong name or kind */
export function checkBigqueryOptions(options: BigqueryOptions): void {
  const { text } = optionRule;
  checkOptions<BigqueryOptions>('bigquery', options, {
    projectId: required({ is: text.is, must: 'the id of a Google Cloud project' }),
    dataset: required({ is: text.is, must: 'the name of a dataset' }),
    location: { is: text.is, must: 'a location, as in EU' },
    apiEndpoint: {
      is: (value) => emulatorUrl.test(String(value)),
      must: 'the URL of an emulator without a path, as in http://127.0.0.1:9050',
    },
    maximumBytesBilled: wholeNumber({ min: 1, max: 999_999_999_999_999 }),
    startCheck: {
      is: (value) => ['report', 'stop', 'off'].includes(value as string),
      must: "'report', 'stop' or 'off'",
    },
    reservation: { is: isReservation, must: reservationRule.replace('must be ', '') },
    definitions: {
      is: (value) => ['sent', 'stored'].includes(value as string),
      must: "'sent' or 'stored'",
    },
  });
}

const isReservation = (value: unknown) => typeof value === 'string' && reservationName.test(value);

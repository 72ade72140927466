/** A reservation of BigQuery. Without flags, for the JSON Schema of headers. */
export const reservationName =
  /^projects\/[A-Za-z0-9.:-]+\/locations\/[A-Za-z0-9-]+\/reservations\/[A-Za-z0-9-]+$/;

export const reservationRule =
  'must be a reservation, as in projects/my-project/locations/EU/reservations/reports';

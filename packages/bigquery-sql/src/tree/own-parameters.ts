/** The parameter that holds the value of CURRENT_TIMESTAMP(). */
export const nowParameter = 'current_timestamp';

/** Prefix of the parameters that passes add. */
export const ownPrefix = 'querygate_';

/** The parameter that holds the value of CURRENT_TIMESTAMP(). */
export const nowParameter = 'current_timestamp';

/** The parameter that holds the value of SESSION_USER(), a STRING. */
export const userParameter = 'querygate_user';

/** Prefix of the parameters that passes and plans add; those of queries can't start with it. */
export const ownPrefix = 'querygate_';

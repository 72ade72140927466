/** Characters of a token: those with long lists of groups have some thousand. */
export const maxTokenLength = 8_192;

/** A JSON Web Token, whole or in a longer text. From its first dot backwards: each run of letters is read once. */
export const tokenShape = /(?<=\beyJ[\w-]{5,})\.[\w-]{5,}\./;

/** Problems of a token that depend on the time. */
export const tokenProblems = {
  expired: 'the token has expired',
  early: 'the token is not valid yet',
} as const;

/** Characters of a token: those with long lists of groups have some thousand. */
export const maxTokenLength = 8_192;

/** A JSON Web Token, whole or in a longer text. */
export const tokenShape = /\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/;

/** What is wrong with a token at this time. */
export const tokenProblems = {
  expired: 'the token has expired',
  early: 'the token is not valid yet',
} as const;

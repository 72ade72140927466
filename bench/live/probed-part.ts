/** Its result is small, however large the others are, and nobody follows it. */
export const probedPart = 'probed';

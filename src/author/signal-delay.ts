/** How long a signal of the terminal may be under way. */
export const signalDelayMs = 300;

/** What a generator gives, where the next is already being made while one is used. */
export async function* prefetch<T>(items: AsyncGenerator<T>): AsyncGenerator<T, void, undefined> {
  let next = settled(items.next());
  try {
    for (;;) {
      const { error, result } = await next;
      if (result === undefined) throw error;
      if (result.done) return;
      next = settled(items.next());
      yield result.value;
    }
  } finally {
    await next;
    await items.return(undefined);
  }
}

/** A failure is told when it is asked for, not before. */
async function settled<T>(
  next: Promise<IteratorResult<T>>,
): Promise<{ readonly result?: IteratorResult<T>; readonly error?: unknown }> {
  try {
    return { result: await next };
  } catch (error) {
    return { error };
  }
}

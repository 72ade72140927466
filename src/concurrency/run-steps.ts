/** Does all steps of some work at once, and gives its result. `LoopTurns` does them in turns of the event loop. */
export function runSteps<T>(steps: Iterator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** A figure beside the goal that it must reach. Below it the process ends with exit code 1. */
export function atLeast(figures: string, figure: number, goal: number): string {
  return verdict(`${figures}; at least ${goal}`, figure >= goal);
}

/** The same for a figure that must not exceed its goal. */
export function atMost(figures: string, figure: number, goal: number): string {
  return verdict(`${figures}; at most ${goal}`, figure <= goal);
}

function verdict(line: string, holds: boolean): string {
  if (!holds) process.exitCode = 1;
  return `${line}: ${holds ? 'holds' : 'DOES NOT HOLD'}`;
}

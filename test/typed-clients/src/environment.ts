/** The gateway that the test has started. */
export const gatewayUrl = required('GATEWAY_URL');
export const headers = { 'X-API-KEY': required('GATEWAY_KEY') };

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is missing`);
  return value;
}

/** What the test reads. */
export function report(result: unknown): void {
  process.stdout.write(JSON.stringify(result));
}

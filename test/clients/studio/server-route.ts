/**
 * The server side of a self-hosted Supabase Studio, which stands between its pages and the endpoint.
 *
 * Rules read from supabase/supabase, apps/studio/lib/api/self-hosted/logs.ts and
 * apps/studio/pages/api/platform/projects/[ref]/analytics/endpoints/[name].ts.
 */
export interface StudioReply {
  readonly status: number;
  readonly body: { readonly result?: Row[]; readonly error?: { readonly message: string } };
}

export type Row = Readonly<Record<string, unknown>>;

export interface Gateway {
  readonly origin: string;
  readonly key: string;
}

/**
 * What a page gets for a request to Studio. The page's parameters, by GET or POST, all become part of the URL; `project`
 * is Studio's own unless the page sends one. The body is read as JSON whatever the status.
 */
export async function studioReply(
  { origin, key }: Gateway,
  name: string,
  ref: string,
  parameters: Readonly<Record<string, string | undefined>>,
): Promise<StudioReply> {
  const url = new URL(`${origin}/api/endpoints/query/${name}`);
  url.searchParams.set('project', ref);
  for (const [parameter, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(parameter, value);
  }
  const headers = { 'x-api-key': key, 'content-type': 'application/json', accept: 'application/json' };
  try {
    const response = await fetch(url, { headers });
    const body = await response.json();
    if (response.ok) return { status: 200, body };
    return failure(body?.error?.message ?? `Failed to retrieve analytics data: ${response.statusText}`);
  } catch (error) {
    return failure(error instanceof Error ? error.message : 'Unknown error');
  }
}

const failure = (message: string): StudioReply => ({ status: 500, body: { error: { message } } });

import type { Outbound } from "../../platform/outbound/index.ts";

/** What the engine fetches (a client's JWKS) goes through the guarded way out; its own guard is replaced by it. */
export const engineFetch =
  (outbound: Outbound) =>
  async (url: string | URL | Request, options: RequestInit = {}): Promise<Response> => {
    const headers: Record<string, string> = {};
    new Headers(options.headers).forEach((value, name) => {
      headers[name] = value;
    });
    const answer = await outbound.fetch(url instanceof Request ? url.url : url, {
      method: (options.method ?? "GET") as "GET",
      headers,
      ...(options.body !== undefined && options.body !== null && { body: String(options.body) }),
      ...(options.signal && { signal: options.signal }),
    });
    const answered = new Headers();
    for (const [name, value] of Object.entries(answer.headers))
      if (value !== undefined && !/^(content-encoding|content-length|transfer-encoding)$/.test(name)) answered.set(name, String(value));
    const hasBody = answer.status !== 204 && answer.status !== 304;
    return new Response(hasBody ? new Uint8Array(answer.body) : null, { status: answer.status, headers: answered });
  };

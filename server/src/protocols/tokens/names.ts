/** How deep tokens may stand in each other: a pushed request, and the `id_token_hint` in it. */
const MAX_DEPTH = 4;

/** Whether one of these texts stands somewhere in a value, also inside a token that nobody verifies here. Case does not matter. */
export function names(value: unknown, texts: readonly string[], depth = MAX_DEPTH): boolean {
  const wanted = new Set(texts.map((text) => text.toLowerCase()));
  const holds = (each: unknown, left: number): boolean => {
    if (typeof each === "string") return wanted.has(each.toLowerCase()) || (left > 0 && holds(contentOf(each), left - 1));
    return typeof each === "object" && each !== null && Object.values(each).some((member) => holds(member, left));
  };
  return holds(value, depth);
}

/** The claims of what looks like a JWT, signed or not; undefined for any other text. */
function contentOf(text: string): unknown {
  const [, body] = /^eyJ[\w-]*\.(eyJ[\w-]*)\.[\w-]*$/.exec(text) ?? [];
  if (body === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(body, "base64url").toString("utf8"));
  } catch {
    return undefined; // it only looks like one
  }
}

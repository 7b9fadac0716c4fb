/** A mail as its reader sees it. It is parsed by hand, and not by the library with which our own code wrote it. */
export interface ReadMail {
  /** The headers in order, with lower-case names. A name may occur twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string | null;
  readonly html: string | null;
}

export function readMail(raw: string): ReadMail {
  const { headers, body } = splitPart(raw);
  const parts = partsOf(headers, body);
  const ofType = (type: string) => parts.find((part) => part.type === type)?.text ?? null;
  return { headers, text: ofType("text/plain"), html: ofType("text/html") };
}

export const headerOf = ({ headers }: Pick<ReadMail, "headers">, name: string): string | null =>
  headers.find(([known]) => known === name)?.[1] ?? null;

function splitPart(raw: string) {
  const at = raw.indexOf("\r\n\r\n");
  // RFC 5322 §2.2.3: a line that begins with white space continues the one before.
  const lines = raw
    .slice(0, at)
    .replace(/\r\n[ \t]/g, " ")
    .split("\r\n");
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())] as const;
  });
  return { headers, body: raw.slice(at + 4) };
}

function partsOf(headers: ReadMail["headers"], body: string): { type: string; text: string }[] {
  const contentType = headerOf({ headers }, "content-type") ?? "text/plain";
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1];
  if (boundary === undefined) {
    const bytes = decodeBody(body, headerOf({ headers }, "content-transfer-encoding") ?? "7bit");
    // The last line break belongs to the transport.
    return [{ type: contentType.split(";")[0]!.trim(), text: bytes.replaceAll("\r\n", "\n").replace(/\n$/, "") }];
  }
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .flatMap((part) => {
      const inner = splitPart(part.replace(/^\r\n/, "").replace(/\r\n$/, ""));
      return partsOf(inner.headers, inner.body);
    });
}

function decodeBody(body: string, encoding: string): string {
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8");
  return encoding === "quoted-printable" ? fromQuoted(body.replace(/=\r\n/g, "")) : body;
}

const fromQuoted = (text: string): string =>
  Buffer.concat(
    [...text.matchAll(/=([0-9A-F]{2})|([^=]+)/g)].map(([, hex, plain]) =>
      hex === undefined ? Buffer.from(plain!) : Buffer.from(hex, "hex"),
    ),
  ).toString("utf8");

/** Decodes words (RFC 2047). White space between two encoded words is not part of the text. */
const decodeWords = (text: string): string =>
  text
    .replace(/(\?=)\s+(=\?)/g, "$1$2")
    .replace(/(?:=\?UTF-8\?[QB]\?[^?]*\?=)+/gi, (words) =>
      Buffer.concat(
        [...words.matchAll(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi)].map(([, how, word]) =>
          how!.toUpperCase() === "B" ? Buffer.from(word!, "base64") : Buffer.from(fromQuoted(word!.replaceAll("_", " "))),
        ),
      ).toString("utf8"),
    );

// A passkey in software, which answers as a device and a browser together would, for tests without either.
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

type Cbor = number | string | Buffer | Map<number | string, Cbor>;

/** Encodes CBOR (RFC 8949), as far as an attestation needs it. */
function cbor(value: Cbor): Buffer {
  const head = (major: number, length: number) =>
    length < 24
      ? Buffer.from([(major << 5) | length])
      : length < 256
        ? Buffer.from([(major << 5) | 24, length])
        : Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
  if (typeof value === "number") return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, each]) => [cbor(key), cbor(each)])]);
}

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest();
const text = (bytes: Buffer) => bytes.toString("base64url");

export interface Ceremony {
  /** True if the device verified its user. */
  readonly verified?: boolean;
  readonly origin?: string;
  readonly rpId?: string;
  /** The counter, instead of the next number. */
  readonly counter?: number;
  readonly userHandle?: string | null;
  readonly crossOrigin?: boolean;
}

interface Options {
  readonly challenge: string;
  readonly rpId?: string;
  readonly rp?: { readonly id: string };
  readonly user?: { readonly id: string };
}

export interface TestPasskey {
  readonly id: string;
  /** The public key as COSE. */
  readonly publicKey: Buffer;
  create(options: Options, how?: Ceremony): object;
  get(options: Options, how?: Ceremony): object;
}

const ORIGIN = "http://localhost:8080";

/** Makes a passkey. `counts` says whether it counts its uses, which synced passkeys do not. */
export function testPasskey({ counts = true, id = text(randomBytes(32)), synced = false } = {}): TestPasskey {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x, y } = publicKey.export({ format: "jwk" });
  let used = 0;
  let owner: string | null = null;

  const clientData = (type: string, { challenge }: Options, { origin = ORIGIN, crossOrigin = false }: Ceremony) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }));
  const authData = (options: Options, { verified = true, rpId, counter }: Ceremony, more?: Buffer) => {
    const flags = 1 | (verified ? 4 : 0) | (synced ? 8 | 16 : 0) | (more ? 64 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter ?? used);
    return Buffer.concat([sha256(rpId ?? options.rpId ?? options.rp?.id ?? ""), Buffer.from([flags]), count, more ?? Buffer.alloc(0)]);
  };

  const cose = cbor(
    new Map<number, Cbor>([
      ...([
        [1, 2],
        [3, -7],
        [-1, 1],
      ] as const),
      ...([
        [-2, Buffer.from(x!, "base64url")],
        [-3, Buffer.from(y!, "base64url")],
      ] as const),
    ]),
  );

  return {
    id,
    publicKey: cose,
    create(options, how = {}) {
      owner = options.user?.id ?? null;
      const rawId = Buffer.from(id, "base64url");
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([rawId.length >> 8, rawId.length & 255]), rawId, cose]);
      const attestation = new Map<string, Cbor>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", authData(options, how, attested)],
      ]);
      const response = {
        clientDataJSON: text(clientData("webauthn.create", options, how)),
        attestationObject: text(cbor(attestation)),
        transports: ["internal"],
      };
      return { id, rawId: id, type: "public-key", response, clientExtensionResults: {} };
    },
    get(options, how = {}) {
      if (counts) used++;
      const client = clientData("webauthn.get", options, how);
      const data = authData(options, how);
      const { userHandle = owner } = how;
      const response = {
        clientDataJSON: text(client),
        authenticatorData: text(data),
        signature: text(sign("sha256", Buffer.concat([data, sha256(client)]), privateKey)),
        ...(userHandle !== null && { userHandle }),
      };
      return { id, rawId: id, type: "public-key", response, clientExtensionResults: {} };
    },
  };
}

const plain = (html: string) => html.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** Reads the form of a page that asks for a passkey: its hidden fields, and the options for the device. */
export function passkeyForm(html: string): { hidden: Record<string, string>; options: Options } {
  const form = html.split("<form").find((part) => part.includes("data-passkey=")) ?? "";
  const options = /data-options="([^"]*)"/.exec(form)?.[1];
  if (options === undefined) throw new Error(`This page asks for no passkey: ${html.slice(0, 2000)}`);
  const inputs = form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return { hidden: Object.fromEntries([...inputs].map(([, name, value]) => [name!, plain(value!)])), options: JSON.parse(plain(options)) };
}

import { createCipheriv, createHash, pbkdf2, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { verifyBcrypt } from "./bcrypt.ts";

/** A hash that another system made and that this server can check. docs/passwords.md lists the forms. */
export interface ForeignHash {
  /** True if a check costs next to nothing. Its speed would then reveal that the user exists and was imported. */
  readonly cheap: boolean;
  /** Checks a password, off the main thread unless the hash is cheap. */
  verify(password: Buffer): Promise<boolean>;
}

type Read = (parts: Readonly<Record<string, string>>) => ForeignHash | null;

const deriveByPbkdf2 = promisify(pbkdf2);
const deriveByScrypt = promisify<Buffer, Buffer, number, object, Buffer>(scrypt);

/** The maximum length of a hash. It exceeds that of every form, and costs nothing to parse. */
const MAX_TEXT = 1024;
// A shorter output has so few values that a wrong password may match.
const MIN_OUTPUT = 16;
const MAX_OUTPUT = 128;

// A hash determines its own cost. Beyond some seconds of one core, it is an attack on the server and not a hash.
const MAX_BCRYPT_COST = 16;
const MIN_BCRYPT_COST = 4; // no implementation makes fewer rounds
const MAX_PBKDF2_ROUNDS = 5_000_000;
const MAX_SCRYPT_BLOCKS = 2 ** 21; // N × r, 256 MiB
const MAX_SCRYPT_WORK = 2 ** 23; // N × r × p

/** The digests of PBKDF2 that are in use. A hash without a name has the standard's original digest. */
const PBKDF2_DIGESTS: Readonly<Record<string, string>> = { "": "sha1", sha1: "sha1", sha256: "sha256", sha512: "sha512" };
const SSHA_DIGESTS: Readonly<Record<string, readonly [digest: string, bytes: number]>> = {
  "": ["sha1", 20],
  "256": ["sha256", 32],
  "384": ["sha384", 48],
  "512": ["sha512", 64],
};

/** Decodes base64 with or without padding, in either alphabet. passlib writes a dot for the plus. */
const fromBase64 = (text: string): Buffer => Buffer.from(text.replaceAll(".", "+"), "base64");
const hasUsualLength = ({ length }: Buffer): boolean => length >= MIN_OUTPUT && length <= MAX_OUTPUT;

function readPbkdf2(digestName: string, rounds: number, salt: Buffer, expected: Buffer): ForeignHash | null {
  const digest = PBKDF2_DIGESTS[digestName.toLowerCase()];
  if (!digest || rounds < 1 || rounds > MAX_PBKDF2_ROUNDS || !hasUsualLength(expected)) return null;
  return {
    cheap: false,
    verify: async (password) => timingSafeEqual(await deriveByPbkdf2(password, salt, rounds, expected.length, digest), expected),
  };
}

/**
 * Returns the limits for scrypt, or null if it would cost too much. Node refuses to use more memory than `maxmem`, and needs a little more than 128 × N × r.
 */
function scryptLimits(N: number, r: number, p: number): { N: number; r: number; p: number; maxmem: number } | null {
  const isPowerOfTwo = Number.isInteger(Math.log2(N)) && N > 1;
  if (!isPowerOfTwo || r < 1 || p < 1 || N * r > MAX_SCRYPT_BLOCKS || N * r * p > MAX_SCRYPT_WORK) return null;
  return { N, r, p, maxmem: 128 * r * (N + p + 2) };
}

function readScrypt(N: number, r: number, p: number, salt: Buffer, expected: Buffer): ForeignHash | null {
  const limits = scryptLimits(N, r, p);
  if (!limits || !hasUsualLength(expected)) return null;
  return {
    cheap: false,
    verify: async (password) => timingSafeEqual(await deriveByScrypt(password, salt, expected.length, limits), expected),
  };
}

/** Checks the key stream that scrypt's key makes in AES-256-CTR. A hash of Firebase is reduced to it by removing the project's signer key. */
function readKeyStream(N: number, r: number, p: number, salt: Buffer, expected: Buffer): ForeignHash | null {
  const limits = scryptLimits(N, r, p);
  if (!limits || !hasUsualLength(expected)) return null;
  return {
    cheap: false,
    async verify(password) {
      const key = (await deriveByScrypt(password, salt, 64, limits)).subarray(0, 32);
      return timingSafeEqual(createCipheriv("aes-256-ctr", key, Buffer.alloc(16)).update(Buffer.alloc(expected.length)), expected);
    },
  };
}

function readSalted(size: string, written: Buffer): ForeignHash | null {
  const [digest, bytes] = SSHA_DIGESTS[size] ?? ["", 0];
  const [expected, salt] = [written.subarray(0, bytes), written.subarray(bytes)];
  // A hash without a salt is refused: one list of hashes would open every account at once.
  if (!digest || salt.length === 0) return null;
  return {
    cheap: true,
    verify: async (password) => timingSafeEqual(createHash(digest).update(password).update(salt).digest(), expected),
  };
}

function readBcrypt(text: string, cost: number): ForeignHash | null {
  if (cost < MIN_BCRYPT_COST || cost > MAX_BCRYPT_COST) return null;
  return { cheap: false, verify: (password) => verifyBcrypt(password, text) };
}

const B64 = "[A-Za-z0-9+/._-]+={0,2}";

/** Every form with its reader. The expressions are anchored and have no nested repetitions, so that every text is refused quickly. */
const forms: readonly (readonly [form: RegExp, read: Read])[] = [
  // bcrypt: $2a$, $2b$, $2y$, 53 characters of salt and hash
  [/^(?<all>[$]2[aby][$](?<cost>\d\d)[$][./A-Za-z0-9]{53})$/, ({ all, cost }) => readBcrypt(all!, Number(cost))],
  // passlib: $pbkdf2-sha256$29000$salt$hash; as a PHC string, and from Keycloak: $pbkdf2-sha256$i=27500$salt$hash
  [
    new RegExp(`^[$]pbkdf2(?:-(?<digest>sha\\d+))?[$](?:i=)?(?<rounds>\\d{1,9})(?:,l=\\d{1,3})?[$](?<salt>${B64})[$](?<hash>${B64})$`),
    ({ digest = "", rounds, salt, hash }) => readPbkdf2(digest, Number(rounds), fromBase64(salt!), fromBase64(hash!)),
  ],
  // LDAP: {PBKDF2-SHA256}29000$salt$hash
  [
    new RegExp(`^[{]PBKDF2(?:-(?<digest>SHA\\d+))?[}](?<rounds>\\d{1,9})[$](?<salt>${B64})[$](?<hash>${B64})$`, "i"),
    ({ digest = "", rounds, salt, hash }) => readPbkdf2(digest, Number(rounds), fromBase64(salt!), fromBase64(hash!)),
  ],
  // Django: pbkdf2_sha256$870000$salt$hash, where the salt is text
  [
    new RegExp(`^pbkdf2_(?<digest>sha\\d+)[$](?<rounds>\\d{1,9})[$](?<salt>[^$]+)[$](?<hash>${B64})$`),
    ({ digest = "", rounds, salt, hash }) => readPbkdf2(digest, Number(rounds), Buffer.from(salt!), fromBase64(hash!)),
  ],
  // passlib and PHC: $scrypt$ln=16,r=8,p=1$salt$hash
  [
    new RegExp(`^[$]scrypt[$]ln=(?<ln>\\d{1,2}),r=(?<r>\\d{1,4}),p=(?<p>\\d{1,4})[$](?<salt>${B64})[$](?<hash>${B64})$`),
    ({ ln, r, p, salt, hash }) => readScrypt(2 ** Number(ln), Number(r), Number(p), fromBase64(salt!), fromBase64(hash!)),
  ],
  // Django: scrypt$16384$salt$8$1$hash
  [
    new RegExp(`^scrypt[$](?<N>\\d{1,9})[$](?<salt>[^$]+)[$](?<r>\\d{1,4})[$](?<p>\\d{1,4})[$](?<hash>${B64})$`),
    ({ N, r, p, salt, hash }) => readScrypt(Number(N), Number(r), Number(p), Buffer.from(salt!), fromBase64(hash!)),
  ],
  // our form of a Firebase hash: see `storedForm`
  [
    new RegExp(`^[$]fbstream[$]ln=(?<ln>\\d{1,2}),r=(?<r>\\d{1,4}),p=(?<p>\\d{1,4})[$](?<salt>${B64})[$](?<hash>${B64})$`),
    ({ ln, r, p, salt, hash }) => readKeyStream(2 ** Number(ln), Number(r), Number(p), fromBase64(salt!), fromBase64(hash!)),
  ],
  // LDAP: {SSHA}, {SSHA256}, {SSHA384}, {SSHA512}, where the salt follows the digest
  [new RegExp(`^[{]SSHA(?<size>\\d{3})?[}](?<written>${B64})$`, "i"), ({ size = "", written }) => readSalted(size, fromBase64(written!))],
];

/** Parses a hash of another system. Returns null if the text is no hash, or one that costs too much. */
export function readForeignHash(text: string): ForeignHash | null {
  if (text.length > MAX_TEXT) return null;
  for (const [form, read] of forms) {
    const groups = form.exec(text)?.groups;
    if (groups) return read(groups);
  }
  return null;
}

/** Firebase hashes with the parameters of their project: as GoTrue writes them, and as Kratos does. */
const withSignerKey: readonly RegExp[] = [
  new RegExp(
    `^[$]fbscrypt[$]v=1,n=(?<ln>\\d{1,2}),r=(?<r>\\d{1,4}),p=(?<p>\\d{1,4}),ss=(?<separator>${B64}),sk=(?<key>${B64})[$](?<salt>${B64})[$](?<hash>${B64})$`,
  ),
  new RegExp(
    `^[$]firescrypt[$]ln=(?<ln>\\d{1,2}),r=(?<r>\\d{1,4}),p=(?<p>\\d{1,4})[$](?<salt>${B64})[$](?<hash>${B64})[$](?<separator>${B64})[$](?<key>${B64})$`,
  ),
];

/**
 * Returns a hash in the form in which it may be stored. Firebase encrypts its project's signer key with a key made of the password. The signer key is a secret
 * of all users. The key stream that encrypted it is not, and it proves the password as well.
 */
export function storedForm(text: string): string {
  if (text.length > MAX_TEXT) return text;
  for (const form of withSignerKey) {
    const { ln, r, p, separator, key, salt, hash } = form.exec(text)?.groups ?? {};
    if (hash === undefined) continue;
    const [signer, sealed] = [fromBase64(key!), fromBase64(hash)];
    if (signer.length !== sealed.length) return text;
    const stream = Buffer.from(sealed.map((byte, at) => byte ^ signer[at]!));
    const whole = Buffer.concat([fromBase64(salt!), fromBase64(separator!)]);
    return `$fbstream$ln=${ln},r=${r},p=${p}$${whole.toString("base64")}$${stream.toString("base64")}`;
  }
  return text;
}

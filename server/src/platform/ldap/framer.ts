import { BerError, headAt, TAG } from "./ber.ts";

export class TooLargeError extends BerError {}

/** Cuts the received bytes into whole messages. */
export class Framer {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #size = 0;
  /** The length in bytes of the first message, once its header is known. */
  #needed = 2;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** Yields the messages that are complete now. Throws a TooLargeError or a BerError if the bytes can never become one. */
  *push(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    // The bytes of an incomplete message are not joined yet: a message of many packets would be copied once per packet.
    while (this.#size >= this.#needed) {
      const bytes = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
      if (bytes[0] !== TAG.sequence) throw new BerError("What arrived is no LDAP message");
      const head = headAt(bytes, 0);
      const end = head?.end ?? this.#size + 1;
      if (end > this.#maxBytes) throw new TooLargeError("A message is larger than what is accepted");
      if (bytes.length < end) {
        this.#keep(bytes, end);
        return;
      }
      this.#keep(bytes.subarray(end), 2);
      yield bytes.subarray(0, end);
    }
  }

  #keep(bytes: Buffer, needed: number): void {
    this.#chunks = bytes.length > 0 ? [bytes] : [];
    this.#size = bytes.length;
    this.#needed = needed;
  }
}

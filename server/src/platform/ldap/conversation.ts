import type { Socket } from "node:net";
import { BerError } from "./ber.ts";
import type { LdapEntry } from "./entry.ts";
import { LdapError } from "./errors.ts";
import { Framer, TooLargeError } from "./framer.ts";
import { type Answer, abandonRequest, type Control, type LdapResult, message, readMessage, unbindRequest } from "./messages.ts";

type Kind = "bind" | "search" | "modify" | "extended";

interface Pending {
  readonly kind: Kind;
  readonly entries: LdapEntry[];
  bytes: number;
  resolve(answer: { entries: LdapEntry[]; result: LdapResult }): void;
  reject(error: LdapError): void;
}

// A group of 100,000 members in one entry is about 8 MB.
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** The size of all the messages that answer one request. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const MAX_ID = 2 ** 31 - 1;

/** Exchanges requests and answers on one socket. Anything unexpected ends it, and all waiting requests fail. */
export class Conversation {
  readonly #socket: Socket;
  readonly #framer = new Framer(MAX_MESSAGE_BYTES);
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #highestId = 0;
  #ended: LdapError | null = null;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", this.#onData);
    socket.on("error", this.#onError);
    socket.on("close", this.#onClose);
  }

  get isOpen(): boolean {
    return this.#ended === null;
  }

  /** Sends a request and waits for its whole answer for at most `timeoutMs`, even if parts keep arriving. */
  ask(
    kind: Kind,
    operation: Buffer,
    { timeoutMs, controls = [] }: { timeoutMs: number; controls?: readonly Control[] },
  ): Promise<{ entries: LdapEntry[]; result: LdapResult }> {
    if (this.#ended) return Promise.reject(this.#ended);
    if (kind === "bind" && this.#pending.size > 0) throw new Error("A bind must run alone on its connection");
    const id = this.#nextId();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#tooLate(id), timeoutMs);
      const settle = () => {
        clearTimeout(timer);
        this.#pending.delete(id);
      };
      this.#pending.set(id, {
        kind,
        entries: [],
        bytes: 0,
        resolve: (answer) => {
          settle();
          resolve(answer);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      this.#socket.write(message(id, operation, controls));
    });
  }

  /** The id of a request that is still waiting is not used again. */
  #nextId(): number {
    do this.#lastId = this.#lastId === MAX_ID ? 1 : this.#lastId + 1;
    while (this.#pending.has(this.#lastId));
    this.#highestId = Math.max(this.#highestId, this.#lastId);
    return this.#lastId;
  }

  /** Sends an unbind and closes the connection. */
  end(): void {
    if (this.#ended) return;
    const socket = this.#socket;
    // A peer that does not read must not keep the socket open.
    socket.write(message(this.#nextId(), unbindRequest()), () => socket.destroy());
    setTimeout(() => socket.destroy(), 1_000).unref();
    this.#fail(new LdapError("closed", "The connection to the directory was closed."));
  }

  /** Releases the socket for TLS. Data after the last answer arrived in the clear and would be taken for protected, so it is refused. */
  release(): void {
    if (this.#ended) throw this.#ended;
    if (!this.#framer.isEmpty) throw new LdapError("protocol", "The directory sent unexpected data before TLS.");
    this.#socket.off("data", this.#onData).off("error", this.#onError).off("close", this.#onClose);
    this.#socket.pause();
  }

  readonly #onData = (chunk: Buffer): void => {
    try {
      for (const bytes of this.#framer.push(chunk)) {
        this.#take(readMessage(bytes), bytes.length);
        if (this.#ended) return;
      }
    } catch (error) {
      if (!(error instanceof BerError) && !(error instanceof LdapError)) throw error;
      this.#destroy(asLdapError(error));
    }
  };

  readonly #onError = (cause: Error): void => {
    this.#destroy(new LdapError("closed", "The directory broke off the conversation.", { cause }));
  };

  readonly #onClose = (): void => {
    this.#destroy(new LdapError("closed", "The directory closed the connection."));
  };

  #take(answer: Answer, bytes: number): void {
    const pending = this.#pending.get(answer.id);
    // Id 0 is an unsolicited notice that the directory will close the connection (RFC 4511 §4.4.1). Ids that were never sent answer no request.
    if (!pending) {
      if (answer.id !== 0 && answer.id <= this.#highestId) return;
      throw new LdapError("closed", "The directory closed the connection.");
    }
    pending.bytes += bytes;
    if (pending.bytes > MAX_ANSWER_BYTES) throw new TooLargeError("An answer is larger than what is accepted");
    if (answer.kind === "skip") return;
    if (answer.kind === "entry") {
      if (pending.kind !== "search") throw new BerError("An entry arrived without a search");
      pending.entries.push(answer.entry);
      return;
    }
    if (answer.kind !== pending.kind) throw new BerError("The answer is not one to this request");
    pending.resolve({ entries: pending.entries, result: answer.result });
  }

  /** Gives up a search that takes too long; other searches continue. Any other late answer leaves the state of the connection unknown, so it is closed. */
  #tooLate(id: number): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    const error = new LdapError("timeout", "The directory did not answer in time.");
    if (pending.kind !== "search" || this.#pending.size === 1) {
      this.#destroy(error);
      return;
    }
    this.#socket.write(message(this.#nextId(), abandonRequest(id)));
    pending.reject(error);
  }

  #destroy(error: LdapError): void {
    this.#socket.destroy();
    this.#fail(error);
  }

  #fail(error: LdapError): void {
    this.#ended ??= error;
    for (const pending of [...this.#pending.values()]) pending.reject(error);
  }
}

const asLdapError = (error: BerError | LdapError): LdapError => {
  if (error instanceof LdapError) return error;
  return error instanceof TooLargeError
    ? new LdapError("too_large", "The directory answered with more than is accepted.", { cause: error })
    : new LdapError("protocol", "The directory answered with what is no LDAP.", { cause: error });
};

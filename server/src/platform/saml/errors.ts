import { cut } from "../../kernel/text.ts";

/** A message may quote received text, which may be long. */
const MAX_LENGTH = 300;

/** The reason why a message was refused, as a word for the audit event, by which an administrator can distinguish the causes. */
export type SamlReason =
  | "size"
  | "encoding"
  | "not_well_formed"
  | "doctype"
  | "forbidden_node"
  | "depth"
  | "nodes"
  | "attributes"
  | "duplicate_id"
  | "namespaced_id"
  | "message"
  | "version"
  | "binding"
  | "relay_state"
  | "no_certificate"
  | "certificate"
  | "signature_missing"
  | "signature_shape"
  | "signature_reference"
  | "signature_algorithm"
  | "signature_invalid"
  | "encryption_algorithm"
  | "decryption"
  | "destination"
  | "issuer"
  | "in_response_to"
  | "status"
  | "assertion_count"
  | "unsigned"
  | "unencrypted"
  | "subject_confirmation"
  | "conditions"
  | "audience"
  | "expired"
  | "not_yet_valid"
  | "authn_statement"
  | "metadata"
  | "metadata_expired"
  | "metadata_choice";

/**
 * The only error that the core throws for input from outside. `message` is for logs, audit events and administrators who import metadata. The peer that sent
 * the message gets a generic answer.
 */
export class SamlError extends Error {
  readonly reason: SamlReason;

  constructor(reason: SamlReason, message: string, options: { cause?: unknown } = {}) {
    super(cut(message, MAX_LENGTH), options);
    this.name = "SamlError";
    this.reason = reason;
  }
}

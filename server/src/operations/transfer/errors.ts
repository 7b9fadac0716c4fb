import { AppError, defineErrors, type FieldError } from "../../kernel/errors.ts";
import { listed } from "../../kernel/lists.ts";

export const transferErrors = defineErrors("transfer", {
  wrong_passphrase: [400, "The passphrase does not open the secrets of this document: nothing was changed"],
  passphrase_needed: [400, "This document has sealed secrets: send its passphrase in the header Export-Passphrase"],
  passphrase_short: [400, "Sealing needs a passphrase of 12 characters or more in the header Export-Passphrase"],
  plan_changed: [409, "The realm has changed since this plan was made: make a new plan and check it"],
});

/** The error that lists all faults, each with its path in the document. */
export function faulty(faults: readonly (FieldError & { readonly status?: number })[]): AppError {
  const status = faults.some((fault) => fault.status === 403) ? 403 : faults.every((fault) => fault.status === 409) ? 409 : 400;
  const [first] = faults;
  const message =
    faults.length === 1 ? first!.message : `The document has ${faults.length} faults, and nothing was changed. First: ${first!.message}`;
  return new AppError("transfer.faults", status, message, {
    errors: faults.map(({ field, code, message: text }) => ({ field, code, message: text })),
  });
}

type Conflict = FieldError & { readonly status: number };

export const deletedWithOthers = (at: string, pruned: readonly string[]): Conflict => ({
  field: at,
  code: "deleted_along",
  message: `${at}: pruning other items (${listed(pruned)}) would also delete this. Keep them, or remove the connection first`,
  status: 409,
});

export const changedWithOthers = (at: string, members: string, pruned: readonly string[]): Conflict => ({
  field: at,
  code: "changed_along",
  message: `${at}: pruning other items (${listed(pruned)}) would change its ${members}. Keep them, or write the new value here`,
  status: 409,
});

export const permissionsMissing = (lacking: readonly { readonly section: string; readonly permission: string }[]): AppError =>
  new AppError(
    "transfer.permissions",
    403,
    `You lack permissions that this needs: ${lacking.map(({ section, permission }) => `${permission} (${section})`).join(", ")}`,
  );

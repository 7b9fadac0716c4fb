import Type from "typebox";
import { loginNameMembers } from "../../../directory/users/index.ts";
import { buildValidator, toFieldErrors } from "../../../platform/http/index.ts";
import { scimError } from "../errors.ts";
import { checkKey } from "../keys.ts";
import { addressesOf, type UserFields } from "./mapping.ts";

type Validate = ((value: unknown) => boolean) & { errors?: Parameters<typeof toFieldErrors>[0] | null };
const validate = buildValidator({})({ schema: Type.Object(loginNameMembers), httpPart: "body" }) as Validate;

const NAMES: Readonly<Record<string, string>> = { username: "userName", email: "emails" };

/** Checks login names by the rules of `POST /users`. Other values are kept as they were sent. */
export function checkFields({ username, email, externalId, profile }: UserFields): void {
  if (externalId !== null) checkKey("externalId", externalId);
  for (const address of addressesOf(profile)) checkKey("emails", address);
  if (validate({ username, email })) return;
  const errors = toFieldErrors(validate.errors ?? [], "body").map((each) => ({
    ...each,
    field: NAMES[each.field] ?? each.field,
    message: each.message.replace(/^(username|email)\b/, (name) => NAMES[name]!),
  }));
  throw scimError("invalidValue", errors.map(({ message }) => message).join("; "), errors);
}

import Type, { type Static } from "typebox";
import { oneOf } from "../../platform/http/index.ts";

/** The required actions, in the order in which users complete them. */
export const requiredActions = [
  "UPDATE_PASSWORD",
  "VERIFY_EMAIL",
  "CONFIGURE_TOTP",
  "CONFIGURE_PASSKEY",
  "UPDATE_PROFILE",
  "ACCEPT_TERMS",
] as const;
export type RequiredAction = (typeof requiredActions)[number];

const action = oneOf(requiredActions);

export const RequiredActions = Type.Array(action, {
  $id: "RequiredActions",
  uniqueItems: true,
  description: "In the order in which the user completes them",
});

export const requiredActionList = Type.Array(action, { uniqueItems: true });

const Wrapped = Type.Object({ requiredActions: requiredActionList }, { additionalProperties: false });

/** What GET answers; or the same as a member of an object. `if` and not a union: then only the form that was meant is complained of. */
export const ReplaceRequiredActions = Type.Unsafe<readonly RequiredAction[] | Static<typeof Wrapped>>({
  $id: "ReplaceRequiredActions",
  description: "The whole list, as it was read; or an object with the list as `requiredActions`",
  if: { type: "array" },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: requiredActionList,
  else: Wrapped,
});

export const AddRequiredAction = Type.Object({ action }, { $id: "AddRequiredAction", additionalProperties: false });

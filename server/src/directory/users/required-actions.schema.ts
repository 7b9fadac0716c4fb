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
  description: "The required actions, in the order in which the user completes them",
});

export const requiredActionList = Type.Array(action, { uniqueItems: true });

const Wrapped = Type.Object({ requiredActions: requiredActionList }, { additionalProperties: false });

/** The list as GET returns it, or an object with the list as a member. With `if` instead of a union, errors concern only the form that was sent. */
export const ReplaceRequiredActions = Type.Unsafe<readonly RequiredAction[] | Static<typeof Wrapped>>({
  $id: "ReplaceRequiredActions",
  description: "The whole list, as it was read, or an object with the list as `requiredActions`",
  if: { type: "array" },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: requiredActionList,
  else: Wrapped,
});

export const AddRequiredAction = Type.Object({ action }, { $id: "AddRequiredAction", additionalProperties: false });

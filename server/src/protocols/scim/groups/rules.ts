import { CreateGroup } from "../../../directory/groups/index.ts";
import { buildValidator, toFieldErrors } from "../../../platform/http/index.ts";
import { invalidValue } from "../errors.ts";

type Validate = ((value: unknown) => boolean) & { errors?: Parameters<typeof toFieldErrors>[0] | null };
const validate = buildValidator({})({ schema: CreateGroup, httpPart: "body" }) as Validate;

/** Checks a name by the rules of `POST /groups`. */
export function checkName(name: unknown): string {
  if (typeof name !== "string" || name === "") throw invalidValue("displayName", "is required");
  if (validate({ name })) return name;
  const [fault] = toFieldErrors(validate.errors ?? [], "body");
  throw invalidValue("displayName", fault?.message ?? "is not valid");
}

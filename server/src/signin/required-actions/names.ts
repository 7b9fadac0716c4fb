import { CreateUser } from "../../directory/users/index.ts";
import { buildValidator } from "../../platform/http/index.ts";

/** Validates a username like the admin API. */
export const isUsername: (value: string) => boolean = buildValidator({})({ schema: CreateUser.properties.username, httpPart: "body" });

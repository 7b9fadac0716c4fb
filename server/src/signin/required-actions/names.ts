import { CreateUser } from "../../directory/users/index.ts";
import { buildValidator } from "../../platform/http/index.ts";

/** As the admin API takes one. */
export const isUsername: (value: string) => boolean = buildValidator({})({ schema: CreateUser.properties.username, httpPart: "body" });

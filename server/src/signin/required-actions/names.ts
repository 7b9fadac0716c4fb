import { CreateUser } from "../../directory/users/index.ts";
import { isCleanText } from "../../kernel/text.ts";
import { buildValidator } from "../../platform/http/index.ts";
import { isMailAddress } from "../../tenancy/messaging/index.ts";

// Control characters, and what reorders or hides the text around it. What joins letters stays: names need it.
const UNSEEN = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff]/u;

/** A first or last name: anything that can be seen. */
export const isPersonName = (name: string): boolean => name.length > 0 && name.length <= 255 && isCleanText(name) && !UNSEEN.test(name);

const { username, email } = CreateUser.properties;
const validates = (schema: object): ((value: string) => boolean) => buildValidator({})({ schema, httpPart: "body" });

/** As the admin API takes one. */
export const isUsername = validates(username);
const isEmailMember = validates(email);

/** As the admin API takes one, and as mail can be sent to. */
export const isEmail = (address: string): boolean => isEmailMember(address) && isMailAddress(address);

import Type from "typebox";
import { member } from "../../platform/http/index.ts";

const names = (maxLength: number, description: string) =>
  member(Type.Array(Type.String({ minLength: 1, maxLength }), { maxItems: 100, uniqueItems: true, description }), []);

/** The members' spelling in the admin API, in clients and in the options of SAML clients. */
export const accessMembers = {
  allowedRoles: names(
    512,
    "Only users who hold one of these roles may use it, or who are in one of `allowedGroups`; both empty: every user. A realm role by its name, a client's as in `shop/manager`; ids are taken, too. A role that was deleted is shown by its id and matches no user",
  ),
  allowedGroups: names(
    2048,
    "Only users in one of these groups, or in one below, may use it, or who hold one of `allowedRoles`. By path, as in `/Sales/Europe`; ids are taken, too",
  ),
};

/**
 * The console's own texts for descriptions of the API that address programs. The API's text is the key, and the check of the texts fails if the API no longer
 * has such a description. An empty text is not shown.
 */
export const OWN: Readonly<Record<string, string>> = {
  "The password, which is checked as by `PUT …/password`. It is never shown again":
    "The user's first password. It must follow the realm's password policy.",
  "The user has to replace the `password` at the first sign-in (`UPDATE_PASSWORD`)":
    "The user must choose another password at the first sign-in.",
  "The days after which a password has to be replaced. If null, it never has to be":
    "A password must be replaced after this many days. Empty: never.",
  "The days after which audit events are deleted. If null, they are kept": "Audit events are deleted after this many days. Empty: never.",
  "The days after its review was due after which an agent is suspended. If null, it never is":
    "An agent is suspended this many days after its review was due. Empty: never.",
  "The domain that passkeys belong to: the server's host or a parent domain. If null, the server's host. Passkeys of another domain no longer work":
    "The domain of passkeys: the server's host or a parent domain. Empty: the host. Passkeys of another domain stop working.",
  "The kind of new passkeys: kept by the device itself (`platform`), or by a security key or phone (`cross-platform`). If null, both":
    "New passkeys are stored on the device (`platform`) or on a security key or phone (`cross-platform`). Empty: both.",
  "True: clients may register themselves": "Clients may register themselves.",
  "True: users are asked for consent before such a client gets tokens. It can be turned off only if an initial access token is needed. Applies to clients that register from then on":
    "Such a client needs each user's consent. You can turn this off only if an initial access token is required. It counts for clients that register later.",
  "The roles whose holders may use it, besides the users in `allowedGroups`. If both are empty, every user may. A realm role is written by its name, a client role as in `shop/manager`; ids are accepted, too. A deleted role is shown by its id and matches no user":
    "Only users with one of these roles, or in one of the groups below, may use it. Both empty: every user. Write a client's role as in `shop/manager`; IDs also work.",
  "The groups whose users, including those of groups below, may use it, besides the holders of `allowedRoles`. A group is written by its path, as in `/Sales/Europe`; ids are accepted, too":
    "Users in one of these groups, or in a group below, may also use it. Write the path, as in `/Sales/Europe`; IDs also work.",
  "The client scopes that it may request. If empty, those that the realm assigns":
    "The scopes that it may request. Empty: the realm's scopes.",
  "The client scopes that tokens for this API may have, besides `openid` and `offline_access`. If empty, all of them":
    "The scopes of tokens for this API, beside `openid` and `offline_access`. Empty: all.",
  "EMAIL: smtp, http. SMS: twilio, http. PUSH: fcm, apns": "",
  "The port. Default 587, with tls 465, with none 25": "Empty: 587, with TLS from the start 465, without any 25.",
  "Default starttls; the message is never sent unencrypted instead. none is for a relay on this server's own network":
    "Empty: STARTTLS. A message is never sent without encryption instead.",
  "a host name or an address, without a port": "The host name or address of the mail server, without a port.",
  "an https URL, without a user name or password in it": "An https address, without a username or password in it.",
  "The treatment of users who are not linked yet: create an account for them, only link an account that they prove to be theirs, or neither. Default create":
    "The treatment of users without an account here. Empty: an account is created.",
  "`create`: users without an account get one when they sign in, or in a sync. Default create":
    "The treatment of directory users without an account here. Empty: an account is created.",
  "The sign-ins at which name and email address are copied from the provider: import, the first one only, or force, each. Default import":
    "The time when names and mail address are taken from the provider. Empty: only at the first sign-in.",
  "The secret that the provider issued. It is never shown. If omitted, the stored one is kept; a change of scheme, host or port needs it again":
    "The secret from the provider. Enter it again for another host or port of the provider.",
  "The password of that account. It is never shown. If omitted, the stored one is kept; a change of scheme, host or port needs it again":
    "The password of that account. Enter it again for another host or port of the directory.",
  "letters, digits, dots, dashes and underscores, up to 63 of them. It is part of the provider's redirect URI":
    "Letters, digits, dots, dashes and underscores. It is part of the redirect URI and cannot be changed.",
  "the https URL of the issuer, whose discovery document supplies the members that are omitted here":
    "The provider's https address, as it names itself. Its discovery document fills the fields that you leave empty.",
  "The scopes to request, as a list or as words separated by spaces": "The scopes to request there.",
  "the id by which the provider knows this realm": "This realm's name at the provider.",
  "`role`: the user must hold one of these roles, and every `required` one. A client role is written as in `shop/manager`":
    "The user must have one of these roles. Write an application's role as in `shop/manager`.",
  "`user`: users by username or id. Without `view-users` they are shown by id, and new ones are refused. If the list is empty, for example because its last user was deleted, the policy matches nobody: its result cannot be determined, which denies":
    "The policy matches these users. Empty: nobody.",
  "`group`: groups by path, as in `/Sales/Europe`. With `extendChildren` the groups below match, too":
    "The user must be in one of these groups. Write the path, as in `/Sales/Europe`.",
  "`client-scope`: the token must have one of these client scopes, and every `required` one": "The token must have one of these scopes.",
  "NEGATIVE inverts permit and deny. A result that cannot be determined still denies":
    "The opposite turns permit into deny. A result that cannot be determined still denies.",
  "`js` is refused: use `attribute`, `regex` and `aggregate`": "",
  "The way in which the results of the policies are combined. Only for `aggregate`":
    "The way in which the results of the policies are combined.",
  "`allow`: its users can sign in by other factors than the password while the user's entry cannot be read. Default refuse":
    "Whether its users can sign in by other factors than the password while the directory cannot be read. Empty: they cannot.",
  "`allow`: tokens and sessions of its users remain usable while the user's entry cannot be read. Default allow":
    "Whether tokens and sessions of its users remain usable while the directory cannot be read. Empty: they do.",
  "`keycloak`: its tokens also contain what libraries for Keycloak read: `typ` and `azp` in the payload, and in access tokens `realm_access` and `resource_access` with all roles of the user":
    "With `keycloak`, its tokens also contain the claims that libraries for Keycloak read, such as `realm_access` with the user's roles.",
  "The time when it expires, in epoch milliseconds. Its client gets no tokens afterwards, and its existing tokens are not valid. If null, it does not expire":
    "Its application gets no tokens from then on, and its existing tokens end. Empty: never.",
  "The time when the token expires, in epoch milliseconds. Null if it does not expire":
    "The token stops working at this time. Empty: never.",
  "The alias of an identity provider. Users are linked to it by their `externalId`, so that they can sign in through it without confirmation. Needs `manage-identity-providers`, and the permissions of the provider's users":
    "The users whom the other system creates can sign in by this provider without a confirmation, if it knows them by the same `externalId`.",
  "The name of the connection, to which `externalId`s belong (a token that replaces another has the same name), has no control or invisible characters and no space at either end":
    "A token that replaces another one needs the same name of the connection. Empty: the name above.",
  "The names of the roles that this role includes. Its holders have them, too": "Whoever has this role has these, too.",
  "The client roles that this role includes, each with the OAuth client id": "Whoever has this role has these roles of applications, too.",
  "True if the account is the organization's own: its SCIM tokens created it, and may change and delete it. For other members they can only end the membership":
    "The account is the organization's own: its SCIM tokens may change and delete it. For other members they can only end the membership.",
};

/** Returns the description of a member as a form shows it. One that begins with a small letter completes the error of a pattern, which shows it. */
export function descriptionOf(text = ""): string {
  const own = OWN[text];
  if (own !== undefined) return own;
  if (/^[a-z]|^If omitted, |no control or invisible characters|^Without control or/.test(text)) return "";
  return (
    text
      // A form shows a member only where it applies, and a time as one.
      .replace(/^(True|`[a-z-]+`): (.)/, (_, _when, first: string) => first.toUpperCase())
      .replace(", in epoch milliseconds", "")
      .replace(/ It is never shown\. If omitted, the stored one is kept; .*$/, " Enter it again for another host or port.")
      .replace(/\b(If|if) (null|omitted)\b/g, "$1 empty")
      .replace(/\bNull (if|at|until)\b/g, "Empty $1")
  );
}

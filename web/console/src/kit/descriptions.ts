/**
 * The console's own texts for descriptions of the API that address programs. The API's text is the key, and the check of the texts fails if the API no longer
 * has such a description. An empty text is not shown.
 */
export const OWN: Readonly<Record<string, string>> = {
  "Checked as `PUT …/password` checks it; never shown again": "Their first password. It has to fit the password policy of the realm.",
  "Only with `password`: the user has to replace it at the first sign-in (`UPDATE_PASSWORD`)":
    "They have to choose another password at their first sign-in.",
  "After this many days a password has to be replaced; null: never": "After this many days a password has to be replaced; empty: never.",
  "Audit events are deleted after this many days; null keeps them": "Audit events are deleted after this many days; empty: never.",
  "An agent is suspended this many days after its review was due; null: never":
    "An agent is suspended this many days after its review was due; empty: never.",
  "The domain that passkeys belong to: the server's host or a parent of it; null: its host. Passkeys of another one no longer work":
    "The domain that passkeys belong to: the server's host or a parent of it; empty: its host. Passkeys of another domain stop working.",
  "New passkeys are kept by the device itself (`platform`) or by a security key or phone (`cross-platform`); null: both":
    "New passkeys are kept by the device itself (`platform`) or by a security key or phone (`cross-platform`); empty: both.",
  "True: clients may register themselves": "Clients may register themselves.",
  "True: users are asked before such a client gets anything. Can be turned off only if an initial access token is needed; counts for clients that register from then on":
    "Users are asked before such a client gets anything. This can be turned off only where an initial access token is needed, and counts for clients that register from then on.",
  "Only users who hold one of these roles may use it, or who are in one of `allowedGroups`; both empty: every user. A realm role by its name, a client's as in `shop/manager`; ids are taken, too. A role that was deleted is shown by its id and matches no user":
    "Only users who hold one of these roles, or are in one of the groups below, may use it. Both empty: every user. A client's role is typed as in `shop/manager`; IDs are taken, too.",
  "Only users in one of these groups, or in one below, may use it, or who hold one of `allowedRoles`. By path, as in `/Sales/Europe`; ids are taken, too":
    "Users in one of these groups, or in a group below one, may use it as well. By path, as in `/Sales/Europe`; IDs are taken, too.",
  "Client scopes that it may ask for; empty: what the realm gives": "The scopes that it may ask for; empty: those that the realm gives.",
  "Client scopes that tokens for this API may have, beside `openid` and `offline_access`; empty: all":
    "The scopes that tokens for this API may have, beside `openid` and `offline_access`; empty: all.",
  "EMAIL: smtp, http. SMS: twilio, http. PUSH: fcm, apns": "",
  "Left out: 587, with tls 465, with none 25": "Empty: 587, with TLS from the start 465, without any 25.",
  "starttls if left out; the message is never sent in the clear instead. none is for a relay on this server's own network":
    "Empty: STARTTLS. A message is never sent in the clear instead.",
  "a host name or an address, without a port": "The host name or address of the mail server, without a port.",
  "an https URL, without a user name or password in it": "An https address, without a username or password in it.",
  "The treatment of people who are not linked yet: create an account for them, only link an account that they prove to be theirs, or neither. Default create":
    "What happens to people who have no account here yet. Empty: one is created for them.",
  "`create`: people without an account get one when they sign in, or in a sync. Default create":
    "What happens to people of the directory who have no account here yet. Empty: one is created for them.",
  "When names and mail address are taken from the provider: at the first sign-in only, or at each. Default import":
    "When names and mail address are taken from the provider. Empty: at the first sign-in only.",
  "The secret that the provider gave. Never shown. Left out: kept. Required with any change of scheme, host or port":
    "The secret that the provider gave. Another host or port of the provider needs it again.",
  "The password of that account. Never shown. Left out: kept. Required with any change of scheme, host or port":
    "The password of that account. Another host or port of the directory needs it again.",
  "letters, digits, dots, dashes and underscores, up to 63 of them; it stands in the provider's redirect URI":
    "Letters, digits, dots, dashes and underscores. It stands in the redirect URI, and stays.",
  "an https URL: the issuer; its discovery document says what is left out here":
    "The https address of the provider, as it names itself. Its discovery document says what is left empty here.",
  "The scopes to request: a list, or words with blanks between them": "The scopes to request there.",
  "how the provider knows this realm": "The name under which the provider knows this realm.",
};

/** Returns the description of a member as a form shows it. One that begins with a small letter completes the error of a pattern, which shows it. */
export function descriptionOf(text = ""): string {
  const own = OWN[text];
  if (own !== undefined) return own;
  if (/^[a-z]|^Left out:/.test(text)) return "";
  const said = text.replace(/^True: (.)/, (_, first: string) => first.toUpperCase());
  return said.replace(/; null: /g, "; empty: ");
}

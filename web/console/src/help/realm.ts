/** The console's own texts for descriptions of the API that address programs: the realm, its people, messages, SCIM, webhooks and workloads. */
export const realm: Readonly<Record<string, string>> = {
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
  "The OAuth client id of its client. Once set, it cannot be changed":
    "The application in whose name it gets tokens. Once set, it cannot be changed.",
  "The scopes that a token of its client may have. If empty, all scopes of the client":
    "The scopes that its tokens may have. Empty: all scopes of its application.",
  "It cannot be changed": "",
  "The name that pages and messages show": "The name on pages and in messages.",
  "An https address, a path on this server, or a data: image": "An https address, or a path on this server.",
  "The colour as #rgb or #rrggbb": "A colour such as #4f46e5.",
  "CSS that is added to theme.css. It may not load anything from elsewhere":
    "Further CSS for the pages. It loads nothing from other sites.",
  "The background of the page around the card, in colours of the brand": "The background around the form, in the colours above.",
  "The font of the pages. All of them are on the visitor's device: pages load no fonts":
    "The font of the pages. Each is on the visitor's device, so nothing is loaded.",
  "The welcome text by language, such as nl or pt-BR. `welcomeText` is for all other languages":
    "The welcome text by language. The text above is for all other languages.",
  "The realm's own texts of the pages, by language and name of the text. `GET …/settings/texts/{locale}` lists the names and the default texts":
    "",
  "The privacy statement. Pages link to it at their foot, and to `terms.url` beside it":
    "The address of your privacy statement. Every page links to it.",
  "The language for visitors whose languages are not supported": "The language for visitors whose own language is not supported.",
  "A session ends after this long without use": "A session ends after this long without use.",
  "A session ends after this long, used or not": "A session ends after this long, used or not.",
  "Offer “keep me signed in”. If it is turned off, existing sessions lose it, too":
    "Offer “keep me signed in”. If you turn it off, existing sessions end as others do.",
  "The lifetime of “keep me signed in”, used or not": "The lifetime of “keep me signed in”, used or not.",
  "The minimum number of characters": "The minimum number of characters.",
  "The maximum number of characters": "The maximum number of characters.",
  "Refuse the username as password": "The password may not be the username.",
  "Refuse the email address as password": "The password may not be the email address.",
  "The number of a user's last passwords, including the current one, that cannot be chosen again; 0 allows all":
    "This many of a user's last passwords cannot be chosen again, the current one included. 0 allows all.",
  "Refuse passwords that are known to have leaked": "Refuse passwords that are known from leaks.",
  "The failed attempts of one user before the temporary lock": "A user is locked for a while after this many failed attempts.",
  "The duration of the temporary lock": "The duration of that lock.",
  "The failed attempts from one address before it has to wait": "An address has to wait after this many failed attempts.",
  "Responses to sign-in pages, forgotten passwords and invitations, from one address in a minute":
    "Answers to sign-in pages, forgotten passwords and invitations, from one address in a minute.",
  "Sign-ins that applications and pages start, and logouts that other sites post, from one address in a minute":
    "Sign-ins that applications and pages start, from one address in a minute.",
  "Requests to register a client, from one address in a minute": "Applications that register themselves, from one address in a minute.",
  "Codes that devices request, for one client from one address in a minute":
    "Codes that devices ask for, for one application from one address in a minute.",
  "Requests to enroll a device, from one address in a minute": "Devices that enroll, from one address in a minute.",
  "Artifacts, LogoutRequests and logout tokens that other servers send, from one address in a minute":
    "Messages that other SAML and OpenID servers send, from one address in a minute.",
  "Workload tokens that are exchanged, from one address in a minute": "Workload tokens that are exchanged, from one address in a minute.",
  "The hash algorithm of codes. Many apps support only SHA1, which is secure enough for this purpose":
    "Many apps know only SHA1, which is secure enough here.",
  "The number of codes by which the clock of an app may be early or late": "The number of codes by which a phone's clock may be wrong.",
  "The number of messages of one template that a recipient can get in a period":
    "A recipient gets at most this many messages of one template in a period.",
  "The messages of one channel in an hour": "The realm sends at most this many messages of one channel in an hour.",
  "The lifetime of a backchannel request (CIBA)": "The time in which a user must answer a request of an application (CIBA).",
  "The days without use after which a grant with offline_access ends": "Offline access ends after this many days without use.",
  "The seconds in which a client that lost the response may use a refresh token again, and gets the same successor; 0 treats any second use as theft":
    "An application that lost the answer may use a refresh token once more within this many seconds. 0: every second use counts as theft.",
  "The types of `authorization_details` (RFC 9396) that clients may request; client and resource agree on their content":
    "The types of `authorization_details` that applications may request, such as `payment`.",
  "The signing algorithm of tokens, unless a client has its own. ES256 and EdDSA are many times cheaper; check that every client supports them":
    "For applications without an algorithm of their own. ES256 and EdDSA cost this server much less; check that every application supports them.",
  "The minimum profile of new clients, whether administrators create them or they register themselves. It is also the profile of new clients that name none":
    "New applications must follow at least this profile, however they are created.",
  "Offer the implicit and hybrid response types (`id_token`, `id_token token`, `code id_token`, `code token`, `code id_token token`), which put tokens into the address bar, to clients that have them. For old clients only (RFC 9700)":
    "Let old applications get tokens in the address bar (implicit and hybrid flow). Leave it off unless one needs it.",
  "Answer at the paths of Keycloak, too (`/realms/{realm}/protocol/openid-connect/token` and so on), for libraries whose paths cannot be configured. Metadata lists this server's own paths":
    "Also answer at the addresses of Keycloak, for libraries that know no others.",
  "The seconds by which the clocks of issuers may differ from ours": "The clocks of issuers may be wrong by this many seconds.",
  "The minutes for which an issuer's keys are cached; an unknown key is fetched immediately":
    "The keys of an issuer are kept for this many minutes. An unknown key is fetched at once.",
  "The time after its activation or last attestation after which an agent has to be attested again":
    "An agent needs a review by its owner after this many days.",
  "Agents may act for users who have not allowed it, with a token that was issued to the agent or names it in `aud` or `may_act`":
    "Agents may act for users who have not allowed it.",
  "Notify service providers by SOAP when a session ends": "Tell applications directly, by SOAP, when a session ends.",
  "Users may start a sign-in at this server": "Users may start a sign-in here instead of at the application.",
  "The seconds within which an assertion must arrive": "An assertion must arrive within this many seconds.",
  "The seconds by which the clocks of service providers may differ from ours":
    "The clocks of applications may be wrong by this many seconds.",
  "Users may change their own email address. A new one takes effect once it is confirmed":
    "Users may change their own email address. A new one counts once it is confirmed.",
  "Users may erase their own account (`DELETE /account`), permanently": "Users may erase their own account for good.",
  "Users may register": "Visitors may register themselves.",
  "Create an account only when the link or code that was sent to its email address is used":
    "An account is created only after its email address is confirmed.",
  "The email address is the username": "The email address is the username.",
  "Only email addresses of exactly these domains can register. If empty, all can":
    "Only email addresses of these domains can register. Empty: all.",
  "Users who register accept the terms": "Users accept the terms when they register.",
  "Further required actions of new users": "Further actions that new users must take at the first sign-in.",
  "The attributes that the realm declares, in the order in which pages show them": "",
  "The headings, in the order in which pages show them": "",
  "People may edit the standard attributes that are not declared: `nickname`, `birthdate`, `website`, `phoneNumber`, the address, …": "",
  "The terms that users accept, as plain text": "The terms, as plain text.",
  "The address of the document, instead of the text or in addition to it": "The address of the terms, instead of the text or beside it.",
  "After a change of the version, users who accepted an earlier one have to accept the terms again in flows with that step":
    "Change it when the terms change: users then accept them again, in flows with that step.",
  "`required` refuses security keys that cannot sign in without a username":
    "`required` refuses security keys that cannot sign in without a username.",
  "User verification (finger, face or PIN) of new passkeys, and of passkeys as a second factor. A passkey as the only factor always requires it":
    "Ask for a finger, face or PIN. A passkey that is the only factor always does.",
  "Ask for the username on a page of its own, and then for the password, or lead to the identity provider of the username's domain. Applies to every flow that asks for username and password":
    "Ask for the username on a page of its own. Its domain may then lead to an identity provider instead of a password.",
  "Notify users by mail of a sign-in in a new browser": "Tell users by mail about a sign-in in a new browser.",
  "Record every token that a client gets in its own name as an audit event (CLIENT_LOGIN)":
    "Record every token that an application gets in its own name in the audit log.",
  "Let administrators read a client's secret again. An audit event is recorded each time":
    "Administrators may read an application's secret again. The audit log records each time.",
  "A flow's alias is made of lower-case letters, digits and hyphens": "Lower-case letters, digits and hyphens.",
  "The alias of a flow whose steps are copied, instead of `steps`": "The flow whose steps the new one begins with.",
  "The group above. Null at the top": "The group above. Empty: it is at the top.",
  "Default POST": "Empty: POST.",
  "Default json": "Empty: json.",
  "The body, with placeholders such as {{to}} and {{text}}. By default it contains every value under its own name":
    "The body, with placeholders such as {{to}} and {{text}}. Empty: every value under its own name.",
  "Headers that are sent with every message. They must contain no secrets: these belong in `secret`":
    "Headers that are sent with every message. Secrets do not belong here.",
  "Default production": "Empty: production.",
  "The settings of the driver, without secrets": "",
  "The domains. Each belongs to one organization of the realm":
    "The email domains of its members. Each belongs to one organization of the realm.",
  "A text or a list of texts by name; `firstName`, `lastName`, `phoneNumber`, `locale` and `externalId` have a meaning":
    "Further facts, each with a name and one or several texts.",
  "The party to which the token is given": "The person or system that gets the token.",
  "The organization whose members the token provisions. It has no access to other users":
    "The token manages only the members of this organization. Empty: all users of the realm.",
  "True: email addresses that are sent with this token count as confirmed":
    "Email addresses that the other system sends count as confirmed.",
  "True: clients need an initial access token of an administrator. False: anonymous registration is allowed":
    "They need an initial access token of an administrator. If it is off, anybody may register a client.",
  "The response types that they may request. `code` is always allowed. The others need the realm setting `oidc.implicitFlow`, too":
    "`code` is always allowed. The others put tokens into the address bar, and the realm's settings must allow them, too.",
  "The hosts of their redirect URIs. If empty, all hosts are allowed": "The hosts of their redirect URIs. Empty: all hosts.",
  "The client authentication methods that they may use": "The ways in which they may authenticate.",
  "The rules for client id metadata documents: clients that are not registered, and whose client id is the https address of their metadata":
    "Clients that need no registration, because their client ID is the https address of their metadata.",
  "The base URL of the SCIM service: https, at a public address. In development http to the server's own machine is accepted, too":
    "The address of the service's SCIM API, by https and not in a private network.",
  "The bearer token, the password or the client secret": "The token, password or client secret, as the authentication above needs.",
  "The authentication method. bearer: the secret is a token. basic: the secret is a password. oauth2: the secret is a client secret (RFC 6749 §4.4)":
    "The way in which this server authenticates there.",
  "The username. Only for `basic`": "",
  "The URL of the token endpoint. Only for `oauth2`": "",
  "The client id. Only for `oauth2`": "",
  "The scope of the token, if the service needs one. Only for `oauth2`": "",
  "The kind of service, which determines its known differences from the standard":
    "The kind of service. It is known how each differs from the standard.",
  "The users that are sent to the target: all, or the members of groups or organizations": "The users that are sent.",
  "The groups whose members, including those of the groups below them, are sent. Only for the scope `groups`":
    "Members of these groups, and of the groups below, are sent.",
  "The organizations whose members are sent. Only for the scope `organizations`": "Members of these organizations are sent.",
  "The source of the `userName` at the target. email: the confirmed address; a user without one is not sent":
    "The name that users have there. With `email`, a user without a confirmed address is not sent.",
  "The groups that are sent to the target: none, those at the top of the tree, or the listed ones": "The groups that are sent.",
  "The ids of the listed groups. Only for the mode `listed`": "",
  "The treatment of a group that is deleted, or no longer sent": "The treatment of a group that is deleted, or no longer sent.",
  "The SCIM attributes and the user attributes that supply their values, such as `title: jobTitle`. If null, the mapping of this realm's own SCIM server applies":
    "Each SCIM attribute with the user's attribute that it is taken from, such as `title: jobTitle`. Empty: as this realm's own SCIM server does.",
  "The members by which an existing account is found and adopted, besides the user's id in `externalId`: the username, the confirmed address":
    "An account that exists there and has the same values is taken over instead of created again.",
  "A user was disabled": "When a user is disabled here.",
  "A user no longer belongs to `users`": "When a user no longer belongs to those that are sent.",
  "A user was deleted. An erased user is always deleted at the target":
    "When a user is deleted here. An erased user is always deleted there.",
  "The requests per second. If null, the default of the preset":
    "At most this many requests per second. Empty: what suits the kind of service.",
  "The interval of full syncs in hours. Changes are sent immediately in any case":
    "Everything is compared each time after this many hours. Changes are sent at once anyway.",
  "The text on the consent page. If null, the page shows its own text for the scopes that it knows, otherwise the description or the name":
    "The text on the consent page. Empty: the page's own text for scopes that it knows, otherwise the description.",
  "The value of `sub`: the user's id, which never changes; the username or email address, which may change; an attribute; or a pairwise value for each sector of clients, by which they cannot correlate users (OpenID Connect Core §8.1)":
    "The form in which tokens name users: the ID never changes; a username or email address may; a pairwise value keeps applications from comparing their users.",
  "The attribute of the strategy `attribute`; null for the others. Its values must be different for every user":
    "The name of the attribute, if the form above is an attribute. Its values must differ for every user.",
  "The names of the realm roles that were given to the user directly": "The realm roles that the user has directly, not by a group.",
  "The address that events are sent to: https, at a public address. In development http to the server's own machine is accepted, too":
    "The address that gets the events, by https and not in a private network.",
  "Event types, a category (`AUTHN`, `ADMIN`, `SECURITY`), or `*` for everything, separated by commas": "",
  "The secret that signs every delivery. `whsec_` followed by base64 is a key in the form of Standard Webhooks. The key of any other text is its UTF-8 bytes":
    "It signs every delivery, so that the receiver knows it is yours. A text that begins with `whsec_` is a key of Standard Webhooks.",
  "The exact `iss` of its tokens, with or without a trailing slash":
    "The issuer that its tokens name (`iss`), such as `https://token.actions.githubusercontent.com`.",
  "The exact value of `subjectClaim`. Wildcards are not supported":
    "The subject that its tokens name (`sub`), exactly, without wildcards. For GitHub it is `repo:acme/shop:ref:refs/heads/main`.",
  "The exact and only `aud` of its tokens. Use the realm's issuer, because an issuer's default audience is meant for others":
    "The audience that its tokens name (`aud`), and no other. The realm's issuer is a good choice.",
  "The OAuth client id of the client that the workload acts as": "The application that the workload acts as.",
  "The https URL of the issuer's keys. If null, OpenID Connect Discovery finds it, unless `jwks` is set":
    "The https address of the issuer's keys. Empty: the issuer's discovery document names it.",
  "The issuer's public keys, for issuers that this server cannot reach. Nothing is fetched then":
    "The issuer's public keys themselves, for an issuer that this server cannot reach.",
  "The name of a claim. A dot leads into an object, `\\.` is a literal dot":
    "The claim that has the subject, if it is not `sub`. A dot leads into an object.",
  "Claims, and the value or values that each may have, compared exactly. All of them must match":
    "Further claims that must match, each with the values that it may have.",
  "The scopes that a token issued through this credential may have, separated by spaces":
    "The scopes that the workload may get, separated by spaces.",
  "The longest lifetime (`exp` − `iat`) of its tokens. The longer it is, the longer a stolen token can be used":
    "Refuse its tokens if they are valid for longer than this.",
  "Each token is accepted once, by its `jti`. Tokens of Kubernetes and SPIFFE are meant to be used again":
    "Accept each of its tokens once. Tokens of Kubernetes and SPIFFE are meant to be used again.",
  "the scheme of the Authorization header that carries the secret. Default Bearer; Basic takes user:password":
    "The scheme of the Authorization header that has the secret. Empty: Bearer.",
  "a header that carries the secret, in place of Authorization": "The header that has the secret, instead of Authorization.",
  "the identifier of a messaging service: letters and digits. The service then picks the sender":
    "The messaging service that picks the sender.",
  "the https URL of a relay in place of https://fcm.googleapis.com": "The https address of a relay, instead of Google's.",
  "the id of the key: ten characters": "The ID of the key: ten characters.",
  "the id of the team: ten characters": "The ID of the team: ten characters.",
  "the bundle identifier of the app": "The bundle identifier of the app.",
  "the https URL of a relay in place of Apple's own hosts": "The https address of a relay, instead of Apple's.",
  "an alias has 1 to 63 lower-case letters, digits and hyphens, and begins and ends with a letter or digit. Default: made from the name":
    "Lower-case letters, digits and hyphens. Empty: made from the name.",
  "a role in an organization has up to 63 lower-case letters, digits, - and _; `owner`, `admin` and `member` are usual":
    "The person's role in the organization; `member`, `admin` and `owner` are usual.",
};

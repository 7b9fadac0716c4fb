/** The console's own texts for descriptions of the API that address programs: applications, claims and authorization services. */
export const applications: Readonly<Record<string, string>> = {
  "Resources by name, or by id": "The resources that the permission is about.",
  "Policies by name. A permission without policies denies": "The policies that decide. Without a policy, the permission denies.",
  "`client`: clients by client id": "The request must come from one of these applications.",
  "`regex`: a claim of the token, or a member of the user": "A claim of the token, or a member of the user, such as `email`.",
  "`regex`: a pattern that must match the whole value. Lookaround and backreferences are not supported":
    "A regular expression that must match the whole value. Lookaround and backreferences do not work.",
  "`regex`: the claim is one that the request pushed": "Take the claim from the request of the application, not from the token.",
  "`attribute`: the path of the value: user.*, client.*, token.*, resource.* or request.*":
    "The value that is compared, such as `user.attributes.department`. It begins with user, client, token, resource or request.",
  "`attribute`: the comparison": "The way in which the two values are compared.",
  "`attribute`: the value to compare with": "The value, or several values, to compare with.",
  "`attribute`: the path of the value to compare with, instead of `value`":
    "Compare with the value at this path instead, such as `resource.owner`.",
  "`aggregate`: policies of the client, by name": "The policies whose results are combined.",
  "Authorization scopes of the client": "The things that can be done with it.",
  "The owner, by username or id. If null, the client itself": "The username of the owner. Empty: the application itself.",
  "The owner may do everything with it, and share it": "The owner may do everything with it, and share it.",
  "True if the client is a resource server. Otherwise every other route of its authorization answers 409":
    "The application asks this server what a user may do with its resources.",
  "The result if no permission applies: denied (ENFORCING) or granted (PERMISSIVE). DISABLED grants everything to enabled users":
    "The result if no permission applies.",
  "The decision if several permissions apply: all of them must grant, or one": "The result if several permissions apply.",
  "The rule for tokens with `act`: what both the subject and the actors may do is allowed, or what the subject alone may do":
    "The rule for agents and other parties that act for a user.",
  "The client may register, change and delete its resources through the UMA protection API":
    "The application itself may register, change and delete its resources (UMA).",
  "The subject search of AuthZEN is offered. It returns ids only. Turning it on needs `view-users`":
    "The application may ask which users have access to a resource. The answer has IDs only. Turning it on needs the permission `view-users`.",
  "The percentage of decisions, chosen at random, for which an audit event AUTHZ_DECISION is recorded":
    "The percentage of decisions that the audit log records, chosen at random.",
  "The member to write. Dots nest (`address.country`), `\\.` is a literal dot. Claims of the protocol itself (`sub`, `aud`, …) are refused":
    "The name of the claim in the token. A dot makes an object, as in `address.country`; write `\\.` for a dot in a name.",
  "The source of the value": "The place that the value comes from.",
  "`attribute`: its name. `property`: `userId`, `username`, `email`, `emailVerified`, `name`, `createdAt` or `updatedAt`. `roles`: `realm`, `client` (of the client that the token is for), `clients` (all, by client id) or `client:<client id>`. `groups`: `path` or `name`. `organizations`: `alias`, `id`, `name` or `details`. `constant`: the value. `session`: `authTime`, `acr`, `amr`, `sid` or `impersonator`. Null stands for the first of these":
    "",
  "The JSON type of the claim. A value that does not fit is omitted": "The JSON type of the claim. A value that does not fit is left out.",
  "True: all values as a list. False: only the first value": "All values as a list, instead of only the first one.",
  "The tokens and responses that have the claim": "The tokens and answers that contain the claim.",
  "The resource indicators (RFC 8707) for which it may request tokens": "The addresses of the APIs for which it may request tokens.",
  "The name that users see on the consent page": "The name that users see.",
  "The grant types that it may use. Default `authorization_code` and `refresh_token`. URNs of OAuth are accepted, too":
    "The ways in which it may get tokens. Empty: `authorization_code` and `refresh_token`.",
  "Exact callback addresses. Native clients may use any port of a loopback address (RFC 8252)":
    "The exact addresses to which users return after signing in. Native applications may use any port of `http://127.0.0.1`.",
  "The origins whose scripts may call the realm's endpoints, and the admin API if the client is allowed its audience, such as `https://app.example.com`, or `capacitor://localhost` for an app in a WebView. `+` means the origins of the redirect URIs":
    "The sites whose scripts may call this realm, such as `https://app.example.com`. `+` means those of the redirect URIs.",
  "A description for administrators": "A description for administrators.",
  "Native clients run on a user's own device": "Native applications run on a user's own device.",
  "The client authentication method. `client_secret` accepts the secret by either method, `federated_jwt` a token of another issuer that one of its workload credentials trusts. `none` is for public clients":
    "The way in which it proves who it is. `client_secret` takes its secret in either form, `federated_jwt` a token of a trusted issuer, and `none` is for public applications.",
  "The only signing algorithm of its client assertions. If null, any that fits its key":
    "The algorithm with which it signs to authenticate. Empty: any that fits its key.",
  "Its public keys": "Its public keys, as a JSON Web Key Set.",
  "The address of its public keys, instead of `jwks`": "The address of its public keys, instead of the keys themselves.",
  "The subject of its certificate, for `tls_client_auth`": "The subject of its client certificate.",
  "A DNS name of its certificate, instead of the subject": "A DNS name in its certificate, instead of the subject.",
  "A URI of its certificate, instead of the subject": "A URI in its certificate, instead of the subject.",
  "An IP address of its certificate, instead of the subject": "An IP address in its certificate, instead of the subject.",
  "An email address of its certificate, instead of the subject": "An email address in its certificate, instead of the subject.",
  "The redirect URIs after a logout": "The addresses to which users may return after signing out.",
  "The URL that is called when a session in which the client took part ends":
    "This server calls the address when a session of the application ends.",
  "Logout tokens contain `sid`, the session that ended": "The call names the session that ended (`sid`).",
  "The URL that is loaded in a frame by the page that signs a user out of a session in which the client took part. It has the origin of a redirect URI":
    "The sign-out page loads the address in a frame. It has the origin of a redirect URI.",
  "The front-channel logout URI gets `iss` and `sid`, the session that ended": "The address gets the session that ended (`iss` and `sid`).",
  "True if it is one of your own applications. Users are not asked for consent":
    "It is one of your own applications, so users are not asked for consent.",
  "Ask users for consent before it gets tokens": "Users must consent before it gets tokens.",
  "Refuse authorization requests without PKCE. They are always refused for public clients":
    "Refuse sign-ins without PKCE. Public applications always need it.",
  "Refuse tokens that are not bound to a key (DPoP)": "Its tokens must be bound to a key (DPoP).",
  "Bind its tokens to its client certificate, however it authenticates. Without a certificate it gets no tokens (RFC 8705 §3.4)":
    "Its tokens are bound to its client certificate. Without a certificate it gets none.",
  "Refuse authorization requests that were not pushed (PAR)": "It must push its requests first (PAR).",
  "Refuse authorization requests that are not signed (JAR)": "It must sign its requests (JAR).",
  "A set of requirements. A request that omits a required member gets the required value, and a request that contradicts it is refused. If omitted, the realm's `oidc.leastProfile`":
    "A set of security requirements that its settings must meet. Empty: the realm's least profile.",
  "Replace a refresh token whenever it is used. If false, a public client must use DPoP, because a token that is not replaced has to be bound to a key":
    "Replace a refresh token at each use. A public application may turn it off only with DPoP.",
  "Include the claims of scopes in the ID token even if an access token for the userinfo endpoint is issued (OpenID Connect Core §5.4). False for clients that register themselves":
    "The ID token has the user's claims, even if the application can also read them from userinfo.",
  "The lifetime in seconds. If null, the realm's setting applies": "In seconds. Empty: as the realm's settings say.",
  "The seconds without use after which a refresh token expires. If null, it expires with the session, and for offline access as the realm's setting says":
    "It expires after this many seconds without use. Empty: with the session.",
  "The `sub` of users in its tokens. If null, the realm's setting applies":
    "The form in which its tokens name users (`sub`). Empty: as the realm's settings say.",
  "The attribute of the strategy `attribute`": "The name of the user's attribute.",
  "Further audiences of its access tokens": "Further receivers that its access tokens name (`aud`).",
  "The signing algorithm of its access tokens. If null, the realm's setting applies":
    "It signs access tokens. Empty: as the realm's settings say.",
  "The signing algorithm of its ID tokens. If null, the realm's setting applies": "It signs ID tokens. Empty: as the realm's settings say.",
  "The signing algorithm of userinfo responses. If null, they are plain JSON": "It signs userinfo. Empty: userinfo is plain JSON.",
  "The signing algorithm of its authorization responses (JARM). If null, RS256 or the algorithm of its profile":
    "It signs the answer to a sign-in (JARM). Empty: RS256, or that of its profile.",
  "The signing algorithm of introspection responses (RFC 9701). If null, they are plain JSON":
    "It signs answers of introspection. Empty: they are plain JSON.",
  "The algorithm that encrypts its ID tokens to one of its keys. If null, they are not encrypted":
    "It encrypts ID tokens to one of its keys. Empty: they are not encrypted.",
  "The content encryption algorithm. If null, A128CBC-HS256": "The encryption of the content. Empty: A128CBC-HS256.",
  "The algorithm that encrypts userinfo responses to one of its keys. If null, they are not encrypted":
    "It encrypts userinfo to one of its keys. Empty: it is not encrypted.",
  "The algorithm that encrypts its authorization responses, if it requests signed ones (JARM), to one of its keys. If null, they are not encrypted":
    "It encrypts the signed answer to a sign-in (JARM) to one of its keys. Empty: it is not encrypted.",
  "The algorithm that encrypts introspection responses to one of its keys. If null, they are not encrypted":
    "It encrypts answers of introspection to one of its keys. Empty: they are not encrypted.",
  "The only signing algorithm of its request objects. If null, any that fits its key":
    "The algorithm with which it signs its requests. Empty: any that fits its key.",
  "The sector identifier URI. Clients with the same one share pairwise subjects":
    "Applications with the same address know a user by the same pairwise subject.",
  "The addresses from which its request objects may be read": "The addresses from which this server may read its signed requests.",
  "The response types that it may request. All but `code` put tokens into the address bar: for old clients only (RFC 9700), in realms whose setting `oidc.implicitFlow` is on":
    "All but `code` put tokens into the address bar. They are for old applications, and the realm's settings must allow them.",
  "The client id of the only party that may act for users with this client's tokens, in `may_act` (RFC 8693 §4.4). If null, tokens have no `may_act`":
    "The only application that may act for users with its tokens, by client ID. Empty: the tokens name none.",
  "The client may introspect every access token of the realm, as a gateway does. Otherwise it may introspect those that were issued to it, or whose audience names it or one of its resource indicators. Only holders of `realm-admin` may set it, or change a client that has it":
    "It may check every access token of the realm, as a gateway does, and not only its own. Only holders of `realm-admin` may set it.",
  "The resource indicators of the client as an API (RFC 8707). Clients request tokens for them as `resource`, and `aud` has them in this spelling. Each belongs to one API of the realm; a trailing slash makes no difference. An API may introspect the tokens that are issued for it":
    "The addresses by which applications request tokens for it (`resource`). They are the audience of these tokens.",
  "The clients that may request tokens for this API: those whose allowed resources list it, or every client of the realm, including clients that register themselves or have a client id metadata document":
    "The applications that may request tokens for it: those that list it among their allowed resources, or every one.",
  "Other authorization servers at which it may act for users who signed in to it here (cross-app access). By token exchange it gets an identity assertion (ID-JAG) for them":
    "Other servers at which it may act for users who signed in to it here (cross-app access).",
  "The URL at which third parties may start a sign-in": "The address at which others may start a sign-in to it.",
  "Ask users to authenticate again after this many seconds, if a request does not say":
    "Users must sign in again after this many seconds, unless a request says otherwise.",
  "Every ID token contains `auth_time`": "Every ID token has the time of the sign-in (`auth_time`).",
  "The `acr` values that are requested if a request names none": "The levels of authentication that count if a request names none (`acr`).",
  "The delivery mode of CIBA. If null, `poll`":
    "The way in which it learns that the user has answered (CIBA). Empty: it asks again and again.",
  "The URL that is called in the mode `ping`": "This server calls the address in the mode `ping`.",
  "The https URL of the logo on the sign-in and consent pages": "The https address of the logo on the sign-in and consent pages.",
  "The URL of its home page": "The address of its home page.",
  "The URL of its privacy policy, to which the same pages link": "The address of its privacy policy, to which these pages link.",
  "The URL of its terms of service, to which the same pages link": "The address of its terms of service, to which these pages link.",
  "The contacts of the people responsible for it": "The people who are responsible for it.",
  "The alias of its browser flow. If null, the realm's `browser`": "The flow by which its users sign in. Empty: the realm's `browser`.",
  "The alias of the flow of its password grant. If null, the realm's `direct-grant`":
    "The flow of its password grant. Empty: the realm's `direct-grant`.",
  "The address that assertions are sent to": "The address to which users return with an assertion (ACS URL).",
  "The AuthnContextClassRef of assertions if a request names none. If null, the one that fits the sign-in":
    "The level of authentication that assertions name if a request asks for none. Empty: the one that fits the sign-in.",
  "The address that browsers are sent to for a single logout": "The address to which browsers are sent when a user signs out everywhere.",
  "The certificate that its requests are signed with": "The certificate with which the application signs its requests, in PEM.",
  "Sign the assertion. If null, the realm's setting applies": "Sign the assertion.",
  "Sign the response that contains the assertion. If null, the realm's setting applies": "Sign the whole answer, too.",
  "Refuse requests that are not signed by one of its certificates. If null, the realm's setting applies":
    "Refuse requests that are not signed with one of its certificates.",
  "Encrypt the assertion for `encryptionCertificate`. If null, the realm's setting applies":
    "Encrypt the assertion with the encryption certificate.",
  "The NameID format if a request names none. URNs are accepted, too": "The kind of name for users if a request asks for none.",
  "Send attributes. If false, only the NameID is sent": "Send attributes of the user. Otherwise only the name (NameID) is sent.",
  "Further assertion consumer services. A request may name one of them":
    "Further addresses to which users may return. A request may name one of them.",
  "Notify the service provider by SOAP when a session ends. If null, the realm's setting applies":
    "Tell the application directly, by SOAP, when a session ends.",
  "Let users start a sign-in at this server. If null, the realm's setting applies":
    "Users may start a sign-in here instead of at the application.",
  "The seconds within which an assertion must arrive. If null, the realm's setting applies":
    "An assertion must arrive within this many seconds. Empty: as the realm's settings say.",
  "The seconds by which its clock may differ from ours. If null, the realm's setting applies":
    "The application's clock may be wrong by this many seconds. Empty: as the realm's settings say.",
  "Further certificates besides `signingCertificate`, such as the next one":
    "Further certificates with which it may sign, such as the next one.",
  "The certificate of the RSA key that assertions are encrypted to":
    "The certificate with which assertions are encrypted, in PEM. It has an RSA key.",
  "The encryption algorithm of assertions. If null, AES-256-GCM": "Empty: AES-256-GCM.",
  "The key transport algorithm. If null, rsa-oaep-mgf1p": "Empty: rsa-oaep-mgf1p.",
  "The user attribute for the NameID of the format `unspecified`. If null, the username":
    "The attribute that names users in the format `unspecified`. Empty: the username.",
  "The user attribute for the NameID of the format `persistent`, such as the ImmutableID of Microsoft 365. If null, a random value for each user and service provider":
    "The attribute that names users in the format `persistent`, such as the ImmutableID of Microsoft 365. Empty: a random value for each user.",
  "The bindings and indexes of the addresses above. An address that is not listed has the binding POST and the next free index":
    "The bindings and numbers of the addresses above. An address that is not listed has the binding POST.",
  "Its single logout services, with their bindings. If empty, `singleLogoutServiceUrl` with the binding Redirect":
    "Its addresses for signing out, with their bindings. Empty: the address above, with the binding Redirect.",
  "The RelayState of a sign-in that starts at this server, often an address within the application":
    "The place in the application to which a sign-in that starts here leads, often an address (RelayState).",
  "The prefixes that a RelayState needs to be passed on. It has at most 2,048 bytes. If null, any RelayState is passed on, within `relayStateBytes`":
    "A RelayState is passed on only if it begins with one of these texts. Empty: any that is short enough.",
  "The greatest length of a RelayState that is not an address of the service provider itself, if `allowedRelayStates` is null":
    "The greatest length of a RelayState in bytes, unless the texts above allow it.",
  "The `acr` of each AuthnContextClassRef: `1` one factor, `2` two factors. They are added to those that every realm knows":
    "The level of each AuthnContextClassRef that the application uses: `1` for one factor, `2` for two.",
  "Ask users to authenticate again at each request": "Users must sign in again at each request.",
  "Answer every IsPassive request with NoPassive": "Refuse requests for a sign-in without a page (IsPassive).",
  "Ask users for consent before attributes are released to it": "Users must consent before their attributes are sent.",
  "The alias of the flow by which users sign in to it. If null, the realm's `browser`":
    "The flow by which its users sign in. Empty: the realm's `browser`.",
  "The URL of the logo on the sign-in and consent pages": "The address of the logo on the sign-in and consent pages.",
  "The name that users see": "The name that users see.",
  "It has no effect in an assertion": "",
  "The NameFormat of the attribute. If omitted, `uri` for a name that is a URI, and `basic` for others":
    "Empty: `uri` for a name that is a URI, and `basic` for others.",
  "The FriendlyName of the attribute, by which people and some service providers know it. If null, it has none":
    "A second name for people, which some applications need.",
  "`time`: the name of a time zone in the IANA database. Default UTC": "",
  "`time`: a time as yyyy-MM-dd HH:mm:ss in the time zone": "",
  "`time`: a range of hours, including both ends; 22 to 6 is the night": "",
  "an entityId is the URI by which the service provider calls itself, without spaces and invisible characters, and is neither . nor ..":
    "The name by which the application calls itself in its metadata, often an address.",
};

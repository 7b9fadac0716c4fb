/** The console's own texts for descriptions of the API that address programs: identity providers and directories. */
export const providers: Readonly<Record<string, string>> = {
  "True: a logout here continues at the provider, if it has a logout address. Default true":
    "A sign-out here continues at the provider. By default it does.",
  "True: the provider's tokens are stored, encrypted, for users to read with a token of their own. Default false":
    "The provider's tokens are kept, encrypted, for applications that act there for the user. By default they are not.",
  "The parameters of the sign-in request that are passed on. Default login_hint, ui_locales, prompt":
    "The parameters of a sign-in that are passed on. Empty: login_hint, ui_locales and prompt.",
  "True: a sign-in for which `prompt` was sent counts as new, even if the ID token has no `auth_time`. Default false: without `auth_time` it is refused if a new sign-in is needed":
    "Trust the provider when it was told to sign the user in again, even if its answer does not say when it did. By default it is not trusted.",
  "True: the provider gets a code challenge (RFC 7636, S256). Default true; false for linkedin, which refuses it":
    "Protect the sign-in with a code challenge (PKCE). By default it is protected, except at LinkedIn, which refuses it.",
  "The client authentication method. Default private_key_jwt if there is a private key, otherwise a method that discovery offers, client_secret_post first":
    "The way in which this server authenticates there. Empty: by the private key if there is one, otherwise by the secret.",
  "The private key in PEM (PKCS #8) for private_key_jwt: RSA, P-256 or Ed25519. It is never shown. If omitted, the stored one is kept; a change of scheme, host or port needs it again":
    "The private key that authenticates this server, in PEM (PKCS #8). Enter it again for another host or port of the provider.",
  "The algorithm with which the provider signs ID tokens, logout tokens and userinfo for this client, as registered at the provider; any other is refused. Default RS256":
    "The algorithm with which the provider signs its tokens for this client. Any other is refused. Empty: RS256.",
  "True: with an identity assertion (ID-JAG) of the provider and the grant type jwt-bearer, applications get tokens for linked users without asking them. Default false":
    "Applications get tokens for linked users from an assertion of the provider (ID-JAG), without asking them. By default they do not.",
  "Values of `acr` that count as two factors": "The values of `acr` that count as two factors.",
  "Values of `amr` that count as two factors": "The values of `amr` that count as two factors.",
  "True: the sign-in page shows no button for it; `idp_hint` still leads to it. Default false":
    "The sign-in page has no button for it; a link of an application may still lead to it (`idp_hint`). By default it has one.",
  "The position of its button; lower comes first. Default 100": "The position of its button: lower numbers come first. Empty: 100.",
  "An email address in one of these domains, entered as the username, leads to this provider. Verified domains of organizations have precedence":
    "Users who enter an email address of these domains are led here. Verified domains of organizations come first.",
  "True: an address that the provider reports as verified counts as verified here, and leads to the account that has it. Default false":
    "Email addresses that the provider has verified count as verified here, and lead to the account that has them. By default they do not.",
  "The domains whose email addresses can sign in. If empty, every user can":
    "Only users with an email address of these domains can sign in. Empty: all users.",
  "The realm roles that new users get, by name": "The realm roles that new users get.",
  "The groups that new users join, by id": "The groups that new users join.",
  "The tenants whose users can sign in. If empty, users of all tenants": "Only users of these tenants can sign in. Empty: all tenants.",
  "The certificates with which the provider signs, in PEM: several in one text, or a list. They take precedence over those of its metadata":
    "The certificates with which the provider signs, in PEM. Empty: those of its metadata.",
  "The provider's metadata, which supplies members that are omitted here":
    "The provider's metadata as XML, instead of its address. It fills the fields that you leave empty.",
  "The certificate with which the metadata has to be signed. A certificate in PEM, or the base64 of its DER form":
    "The metadata must be signed with this certificate, in PEM. Empty: no signature is needed.",
  "The binding of AuthnRequests. Default: a binding that the metadata offers, otherwise redirect":
    "The way in which sign-in requests are sent. Empty: as the metadata says, otherwise redirect.",
  "The binding of responses. Default post": "The way in which answers come. Empty: post.",
  "The private key in PEM that signs our messages. Without it, the realm's own key signs them. It is never shown. If omitted, the stored one is kept; a change of scheme, host or port needs it again":
    "The private key that signs requests, in PEM. Empty: the realm's own key. Enter it again for another host or port of the provider.",
  "The certificate of spSigningPrivateKey. A certificate in PEM, or the base64 of its DER form":
    "The certificate of the signing key above, in PEM.",
  "The private key in PEM that decrypts the provider's messages: RSA (RSA-OAEP), or EC (ECDH-ES). It is never shown. If omitted, the stored one is kept; a change of scheme, host or port needs it again":
    "The private key that decrypts answers, in PEM: RSA or EC. Enter it again for another host or port of the provider.",
  "The certificate of spDecryptionPrivateKey. Default: spSigningCertificate, if it belongs to the same key. A certificate in PEM, or the base64 of its DER form":
    "The certificate of the decryption key above, in PEM. Empty: the signing certificate, if it belongs to the same key.",
  "The seconds by which the provider's clock may differ from ours. Default 60":
    "The provider's clock may be wrong by this many seconds. Empty: 60.",
  "Values of AuthnContextClassRef that count as two factors":
    "The levels of authentication (AuthnContextClassRef) that count as two factors.",
  "The NameID format that is requested. `none` requests none. Default persistent":
    "The kind of name to request for users. `none` requests none. Empty: persistent.",
  "True: AuthnRequests are signed. Default true": "Sign the requests to the provider. By default they are signed.",
  "True: the Response has to be signed. Default false: the Response or the assertion has to be signed":
    "The whole answer must be signed. By default a signature on the answer or the assertion is enough.",
  "True: the assertion itself has to be signed. Default false: the Response or the assertion has to be signed":
    "The assertion itself must be signed. By default a signature on the answer or the assertion is enough.",
  "True: assertions have to be encrypted. Needs spDecryptionPrivateKey. Default false":
    "Assertions must be encrypted. This needs the decryption key. By default they need not be.",
  "True: AES-CBC is accepted under a signature, for a provider that has no AES-GCM. Default false":
    "Accept the older encryption AES-CBC, for a provider that has no AES-GCM. By default it is refused.",
  "True: a sign-in may begin at the provider. Default false": "A sign-in may begin at the provider. By default it must begin here.",
  "True: the provider always authenticates the user again (ForceAuthn). Default false":
    "Users must sign in again at the provider each time. By default its session is enough.",
  "The authentication context classes that are requested. If empty, any":
    "The levels of authentication to request (AuthnContextClassRef). Empty: any.",
  "The comparison of authentication contexts. Default exact: the response has to name one of authnContexts":
    "The way in which these levels are compared. Empty: the answer must name one of them exactly.",
  "The binding of AuthnRequests: redirect or post. Default post": "The way in which sign-in requests are sent. Empty: post.",
  "The binding of responses: post or artifact. Default artifact for eherkenning, post for eidas":
    "The way in which answers come. Empty: artifact for eHerkenning, post for eIDAS.",
  "The private key in PEM that signs our messages. It is needed, because the scheme takes requests only that are signed with a key it knows. It is never shown. If omitted, the stored one is kept; a change of scheme, host or port needs it again":
    "The private key that signs requests, in PEM. The scheme accepts only keys that it knows. Enter it again for another host or port of the provider.",
  "The private key in PEM, RSA or EC, that decrypts the provider's messages. It is needed, because what identifies people comes encrypted. It is never shown. If omitted, the stored one is kept; a change of scheme, host or port needs it again":
    "The private key that decrypts answers, in PEM: RSA or EC. The scheme encrypts what identifies people. Enter it again for another host or port of the provider.",
  "True: users who act for another by a mandate may sign in. Default false: such a response is refused":
    "Users who act for another by a mandate may sign in. By default they are refused.",
  "The attributes that are requested besides those that the scheme needs":
    "Further attributes to request, beside those that the scheme needs.",
  "The index of the service in this realm's metadata. Default 1": "The number of the service in this realm's metadata. Empty: 1.",
  "The lowest level of assurance that is accepted. Default urn:etoegang:core:assurance-class:loa3":
    "The lowest level of assurance that is accepted. Empty: level 3.",
  "The attributes of a mandate that are accepted if representation is on. A response with any other is refused":
    "The attributes of a mandate that are accepted. An answer with any other is refused.",
  "True: the request names minimumLoa. Default true. Some brokers accept it in the service catalogue only":
    "The request names the lowest level of assurance. By default it does. Some brokers take it from the service catalogue only.",
  "The lowest level of assurance that is accepted. Default substantial":
    "The lowest level of assurance that is accepted. Empty: substantial.",
  "True: schemes that their country has not notified are accepted. Default false":
    "Accept schemes that their country has not notified. By default they are refused.",
  "The sector of the service provider. Default public": "The sector of your service. Empty: public.",
  "Further servers of the same directory, which are tried in turn": "Further servers of the same directory. They are tried in turn.",
  "Switch ldap:// connections to TLS before anything else is sent. ldaps:// connections begin with TLS. Default false":
    "Switch an ldap:// connection to TLS before anything is sent. ldaps:// needs no switch. By default it is not switched.",
  "The PEM certificates of the authorities that issue the directory's certificate, instead of the public ones":
    "The certificates of the authority that issued the directory's certificate, in PEM. Empty: the public authorities.",
  "The timeout of a connection and of a response, in milliseconds. Default 5000":
    "The time to wait for a connection or an answer, in milliseconds. Empty: 5000.",
  "The PEM certificate, with its chain, by which this server authenticates to the directory in TLS":
    "The certificate by which this server authenticates to the directory in TLS, in PEM, with its chain.",
  "The private key of clientCertificate, in PEM without a passphrase. It is never shown. If omitted, the stored one is kept; a change of scheme, host or port needs it again":
    "The private key of the client certificate, in PEM without a passphrase. Enter it again for another host or port of the directory.",
  "The distinguished name below which user entries are searched":
    "The place in the directory below which users are searched, such as `ou=people,dc=example,dc=com`.",
  "The distinguished name below which groups are searched, for mappers of the claim `groups`. If omitted, the groups are those in `memberOf` of the entry":
    "The place below which groups are searched, for mappers of the claim `groups`. Empty: the groups that a user's entry names in `memberOf`.",
  "True: members of a group are also members of the groups that contain it. Default false":
    "Members of a group are also members of the groups that contain it. By default they are not.",
  "True: the directory's email addresses count as verified. Default false":
    "Email addresses of the directory count as verified. By default they do not.",
  "PASSWORD: new passwords of its users are written to the directory. Nothing else is ever written. Default READ_ONLY":
    "Whether new passwords of its users are written to the directory. Nothing else is ever written. Empty: nothing is.",
  "The interval at which the whole directory is read, in minutes, at least 5. 0 turns automatic runs off. Default 360":
    "The whole directory is read each time after this many minutes, at least 5. 0: never. Empty: 360.",
  "The interval at which changes are read, in minutes, at least 5. 0 turns automatic runs off. Default 30":
    "Changes are read each time after this many minutes, at least 5. 0: never. Empty: 30.",
  "The seconds after which a user's entry is looked up again. A sign-in, by any factor, and a refresh of a token ask the directory for the entry unless it was found within this time. Default 300":
    "Sign-ins and refreshed tokens look a user up in the directory again after this many seconds. Empty: 300.",
  "The treatment of an entry whose name belongs to a user whose own entry is gone: it is a new user, or that user again. Default new":
    "The treatment of an entry that has the name of a user whose own entry is gone. Empty: it is a new user.",
  "The settings of the protocol. Secret members are never shown; `…Set` tells whether they are stored": "",
  "the https URL of the authorization endpoint": "The provider's https address that asks users to sign in.",
  "the https URL of the token endpoint": "The provider's https address that issues tokens.",
  "the https URL of the userinfo endpoint": "The provider's https address that tells about a user.",
  "the https URL of the keys of ID tokens": "The https address of the provider's keys.",
  "the https URL of the page where users sign out at the provider. Default the `end_session_endpoint` of its discovery document":
    "The https address at which users sign out there. Empty: as its discovery document says.",
  "the `kid` under which the provider knows the key": "The ID of the private key (`kid`), as the provider knows it.",
  "the picture on its button: an https address, a path on this server, or a data: image. Default: the mark of its protocol":
    "The picture on its button: an https address, or a path on this server. Empty: the provider's own mark.",
  "the username of new users, from claims: `{preferred_username}`, `{email}`, `{alias}-{sub}`; `{email|local}` is the part before the @":
    "The username of new users, from claims, such as `{preferred_username}`, `{email}` or `{alias}-{sub}`. `{email|local}` is the part before the @.",
  "the claim that holds the email address. Default email": "The claim that has the email address. Empty: email.",
  "the claim that holds the first name. Default given_name": "The claim that has the first name. Empty: given_name.",
  "the claim that holds the last name. Default family_name": "The claim that has the last name. Empty: family_name.",
  "the claim that never changes and is never given to another user. Default sub": "The claim that identifies a user for good. Empty: sub.",
  "the only Google Workspace domain whose accounts can sign in":
    "Only accounts of this Google Workspace domain can sign in. Empty: all accounts.",
  "the id of a tenant, or common, organizations or consumers. Default common":
    "The ID of a tenant, or `common`, `organizations` or `consumers`. Empty: common.",
  "the id of the key": "The ID of the key.",
  "the team that the key belongs to": "The ID of the team that the key belongs to.",
  "the https URL of the single sign-on service": "The https address at which users sign in there (single sign-on service).",
  "the provider's entityID": "The name by which the provider calls itself.",
  "the https URL of the single logout service": "The https address at which users sign out there (single logout service).",
  "the https URL of the artifact resolution service (SOAP)": "The https address that exchanges artifacts for messages (SOAP).",
  "the https URL of the provider's metadata. It is read daily, for an unknown key, by a test and after a change, and supplies members that are omitted here":
    "The https address of the provider's metadata. It is read daily, and fills the fields that you leave empty.",
  "the entityID of this realm at the provider. Default `{base URL}/realms/{realm}/broker/{alias}`":
    "The name by which the provider knows this realm. Empty: the address above.",
  "the https URL of the assertion consumer service on this server. Default `{base URL}/realms/{realm}/broker/{alias}/endpoint`":
    "The address on this server at which answers arrive. Empty: the address above.",
  "the attribute that never changes and is never given to another user. Default the NameID, which must then not be transient":
    "The attribute that identifies a user for good. Empty: the NameID, which must not be transient.",
  "the name of the service in this realm's metadata. Default the provider's display name":
    "The name of the service in this realm's metadata. Empty: the display name above.",
  "the name of the service provider that the identity provider shows. Default the name of the realm":
    "The name of your service that the provider shows. Empty: the name of the realm.",
  "the attribute that identifies the account. Default urn:etoegang:core:LegalSubjectID, which is the company; urn:etoegang:core:ActingSubjectID is a person of the company":
    "The attribute that identifies the account. Empty: the company (LegalSubjectID); `urn:etoegang:core:ActingSubjectID` is a person of the company.",
  "the type of the identifier that is used if there are several, such as urn:etoegang:1.9:EntityConcernedID:KvKnr. Default KvKnr, then RSIN":
    "The kind of number to use if there are several. Empty: KvK number, then RSIN.",
  "the service as urn:etoegang:DV:<OIN>:services:<index>. A response has to name it":
    "The service in the form `urn:etoegang:DV:<OIN>:services:<index>`. An answer must name it.",
  "the UUID of the service in the service catalogue. A response has to name it":
    "The UUID of the service in the service catalogue. An answer must name it.",
  "the KeyName of spSigningCertificate. Default its SHA-256 fingerprint in hexadecimal":
    "The KeyName of the signing certificate. Empty: its SHA-256 fingerprint.",
  "the KeyName of the decryption certificate. Default its SHA-256 fingerprint in hexadecimal":
    "The KeyName of the decryption certificate. Empty: its SHA-256 fingerprint.",
  "the identifier of the account: PersonIdentifier (the default) or LegalPersonIdentifier, by name or by URI":
    "The identifier of the account: PersonIdentifier, or LegalPersonIdentifier for companies. Empty: PersonIdentifier.",
  "an address such as ldaps://host:port, or ldap://host:port with StartTLS, without a path":
    "The address of the directory, such as `ldaps://ldap.example.com:636`, without a path.",
  "the account that searches: a distinguished name, in Active Directory also `name@domain`":
    "The account with which this server searches, such as `cn=reader,dc=example,dc=com`. Active Directory also takes `reader@example.com`.",
  "the filter for users (RFC 4515). `{0}` stands for the username that was entered. Default `(uid={0})`":
    "The filter that finds a user; `{0}` stands for the username that was entered. Empty: `(uid={0})`.",
  "the attribute that stays when an entry is renamed or moved. Default entryUUID, in Active Directory objectGUID":
    "The attribute that stays when an entry is renamed or moved. Empty: entryUUID, in Active Directory objectGUID.",
  "the attribute that becomes the username. Default uid": "The attribute that becomes the username. Empty: uid.",
  "the attribute that holds the email address. Default mail": "The attribute that has the email address. Empty: mail.",
  "the attribute that holds the first name. Default givenName": "The attribute that has the first name. Empty: givenName.",
  "the attribute that holds the last name. Default sn": "The attribute that has the last name. Empty: sn.",
  "the filter for groups (RFC 4515). Default: every usual kind of group, in Active Directory `(objectClass=group)`":
    "The filter that finds groups. Empty: every usual kind of group.",
  "the attribute that holds the name of a group. Default cn": "The attribute that has the name of a group. Empty: cn.",
  "the attribute of a group that lists its members by DN, or `memberUid`, which lists them by username. Default member":
    "The attribute of a group that lists its members; `memberUid` lists them by username. Empty: member.",
  "attribute: a claim becomes an attribute of the user. template: a text with claims in it becomes an attribute. role, group: users with a claim, or all users, get a role or join a group":
    "A claim becomes an attribute, a text with claims becomes an attribute, or users get a role or join a group.",
  "the claim to read: a claim of OpenID Connect, or an attribute of SAML or of a directory. Dots lead into objects. `groups` of a directory: the groups of the user. role and group: if omitted, all users":
    "The claim of the provider, or the attribute of SAML or a directory. `groups` of a directory is the user's groups. For roles and groups, empty means all users.",
  "role and group: the exact value that the claim must have, or contain among others. `groups` of a directory: the distinguished name of a group, or its name":
    "The exact value that the claim must have, or contain among others. For `groups` of a directory: the name of a group.",
  "template: `{given_name} {family_name}`": "A text with claims, such as `{given_name} {family_name}`.",
  "attribute and template: the attribute of the user; letters, digits, dots, dashes, colons and underscores, up to 128 of them":
    "The user's attribute that gets the value.",
  "import: when the account is created. force: at each sign-in, and at each sync of a directory; what the mapper gave is withdrawn when the claim no longer has the value":
    "At each sign-in, what the mapper gave is withdrawn when the claim no longer has the value.",
};

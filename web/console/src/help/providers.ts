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
};

/** Dutch help texts of forms: providers. */
export const providers: Readonly<Record<string, string>> = {
  "A sign-out here continues at the provider. By default it does.": "Afmelden hier gaat door bij de provider. Standaard gebeurt dat.",
  "The provider's tokens are kept, encrypted, for applications that act there for the user. By default they are not.":
    "De tokens van de provider worden versleuteld bewaard, voor applicaties die daar namens de gebruiker handelen. Standaard niet.",
  "The parameters of a sign-in that are passed on. Empty: login_hint, ui_locales and prompt.":
    "De parameters van een aanmelding die worden doorgegeven. Leeg: login_hint, ui_locales en prompt.",
  "Trust the provider when it was told to sign the user in again, even if its answer does not say when it did. By default it is not trusted.":
    "Vertrouw de provider als hem gevraagd is de gebruiker opnieuw aan te melden, ook als zijn antwoord niet zegt wanneer dat gebeurde. Standaard niet.",
  "Protect the sign-in with a code challenge (PKCE). By default it is protected, except at LinkedIn, which refuses it.":
    "Beveilig de aanmelding met een code challenge (PKCE). Standaard gebeurt dat, behalve bij LinkedIn, dat dit weigert.",
  "The way in which this server authenticates there. Empty: by the private key if there is one, otherwise by the secret.":
    "De manier waarop deze server zich daar bewijst. Leeg: met de privésleutel als die er is, anders met het geheim.",
  "The private key that authenticates this server, in PEM (PKCS #8). Enter it again for another host or port of the provider.":
    "De privésleutel waarmee deze server zich bewijst, in PEM (PKCS #8). Bij een andere host of poort van de provider is zij opnieuw nodig.",
  "The algorithm with which the provider signs its tokens for this client. Any other is refused. Empty: RS256.":
    "Het algoritme waarmee de provider zijn tokens voor deze client ondertekent. Elk ander wordt geweigerd. Leeg: RS256.",
  "Applications get tokens for linked users from an assertion of the provider (ID-JAG), without asking them. By default they do not.":
    "Applicaties krijgen tokens voor gekoppelde gebruikers op een verklaring van de provider (ID-JAG), zonder het hun te vragen. Standaard niet.",
  "The values of `acr` that count as two factors.": "De waarden van `acr` die als twee factoren tellen.",
  "The values of `amr` that count as two factors.": "De waarden van `amr` die als twee factoren tellen.",
  "The sign-in page has no button for it; a link of an application may still lead to it (`idp_hint`). By default it has one.":
    "De aanmeldpagina heeft er geen knop voor; een link van een applicatie kan er wel naartoe leiden (`idp_hint`). Standaard is er een knop.",
  "The position of its button: lower numbers come first. Empty: 100.": "De plaats van zijn knop: lagere getallen komen eerst. Leeg: 100.",
  "Users who enter an email address of these domains are led here. Verified domains of organizations come first.":
    "Gebruikers die een e-mailadres van deze domeinen invullen, worden hierheen geleid. Bevestigde domeinen van organisaties gaan voor.",
  "Email addresses that the provider has verified count as verified here, and lead to the account that has them. By default they do not.":
    "E-mailadressen die de provider bevestigd heeft, gelden hier als bevestigd en leiden naar het account dat ze heeft. Standaard niet.",
  "Only users with an email address of these domains can sign in. Empty: all users.":
    "Alleen gebruikers met een e-mailadres van deze domeinen kunnen zich aanmelden. Leeg: alle gebruikers.",
  "The realm roles that new users get.": "De realmrollen die nieuwe gebruikers krijgen.",
  "The groups that new users join.": "De groepen waarin nieuwe gebruikers komen.",
  "Only users of these tenants can sign in. Empty: all tenants.":
    "Alleen gebruikers van deze tenants kunnen zich aanmelden. Leeg: alle tenants.",
  "The certificates with which the provider signs, in PEM. Empty: those of its metadata.":
    "De certificaten waarmee de provider ondertekent, in PEM. Leeg: die van zijn metadata.",
  "The provider's metadata as XML, instead of its address. It fills the fields that you leave empty.":
    "De metadata van de provider als XML, in plaats van het adres. Zij vult de velden die u leeg laat.",
  "The metadata must be signed with this certificate, in PEM. Empty: no signature is needed.":
    "De metadata moet met dit certificaat ondertekend zijn, in PEM. Leeg: er is geen ondertekening nodig.",
  "The way in which sign-in requests are sent. Empty: as the metadata says, otherwise redirect.":
    "De manier waarop aanmeldverzoeken worden verstuurd. Leeg: zoals de metadata zegt, anders redirect.",
  "The way in which answers come. Empty: post.": "De manier waarop antwoorden komen. Leeg: post.",
  "The private key that signs requests, in PEM. Empty: the realm's own key. Enter it again for another host or port of the provider.":
    "De privésleutel die verzoeken ondertekent, in PEM. Leeg: de eigen sleutel van de realm. Bij een andere host of poort van de provider is zij opnieuw nodig.",
  "The certificate of the signing key above, in PEM.": "Het certificaat van de ondertekeningssleutel hierboven, in PEM.",
  "The private key that decrypts answers, in PEM: RSA or EC. Enter it again for another host or port of the provider.":
    "De privésleutel die antwoorden ontsleutelt, in PEM: RSA of EC. Bij een andere host of poort van de provider is zij opnieuw nodig.",
  "The certificate of the decryption key above, in PEM. Empty: the signing certificate, if it belongs to the same key.":
    "Het certificaat van de ontsleutelingssleutel hierboven, in PEM. Leeg: het ondertekeningscertificaat, als dat bij dezelfde sleutel hoort.",
  "The provider's clock may be wrong by this many seconds. Empty: 60.": "De klok van de provider mag zoveel seconden afwijken. Leeg: 60.",
  "The levels of authentication (AuthnContextClassRef) that count as two factors.":
    "De niveaus van authenticatie (AuthnContextClassRef) die als twee factoren tellen.",
  "The kind of name to request for users. `none` requests none. Empty: persistent.":
    "Het soort naam dat voor gebruikers gevraagd wordt. Met `none` wordt er geen gevraagd. Leeg: persistent.",
  "Sign the requests to the provider. By default they are signed.": "Onderteken de verzoeken aan de provider. Standaard gebeurt dat.",
  "The whole answer must be signed. By default a signature on the answer or the assertion is enough.":
    "Het hele antwoord moet ondertekend zijn. Standaard volstaat een handtekening op het antwoord of op de assertion.",
  "The assertion itself must be signed. By default a signature on the answer or the assertion is enough.":
    "De assertion zelf moet ondertekend zijn. Standaard volstaat een handtekening op het antwoord of op de assertion.",
  "Assertions must be encrypted. This needs the decryption key. By default they need not be.":
    "Assertions moeten versleuteld zijn. Daarvoor is de ontsleutelingssleutel nodig. Standaard hoeft dat niet.",
  "Accept the older encryption AES-CBC, for a provider that has no AES-GCM. By default it is refused.":
    "Accepteer de oudere versleuteling AES-CBC, voor een provider die geen AES-GCM heeft. Standaard wordt zij geweigerd.",
  "A sign-in may begin at the provider. By default it must begin here.":
    "Een aanmelding mag bij de provider beginnen. Standaard moet zij hier beginnen.",
  "Users must sign in again at the provider each time. By default its session is enough.":
    "Gebruikers moeten zich bij de provider elke keer opnieuw aanmelden. Standaard volstaat zijn sessie.",
  "The levels of authentication to request (AuthnContextClassRef). Empty: any.":
    "De niveaus van authenticatie die gevraagd worden (AuthnContextClassRef). Leeg: elk niveau.",
  "The way in which these levels are compared. Empty: the answer must name one of them exactly.":
    "De manier waarop die niveaus worden vergeleken. Leeg: het antwoord moet er precies een noemen.",
  "The way in which sign-in requests are sent. Empty: post.": "De manier waarop aanmeldverzoeken worden verstuurd. Leeg: post.",
  "The way in which answers come. Empty: artifact for eHerkenning, post for eIDAS.":
    "De manier waarop antwoorden komen. Leeg: artifact bij eHerkenning, post bij eIDAS.",
  "The private key that signs requests, in PEM. The scheme accepts only keys that it knows. Enter it again for another host or port of the provider.":
    "De privésleutel die verzoeken ondertekent, in PEM. Het stelsel accepteert alleen sleutels die het kent. Bij een andere host of poort van de provider is zij opnieuw nodig.",
  "The private key that decrypts answers, in PEM: RSA or EC. The scheme encrypts what identifies people. Enter it again for another host or port of the provider.":
    "De privésleutel die antwoorden ontsleutelt, in PEM: RSA of EC. Het stelsel versleutelt wat mensen identificeert. Bij een andere host of poort van de provider is zij opnieuw nodig.",
  "Users who act for another by a mandate may sign in. By default they are refused.":
    "Gebruikers die met een machtiging voor een ander handelen, mogen zich aanmelden. Standaard worden zij geweigerd.",
  "Further attributes to request, beside those that the scheme needs.":
    "Verdere attributen die gevraagd worden, naast wat het stelsel nodig heeft.",
  "The number of the service in this realm's metadata. Empty: 1.": "Het nummer van de dienst in de metadata van deze realm. Leeg: 1.",
  "The lowest level of assurance that is accepted. Empty: level 3.":
    "Het laagste betrouwbaarheidsniveau dat geaccepteerd wordt. Leeg: niveau 3.",
  "The attributes of a mandate that are accepted. An answer with any other is refused.":
    "De attributen van een machtiging die geaccepteerd worden. Een antwoord met een ander attribuut wordt geweigerd.",
  "The request names the lowest level of assurance. By default it does. Some brokers take it from the service catalogue only.":
    "Het verzoek noemt het laagste betrouwbaarheidsniveau. Standaard gebeurt dat. Sommige makelaars nemen het alleen uit de dienstencatalogus.",
  "The lowest level of assurance that is accepted. Empty: substantial.":
    "Het laagste betrouwbaarheidsniveau dat geaccepteerd wordt. Leeg: substantieel.",
  "Accept schemes that their country has not notified. By default they are refused.":
    "Accepteer stelsels die hun land niet heeft aangemeld. Standaard worden zij geweigerd.",
  "The sector of your service. Empty: public.": "De sector van uw dienst. Leeg: publiek.",
  "Further servers of the same directory. They are tried in turn.":
    "Verdere servers van dezelfde directory. Zij worden om de beurt geprobeerd.",
  "Switch an ldap:// connection to TLS before anything is sent. ldaps:// needs no switch. By default it is not switched.":
    "Schakel een ldap://-verbinding over op TLS voordat er iets verstuurd wordt. Bij ldaps:// is dat niet nodig. Standaard niet.",
  "The certificates of the authority that issued the directory's certificate, in PEM. Empty: the public authorities.":
    "De certificaten van de instantie die het certificaat van de directory uitgaf, in PEM. Leeg: de openbare instanties.",
  "The time to wait for a connection or an answer, in milliseconds. Empty: 5000.":
    "De tijd waarin een verbinding of antwoord moet komen, in milliseconden. Leeg: 5000.",
  "The certificate by which this server authenticates to the directory in TLS, in PEM, with its chain.":
    "Het certificaat waarmee deze server zich in TLS bij de directory bewijst, in PEM, met zijn keten.",
  "The private key of the client certificate, in PEM without a passphrase. Enter it again for another host or port of the directory.":
    "De privésleutel van het clientcertificaat, in PEM zonder wachtwoordzin. Bij een andere host of poort van de directory is zij opnieuw nodig.",
  "The place in the directory below which users are searched, such as `ou=people,dc=example,dc=com`.":
    "De plaats in de directory waaronder naar gebruikers gezocht wordt, zoals `ou=people,dc=example,dc=com`.",
  "The place below which groups are searched, for mappers of the claim `groups`. Empty: the groups that a user's entry names in `memberOf`.":
    "De plaats waaronder naar groepen gezocht wordt, voor mappers van de claim `groups`. Leeg: de groepen die het item van een gebruiker in `memberOf` noemt.",
  "Members of a group are also members of the groups that contain it. By default they are not.":
    "Leden van een groep zijn ook lid van de groepen die haar bevatten. Standaard niet.",
  "Email addresses of the directory count as verified. By default they do not.":
    "E-mailadressen uit de directory gelden als bevestigd. Standaard niet.",
  "Whether new passwords of its users are written to the directory. Nothing else is ever written. Empty: nothing is.":
    "Of nieuwe wachtwoorden van gebruikers naar de directory worden geschreven. Iets anders wordt nooit geschreven. Leeg: niets.",
  "The whole directory is read each time after this many minutes, at least 5. 0: never. Empty: 360.":
    "De hele directory wordt telkens na zoveel minuten gelezen, minstens 5. Bij 0: nooit. Leeg: 360.",
  "Changes are read each time after this many minutes, at least 5. 0: never. Empty: 30.":
    "Wijzigingen worden telkens na zoveel minuten gelezen, minstens 5. Bij 0: nooit. Leeg: 30.",
  "Sign-ins and refreshed tokens look a user up in the directory again after this many seconds. Empty: 300.":
    "Aanmeldingen en vernieuwde tokens zoeken een gebruiker na zoveel seconden opnieuw op in de directory. Leeg: 300.",
  "The treatment of an entry that has the name of a user whose own entry is gone. Empty: it is a new user.":
    "Wat er gebeurt met een item dat de naam heeft van een gebruiker van wie het eigen item weg is. Leeg: het is een nieuwe gebruiker.",
  "The provider's https address that asks users to sign in.": "Het https-adres van de provider waar gebruikers zich aanmelden.",
  "The provider's https address that issues tokens.": "Het https-adres van de provider dat tokens uitgeeft.",
  "The provider's https address that tells about a user.": "Het https-adres van de provider dat over een gebruiker vertelt.",
  "The https address of the provider's keys.": "Het https-adres van de sleutels van de provider.",
  "The https address at which users sign out there. Empty: as its discovery document says.":
    "Het https-adres waar gebruikers zich daar afmelden. Leeg: zoals zijn discovery-document zegt.",
  "The ID of the private key (`kid`), as the provider knows it.": "De ID van de privésleutel (`kid`), zoals de provider haar kent.",
  "The picture on its button: an https address, or a path on this server. Empty: the provider's own mark.":
    "De afbeelding op zijn knop: een https-adres, of een pad op deze server. Leeg: het eigen teken van de provider.",
  "The username of new users, from claims, such as `{preferred_username}`, `{email}` or `{alias}-{sub}`. `{email|local}` is the part before the @.":
    "De gebruikersnaam van nieuwe gebruikers, uit claims, zoals `{preferred_username}`, `{email}` of `{alias}-{sub}`. `{email|local}` is het deel voor de @.",
  "The claim that has the email address. Empty: email.": "De claim met het e-mailadres. Leeg: email.",
  "The claim that has the first name. Empty: given_name.": "De claim met de voornaam. Leeg: given_name.",
  "The claim that has the last name. Empty: family_name.": "De claim met de achternaam. Leeg: family_name.",
  "The claim that identifies a user for good. Empty: sub.": "De claim die een gebruiker blijvend identificeert. Leeg: sub.",
  "Only accounts of this Google Workspace domain can sign in. Empty: all accounts.":
    "Alleen accounts van dit domein van Google Workspace kunnen zich aanmelden. Leeg: alle accounts.",
  "The ID of a tenant, or `common`, `organizations` or `consumers`. Empty: common.":
    "De ID van een tenant, of `common`, `organizations` of `consumers`. Leeg: common.",
  "The ID of the key.": "De ID van de sleutel.",
  "The ID of the team that the key belongs to.": "De ID van het team waarbij de sleutel hoort.",
  "The https address at which users sign in there (single sign-on service).":
    "Het https-adres waar gebruikers zich daar aanmelden (single sign-on service).",
  "The name by which the provider calls itself.": "De naam waarmee de provider zichzelf noemt.",
  "The https address at which users sign out there (single logout service).":
    "Het https-adres waar gebruikers zich daar afmelden (single logout service).",
  "The https address that exchanges artifacts for messages (SOAP).": "Het https-adres dat artifacts voor berichten inwisselt (SOAP).",
  "The https address of the provider's metadata. It is read daily, and fills the fields that you leave empty.":
    "Het https-adres van de metadata van de provider. Zij wordt dagelijks gelezen en vult de velden die u leeg laat.",
  "The name by which the provider knows this realm. Empty: the address above.":
    "De naam waaronder de provider deze realm kent. Leeg: het adres hierboven.",
  "The address on this server at which answers arrive. Empty: the address above.":
    "Het adres op deze server waar antwoorden aankomen. Leeg: het adres hierboven.",
  "The attribute that identifies a user for good. Empty: the NameID, which must not be transient.":
    "Het attribuut dat een gebruiker blijvend identificeert. Leeg: de NameID, die dan niet transient mag zijn.",
  "The name of the service in this realm's metadata. Empty: the display name above.":
    "De naam van de dienst in de metadata van deze realm. Leeg: de weergavenaam hierboven.",
  "The name of your service that the provider shows. Empty: the name of the realm.":
    "De naam van uw dienst die de provider toont. Leeg: de naam van de realm.",
  "The attribute that identifies the account. Empty: the company (LegalSubjectID); `urn:etoegang:core:ActingSubjectID` is a person of the company.":
    "Het attribuut dat het account identificeert. Leeg: het bedrijf (LegalSubjectID); `urn:etoegang:core:ActingSubjectID` is een persoon van het bedrijf.",
  "The kind of number to use if there are several. Empty: KvK number, then RSIN.":
    "Het soort nummer dat telt als er meer zijn. Leeg: KvK-nummer, dan RSIN.",
  "The service in the form `urn:etoegang:DV:<OIN>:services:<index>`. An answer must name it.":
    "De dienst in de vorm `urn:etoegang:DV:<OIN>:services:<index>`. Een antwoord moet haar noemen.",
  "The UUID of the service in the service catalogue. An answer must name it.":
    "De UUID van de dienst in de dienstencatalogus. Een antwoord moet haar noemen.",
  "The KeyName of the signing certificate. Empty: its SHA-256 fingerprint.":
    "De KeyName van het ondertekeningscertificaat. Leeg: zijn SHA-256-vingerafdruk.",
  "The KeyName of the decryption certificate. Empty: its SHA-256 fingerprint.":
    "De KeyName van het ontsleutelingscertificaat. Leeg: zijn SHA-256-vingerafdruk.",
  "The identifier of the account: PersonIdentifier, or LegalPersonIdentifier for companies. Empty: PersonIdentifier.":
    "De identificatie van het account: PersonIdentifier, of LegalPersonIdentifier voor bedrijven. Leeg: PersonIdentifier.",
  "The address of the directory, such as `ldaps://ldap.example.com:636`, without a path.":
    "Het adres van de directory, zoals `ldaps://ldap.example.com:636`, zonder pad.",
  "The account with which this server searches, such as `cn=reader,dc=example,dc=com`. Active Directory also takes `reader@example.com`.":
    "Het account waarmee deze server zoekt, zoals `cn=reader,dc=example,dc=com`. Active Directory neemt ook `reader@example.com`.",
  "The filter that finds a user; `{0}` stands for the username that was entered. Empty: `(uid={0})`.":
    "Het filter dat een gebruiker vindt; `{0}` staat voor de ingevulde gebruikersnaam. Leeg: `(uid={0})`.",
  "The attribute that stays when an entry is renamed or moved. Empty: entryUUID, in Active Directory objectGUID.":
    "Het attribuut dat blijft als een item hernoemd of verplaatst wordt. Leeg: entryUUID, in Active Directory objectGUID.",
  "The attribute that becomes the username. Empty: uid.": "Het attribuut dat de gebruikersnaam wordt. Leeg: uid.",
  "The attribute that has the email address. Empty: mail.": "Het attribuut met het e-mailadres. Leeg: mail.",
  "The attribute that has the first name. Empty: givenName.": "Het attribuut met de voornaam. Leeg: givenName.",
  "The attribute that has the last name. Empty: sn.": "Het attribuut met de achternaam. Leeg: sn.",
  "The filter that finds groups. Empty: every usual kind of group.": "Het filter dat groepen vindt. Leeg: elk gebruikelijk soort groep.",
  "The attribute that has the name of a group. Empty: cn.": "Het attribuut met de naam van een groep. Leeg: cn.",
  "The attribute of a group that lists its members; `memberUid` lists them by username. Empty: member.":
    "Het attribuut van een groep dat haar leden noemt; `memberUid` noemt ze met hun gebruikersnaam. Leeg: member.",
  "A claim becomes an attribute, a text with claims becomes an attribute, or users get a role or join a group.":
    "Een claim wordt een attribuut, een tekst met claims wordt een attribuut, of gebruikers krijgen een rol of komen in een groep.",
  "The claim of the provider, or the attribute of SAML or a directory. `groups` of a directory is the user's groups. For roles and groups, empty means all users.":
    "De claim van de provider, of het attribuut van SAML of een directory. `groups` van een directory zijn de groepen van de gebruiker. Bij rollen en groepen betekent leeg: alle gebruikers.",
  "The exact value that the claim must have, or contain among others. For `groups` of a directory: the name of a group.":
    "De precieze waarde die de claim moet hebben, of tussen andere bevatten. Bij `groups` van een directory: de naam van een groep.",
  "A text with claims, such as `{given_name} {family_name}`.": "Een tekst met claims, zoals `{given_name} {family_name}`.",
  "The user's attribute that gets the value.": "Het attribuut van de gebruiker dat de waarde krijgt.",
  "At each sign-in, what the mapper gave is withdrawn when the claim no longer has the value.":
    "Bij elke aanmelding wordt wat de mapper gaf ingetrokken als de claim de waarde niet meer heeft.",
};

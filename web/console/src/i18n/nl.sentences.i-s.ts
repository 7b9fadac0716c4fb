/** Dutch for sentences of the server, which `served-texts.mjs` reads from its sources. `{name}` stands for a value. */
export const servedIToS: Readonly<Record<string, string>> = {
  '"//" is not accepted: CSS comments are written /* like this */': '"//" wordt niet aanvaard: commentaar in CSS schrijft u /* zo */',
  '"{at}" is missing at the end': '"{at}" ontbreekt aan het einde',
  ", such as https://app.example.com": ", zoals https://app.example.com",
  "@{value} is not accepted": "@{value} wordt niet aanvaard",
  "Identity providers": "Identityproviders",
  "Impersonation starts from your own session in a browser: sign in to the admin pages and try again":
    "Namens een ander werken begint vanuit uw eigen sessie in een browser: meld u aan bij het beheer en probeer het opnieuw",
  "More accounts than usual would be deactivated or deleted. Please look at the objects that are HELD, then confirm it or correct the target.":
    "Er zouden meer accounts dan gewoonlijk worden uitgeschakeld of verwijderd. Bekijk de objecten die op HELD staan, en bevestig het of verbeter het doel.",
  "Name another user: you are the owner": "Noem een andere gebruiker: u bent de eigenaar",
  "Narrow the search by `to` to read further back: pages beyond 10,000 events are not served":
    "Beperk de zoekopdracht met `to` om verder terug te lezen: pagina's voorbij 10.000 gebeurtenissen zijn er niet",
  "No client of this realm with that client id has a role with that name":
    "Geen client van deze realm met dat client-ID heeft een rol met die naam",
  "No enabled administrator who holds realm-admin could pass these steps with what they have now: let one set up what the steps ask for first, or keep another way beside them":
    "Geen ingeschakelde beheerder met realm-admin zou met wat die nu heeft door deze stappen komen: laat eerst iemand instellen wat de stappen vragen, of houd er een andere weg naast",
  "No entry is found below userSearchBase: check it, userSearchFilter, and what bindDn may read.":
    "Onder userSearchBase is niets gevonden: controleer dat, userSearchFilter en wat bindDn mag lezen.",
  "No group is found below groupSearchBase: check it, groupSearchFilter, and what bindDn may read.":
    "Onder groupSearchBase is geen groep gevonden: controleer dat, groupSearchFilter en wat bindDn mag lezen.",
  "No provider of this channel is enabled in this realm: configure one first, with PUT /messaging/providers":
    "In deze realm staat geen provider van dit kanaal aan: stel er eerst een in, met PUT /messaging/providers",
  "No role with that name in this realm": "Er is geen rol met die naam in deze realm",
  "No such SAML client in this realm": "Er is geen SAML-client als deze in deze realm",
  "No such SCIM target in this realm": "Er is geen SCIM-doel als dit in deze realm",
  "No such agent in this realm": "Deze agent is er niet in deze realm",
  "No such application in this realm": "Deze applicatie is er niet in deze realm",
  "No such claim mapper in this realm": "Deze claimmapper is er niet in deze realm",
  "No such client in this realm": "Deze client is er niet in deze realm",
  "No such client scope in this realm": "Deze clientscope is er niet in deze realm",
  "No such directory in this realm": "Deze directory is er niet in deze realm",
  "No such domain of this organization": "De organisatie heeft dit domein niet",
  "No such flow in this realm": "Deze flow is er niet in deze realm",
  "No such group in this realm": "Deze groep is er niet in deze realm",
  "No such identity provider in this realm": "Deze identityprovider is er niet in deze realm",
  "No such import in this realm, or it ended more than 30 days ago":
    "Deze import is er niet in deze realm, of hij is meer dan 30 dagen geleden geëindigd",
  "No such initial access token in this realm": "Dit eerste toegangstoken is er niet in deze realm",
  "No such invitation": "Deze uitnodiging is er niet",
  "No such key in this realm": "Deze sleutel is er niet in deze realm",
  "No such mapper of this SAML client": "De SAML-client heeft deze mapper niet",
  "No such mapper of this client": "De client heeft deze mapper niet",
  "No such mapper of this identity provider": "De identityprovider heeft deze mapper niet",
  "No such organization in this realm": "Deze organisatie is er niet in deze realm",
  "No such provider in this realm": "Deze provider is er niet in deze realm",
  "No such push token in this realm": "Dit pushtoken is er niet in deze realm",
  "No such realm": "Deze realm is er niet",
  "No such role in this realm": "Deze rol is er niet in deze realm",
  "No such session in this realm": "Deze sessie is er niet in deze realm",
  "No such user in this realm": "Deze gebruiker is er niet in deze realm",
  "No such webhook in this realm": "Deze webhook is er niet in deze realm",
  "No such workload credential in this realm": "Deze workload-inlog is er niet in deze realm",
  "Not tried: an earlier user caused a server error. Send this user again":
    "Niet geprobeerd: een eerdere gebruiker gaf een serverfout. Stuur deze gebruiker opnieuw",
  "Nothing can be created here": "Hier kan niets worden gemaakt",
  "Nothing has been sent yet.": "Er is nog niets verstuurd.",
  "Nothing waits for a confirmation": "Niets wacht op een bevestiging",
  "OIDC applications": "OIDC-applicaties",
  "One of the given scopes [{unknown}] is invalid": "Een van de opgegeven scopes [{unknown}] is niet geldig",
  "One of the resource indicators belongs to another client of the realm, as an indicator or as its client id":
    "Een van de resource-indicatoren hoort bij een andere client van de realm, als indicator of als client-ID",
  "One person is in more than {MAX_GROUPS} groups.": "Eén persoon zit in meer dan {MAX_GROUPS} groepen.",
  "Pages beyond 10,000 rows are reached by following `Link rel=next`, or by a narrower search":
    "Pagina's voorbij 10.000 rijen bereikt u met `Link rel=next`, of met een nauwere zoekopdracht",
  "Permissions and policies": "Rechten en beleid",
  "Please choose another password: the directory does not accept this one. It may be too short, too simple, or used before":
    "Kies een ander wachtwoord: de directory aanvaardt dit niet. Het is misschien te kort, te eenvoudig of al eerder gebruikt",
  "Please choose another password: the directory remembers this one as used before":
    "Kies een ander wachtwoord: volgens de directory is dit al eerder gebruikt",
  "Please choose another password: this is one of the last {count} that were used here":
    "Kies een ander wachtwoord: dit is een van de laatste {count} die hier zijn gebruikt",
  "Please choose another password: this is the present one": "Kies een ander wachtwoord: dit is het huidige",
  "Please choose another password: this one is known from data that leaked elsewhere, so it is among the first that are guessed":
    "Kies een ander wachtwoord: dit is bekend uit gegevens die elders zijn gelekt, dus het wordt als een van de eerste geraden",
  "Policies of type js are not supported: code of administrators does not run in the server. Use attribute, regex and aggregate policies instead":
    "Beleid van het type js wordt niet ondersteund: code van beheerders draait niet in de server. Gebruik in plaats daarvan attribute, regex en aggregate",
  "Resource [{name}] has no scope [{missing}]": "Resource [{name}] heeft geen scope [{missing}]",
  "Resource with id [{name}] does not exist.": "Een resource met ID [{name}] is er niet.",
  "SAML applications": "SAML-applicaties",
  "SCIM has no attribute {path}": "SCIM heeft geen attribuut {path}",
  "Sealing needs a passphrase of 12 characters or more in the header Export-Passphrase":
    "Verzegelen vraagt een wachtwoordzin van 12 of meer tekens in de header Export-Passphrase",
  "Send at most {MAX_FILES} files at a time": "Stuur hoogstens {MAX_FILES} bestanden tegelijk",
  "Send config.secretHeader or config.authorization, not both: the secret is sent only once":
    "Stuur config.secretHeader of config.authorization, niet allebei: het geheim wordt maar één keer verstuurd",
  "Send one of userId, clientId and agentId": "Stuur een van userId, clientId en agentId",
  "Send resources or resourceType, not both": "Stuur resources of resourceType, niet allebei",
  "Send resources, a resourceType or scopes": "Stuur resources, een resourceType of scopes",
  "Send the body uncompressed, without Content-Encoding": "Stuur de inhoud niet gecomprimeerd, zonder Content-Encoding",
  "Send the image itself, as image/png or image/svg+xml": "Stuur de afbeelding zelf, als image/png of image/svg+xml",
  "Send the metadata as {join}": "Stuur de metadata als {join}",
  "Send the users as {join}": "Stuur de gebruikers als {join}",
  "Send the users in UTF-8": "Stuur de gebruikers in UTF-8",
  "Send value or valuePath, not both": "Stuur value of valuePath, niet allebei",
  "Sign in first: there is no valid session for this realm": "Meld u eerst aan: er is geen geldige sessie voor deze realm",
  "Some members of the request are not valid": "Sommige velden van de aanvraag zijn niet geldig",
  "Some users or groups were refused. The objects that are FAILED or DEAD say why.":
    "Sommige gebruikers of groepen zijn geweigerd. De objecten die op FAILED of DEAD staan, zeggen waarom.",
  "Something follows the end of the list": "Er volgt iets na het einde van de lijst",
  "Something went wrong on our side. The request id helps to find out what.":
    "Er ging iets mis aan onze kant. Met het ID van de aanvraag is te vinden wat.",
  "in this realm": "in deze realm",
  "is a mask, not a value: leave it out to keep what the realm has":
    "is een masker, geen waarde: laat het weg om te houden wat de realm heeft",
  "is a member of every account, and no attribute: {name}": "is een veld van elk account, en geen attribuut: {name}",
  "is a public client, which cannot act in its own name": "is een openbare client, en die kan niet namens zichzelf handelen",
  "is an address of this server itself": "is een adres van deze server zelf",
  "is an address of this server, not of a service provider": "is een adres van deze server, niet van een serviceprovider",
  "is an address of this server: use an address of the client or resource itself":
    "is een adres van deze server: gebruik een adres van de client of resource zelf",
  "is an address of this server: use one of the client": "is een adres van deze server: gebruik er een van de client",
  "is an address of this server: use the address of the API itself": "is een adres van deze server: gebruik het adres van de API zelf",
  "is another spelling of an earlier entry": "is een andere schrijfwijze van een eerdere waarde",
  "is declared twice: an attribute has one declaration": "staat er twee keer: een attribuut wordt één keer beschreven",
  "is for the type choice": "is voor het type choice",
  "is for {join}": "is voor {join}",
  "is for {kind}": "is voor {kind}",
  "is missing in the header": "ontbreekt in de kopregel",
  "is needed in a policy of type {type}": "is nodig in een beleid van het type {type}",
  "is needed where options.encryptAssertion is true": "is nodig waar options.encryptAssertion true is",
  "is needed where options.wantAuthnRequestsSigned is true": "is nodig waar options.wantAuthnRequestsSigned true is",
  "is nested deeper than {MAX_JSON_DEPTH} levels": "is dieper genest dan {MAX_JSON_DEPTH} niveaus",
  "is none of the groups: {group}": "is geen van de groepen: {group}",
  "is not a certificate": "is geen certificaat",
  "is not a certificate in PEM (-----BEGIN CERTIFICATE-----)": "is geen certificaat in PEM (-----BEGIN CERTIFICATE-----)",
  "is not a distinguished name, such as {example}": "is geen distinguished name, zoals {example}",
  "is not a domain name such as example.com": "is geen domeinnaam zoals example.com",
  "is not a known member": "is geen bekend veld",
  "is not a known member: this operation takes no body": "is geen bekend veld: deze handeling heeft geen inhoud",
  "is not a known section: there are {map}": "is geen bekend onderdeel: er zijn {map}",
  "is not a name that is accepted here": "is geen naam die hier wordt aanvaard",
  "is not a usable public key (RSA of {MIN_RSA_BITS} to {MAX_RSA_BITS} bits with a short exponent, EC or OKP)":
    "is geen bruikbare openbare sleutel (RSA van {MIN_RSA_BITS} tot {MAX_RSA_BITS} bits met een korte exponent, EC of OKP)",
  "is not a valid {format}": "is geen geldige {format}",
  "is not accepted": "wordt niet aanvaard",
  "is not an RSA key": "is geen RSA-sleutel",
  "is not an absolute URI": "is geen absolute URI",
  "is not an absolute address": "is geen absoluut adres",
  "is not an address that can be called. Please use the form https://host/path, without a user name or password in it.":
    "is geen adres dat kan worden aangeroepen. Gebruik de vorm https://host/pad, zonder gebruikersnaam of wachtwoord erin.",
  "is not for mappers of type {type}": "is niet voor mappers van het type {type}",
  "is not for policies of type {type}": "is niet voor beleid van het type {type}",
  "is not known": "is niet bekend",
  "is not of this key": "is niet van deze sleutel",
  "is not served there": "is daar niet te vinden",
  "is not the key of clientCertificate": "is niet de sleutel van clientCertificate",
  "is not the name of a claim": "is niet de naam van een claim",
  "is not valid": "is niet geldig",
  "is required": "is verplicht",
  "is required for a mapper of type {type}": "is verplicht voor een mapper van het type {type}",
  "is required for the template saml": "is verplicht voor het sjabloon saml",
  "is required if config.responseBinding is artifact": "is verplicht als config.responseBinding artifact is",
  "is required with clientKey": "is verplicht bij clientKey",
  "is required with spDecryptionCertificate": "is verplicht bij spDecryptionCertificate",
  "is required with spSigningCertificate": "is verplicht bij spSigningCertificate",
  "is required with spSigningPrivateKey": "is verplicht bij spSigningPrivateKey",
  "is required without metadataUrl or metadataXml": "is verplicht zonder metadataUrl of metadataXml",
  "is required, because the server searches the directory as bindDn": "is verplicht, omdat de server als bindDn in de directory zoekt",
  "is required: send it with any change of scheme, host or port": "is verplicht: stuur het bij elke wijziging van schema, host of poort",
  "is required: send the present value, or [] to let everybody in": "is verplicht: stuur de huidige waarde, of [] om iedereen toe te laten",
  "is required: the private key of clientCertificate": "is verplicht: de geheime sleutel van clientCertificate",
  "is sealed, but the document does not say how (sealing)": "is verzegeld, maar het document zegt niet hoe (sealing)",
  "is sent in a header: printable ASCII, and no colon in a username":
    "wordt in een header verstuurd: zichtbare ASCII, en geen dubbele punt in een gebruikersnaam",
  "is the name of another group, too": "is ook de naam van een andere groep",
  "is the value of another option, too": "is ook de waarde van een andere keuze",
  "is used twice": "wordt twee keer gebruikt",
  "it can become {join}": "het kan {join} worden",
  "it holds control characters": "er staan stuurtekens in",
  "it is empty": "het is leeg",
  "it is neither a PNG nor an SVG": "het is geen PNG en geen SVG",
  "it is not a PNG, though its type says so": "het is geen PNG, al zegt het type van wel",
  "it is not given the number {{name}}": "het getal {{name}} krijgt het niet",
  "it is not given {unknown}; it has no values": "{unknown} krijgt het niet; het heeft geen waarden",
  "it is not given {unknown}; its values are {values}": "{unknown} krijgt het niet; zijn waarden zijn {values}",
  "it must be one line of visible characters": "het moet één regel van zichtbare tekens zijn",
  "it stays so": "dat blijft zo",
  "its roles": "zijn rollen",
  "jwks must have at most {MAX_JWKS_CHARACTERS} characters": "jwks heeft hoogstens {MAX_JWKS_CHARACTERS} tekens",
  "jwks or jwksUri is needed for {authMethod}: give the client's public keys":
    "jwks of jwksUri is nodig voor {authMethod}: geef de openbare sleutels van de client",
  "jwks.keys.{index}.kid is that of another key": "jwks.keys.{index}.kid is dat van een andere sleutel",
  "jwksUri and jwks cannot both be set: keep one of them": "jwksUri en jwks kunnen niet allebei zijn ingesteld: houd er een van",
  "locale must be a language tag such as nl or pt-BR": "locale moet een taalcode zijn zoals nl of pt-BR",
  "may have at most {maxItems} entries: remove some first": "heeft hoogstens {maxItems} waarden: verwijder er eerst enkele",
  "may have {party} only where edit has it": "mag {party} alleen hebben waar edit dat heeft",
  "may have {party} only where view has it": "mag {party} alleen hebben waar view dat heeft",
  "may not exceed maxLength": "mag niet groter zijn dan maxLength",
  "may not have user: others rely on {name}": "mag user niet bevatten: anderen vertrouwen op {name}",
  "means nothing for {type}": "heeft geen betekenis bij {type}",
  "metadata can be changed only by an import": "metadata kan alleen door een import worden gewijzigd",
  "more of the permissions that apply must permit than deny":
    "van de rechten die van toepassing zijn, moeten er meer toestaan dan weigeren",
  "must be 1 to 255 letters, digits and signs of ASCII, without spaces, and neither . nor ..: it is the client id":
    "bestaat uit 1 tot 255 letters, cijfers en tekens van ASCII, zonder spaties, en is niet . of ..: het is het client-ID",
  "must be 5 or more, or 0 for no automatic sync": "moet 5 of meer zijn, of 0 voor geen automatische synchronisatie",
  "must be ASCII, without spaces": "moet ASCII zijn, zonder spaties",
  "must be a list": "moet een lijst zijn",
  "must be a private key in PEM without a passphrase": "moet een geheime sleutel in PEM zijn, zonder wachtwoordzin",
  "must be a private key in PEM without a passphrase: RSA of 2048 bits or more, P-256, P-384 or P-521":
    "moet een geheime sleutel in PEM zijn, zonder wachtwoordzin: RSA van 2048 bits of meer, P-256, P-384 of P-521",
  "must be an ISO 8601 time, such as 2030-01-31T12:00:00Z, or epoch milliseconds":
    "moet een ISO 8601-tijd zijn, zoals 2030-01-31T12:00:00Z, of milliseconden sinds 1970",
  "must be an address of this server: leave it out, or begin with {baseUrl}/realms/":
    "moet een adres van deze server zijn: laat het weg, of begin met {baseUrl}/realms/",
  "must be an address or a network, such as 10.0.0.0/8 or 2001:db8::/32":
    "moet een adres of netwerk zijn, zoals 10.0.0.0/8 of 2001:db8::/32",
  "must be an object": "moet een object zijn",
  "must be an origin{hint}": "moet een origin zijn{hint}",
  "must be assertionConsumerServiceUrl or one of options.additionalAcsUrls":
    "moet assertionConsumerServiceUrl of een van options.additionalAcsUrls zijn",
  "must be at least {limit}": "moet minstens {limit} zijn",
  "must be at most {limit}": "mag hoogstens {limit} zijn",
  "must be at most {maxCodeSeconds}, or null": "moet hoogstens {maxCodeSeconds} zijn, of null",
  "must be called with https.": "moet met https worden aangeroepen.",
  "must be code alone": "moet alleen code zijn",
  "must be false": "moet false zijn",
  "must be false for {name}": "moet false zijn voor {name}",
  "must be one address that mail can be sent to, such as ada@example.com":
    "moet één adres zijn waar e-mail naartoe kan, zoals ada@example.com",
  "must be one of {join}": "moet een van deze zijn: {join}",
  "must be one of {join}, or null": "moet een van deze zijn: {join}, of null",
  "must be one of {listed}": "moet een van deze zijn: {listed}",
  "must be one of: {join}": "moet een van deze zijn: {join}",
  "must be one of: {value}": "moet een van deze zijn: {value}",
  "must be string or choice for {name}": "moet string of choice zijn voor {name}",
  "must be true": "moet true zijn",
  "must be true, unless the client's tokens are bound to a certificate":
    "moet true zijn, tenzij de tokens van de client aan een certificaat gebonden zijn",
  "must be true: without any signature every site could sign in as any user":
    "moet true zijn: zonder enige handtekening kon elke site zich als elke gebruiker aanmelden",
  "must be written as browsers do: {href}": "wordt geschreven zoals browsers dat doen: {href}",
  "must be {article}": "heeft het verkeerde type; verwacht wordt {article}",
  "must be {expected}": "moet {expected} zijn",
  "must be {stringify}": "moet {stringify} zijn",
  "must contain {0} for the username, such as (uid={0})": "moet {0} bevatten voor de gebruikersnaam, zoals (uid={0})",
  "must have a member": "moet een veld hebben",
  "must have a value for a choice": "moet een waarde hebben bij een keuze",
  "must have admin: administrators see every attribute": "moet admin hebben: beheerders zien elk attribuut",
  "must have an entry": "moet een waarde hebben",
  "must have at least {limit} characters": "heeft minstens {limit} tekens nodig",
  "must have at least {limit} entries": "moet minstens {limit} waarden hebben",
  "must have at least {limit} members": "moet minstens {limit} velden hebben",
  "must have at least {minLength} characters": "heeft minstens {minLength} tekens nodig",
  "must have at most {MAX_BYTES} bytes in UTF-8": "heeft hoogstens {MAX_BYTES} bytes in UTF-8",
  "must have at most {limit} characters": "heeft hoogstens {limit} tekens",
  "must have at most {limit} entries": "mag hoogstens {limit} waarden hebben",
  "must have at most {limit} members": "mag hoogstens {limit} velden hebben",
  "must have at most {maxLength} characters": "heeft hoogstens {maxLength} tekens",
  "must have the scheme, host and port of one of the redirect URIs":
    "moet het schema, de host en de poort van een van de redirect-URI's hebben",
  "must hold an RSA key: nothing can be encrypted for another":
    "moet een RSA-sleutel bevatten: voor een andere kan niets worden versleuteld",
  "must not be a script": "mag geen script zijn",
  "must not be empty": "mag niet leeg zijn",
  "must not contain *: addresses are compared exactly, so list each one in full":
    "mag geen * bevatten: adressen worden precies vergeleken, dus noem elk adres helemaal",
  "must not contain *: it is compared exactly": "mag geen * bevatten: het wordt precies vergeleken",
  "must not contain *: list each address in full": "mag geen * bevatten: noem elk adres helemaal",
  "must not contain *: list each origin, or use + for the origins of the redirect URIs":
    "mag geen * bevatten: noem elke origin, of gebruik + voor de origins van de redirect-URI's",
  "must not contain a username or password": "mag geen gebruikersnaam of wachtwoord bevatten",
  "must not contain user: {by} uses the attribute {attribute}": "mag user niet bevatten: {by} gebruikt het attribuut {attribute}",
  "must not contain {0}, because it finds all groups": "mag {0} niet bevatten, want het vindt alle groepen",
  "must not have a fragment (#)": "mag geen fragment (#) hebben",
  "must not have a query or fragment": "mag geen query of fragment hebben",
  "must not have an entry twice": "mag geen waarde twee keer hebben",
  "must not hold a |, which is kept for the names of SAML applications": "mag geen | bevatten: die is voor de namen van SAML-applicaties",
  "must not hold {join}": "mag geen {join} bevatten",
  "must use a scheme like com.example.app, based on a domain name that you own":
    "gebruikt een schema zoals com.example.app, naar een domeinnaam die van jou is",
  "must use http on a loopback address, because no certificate is issued for it":
    "gebruikt http op een loopbackadres, want daarvoor worden geen certificaten uitgegeven",
  "must use https": "moet https gebruiken",
  "must use https; http is for native clients, on a loopback address":
    "moet https gebruiken; http is voor native clients, op een loopbackadres",
  "must use https; http is only for 127.0.0.1, [::1] and localhost":
    "moet https gebruiken; http is alleen voor 127.0.0.1, [::1] en localhost",
  "must use https; other schemes are for clients of the applicationType native":
    "moet https gebruiken; andere schema's zijn voor clients met het applicationType native",
  "name at least one address to send people back to": "noem minstens één adres om mensen naar terug te sturen",
  "name is required: the role to remove": "name is verplicht: de rol die wordt weggenomen",
  "name must not have invisible characters, nor be . or ..": "name heeft geen onzichtbare tekens, en is niet . of ..",
  "name of a SAML application is {name}: leave it out, and call it something else by displayName":
    "name van een SAML-applicatie is {name}: laat het weg, en noem haar anders met displayName",
  "needs TLS on every address: use ldaps://, or ldap:// with startTls":
    "heeft TLS nodig op elk adres: gebruik ldaps://, of ldap:// met startTls",
  "no organization of this realm has verified {join}. Verify it as a domain of an organization, or have a holder of realm-admin save this":
    "geen organisatie van deze realm heeft {join} geverifieerd. Verifieer het als domein van een organisatie, of laat iemand met realm-admin dit opslaan",
  "no page has this language; the languages are {join}": "geen pagina heeft deze taal; de talen zijn {join}",
  "no permission applies": "geen recht is van toepassing",
  "none at all": "geen enkele",
  "nothing in this list asks anything": "niets in deze lijst vraagt iets",
  "of a client “{clientId}”": "van een client “{clientId}”",
  "of {key} is {channel}": "van {key} is {channel}",
  "one email address, such as ada@example.com": "één e-mailadres, zoals ada@example.com",
  "one of the permissions that apply must permit": "een van de rechten die van toepassing zijn, moet toestaan",
  "only a list of steps can be conditional: put the step into one, with its condition":
    "alleen een lijst van stappen kan voorwaardelijk zijn: zet de stap in een lijst, met zijn voorwaarde",
  "only a list of steps has an alias": "alleen een lijst van stappen heeft een alias",
  "only mails can be HTML": "alleen e-mail kan HTML zijn",
  "only users who are signed in already could pass this: add a step that asks something":
    "alleen gebruikers die al aangemeld zijn zouden hier door komen: voeg een stap toe die iets vraagt",
  "owner is not the id of a user of this realm": "owner is niet het ID van een gebruiker van deze realm",
  "ownerManagedAccess is for resources that a user owns": "ownerManagedAccess is voor resources die van een gebruiker zijn",
  "page × size may not exceed 10,000": "page × size mag niet groter zijn dan 10.000",
  "passes or not by itself, and no user can influence it: make it ALTERNATIVE":
    "slaagt vanzelf of niet, en geen gebruiker heeft daar invloed op: maak er ALTERNATIVE van",
  "passkeys.rpId must be {hostname}, which is the host of this server's address, or a domain that it is in":
    "passkeys.rpId moet {hostname} zijn, de host van het adres van deze server, of een domein waar die in ligt",
  "passwordHash has an unknown form, or needs more work than allowed":
    "passwordHash heeft een onbekende vorm, of vraagt meer rekenwerk dan toegestaan",
  "passwordPolicy.minLength may not exceed maxLength": "passwordPolicy.minLength mag niet groter zijn dan maxLength",
  "passwords would cross the network in clear text. Use ldaps://, or ldap:// with startTls":
    "wachtwoorden zouden onversleuteld over het netwerk gaan. Gebruik ldaps://, of ldap:// met startTls",
  "people may edit the attribute {attribute} (userProfile of the settings), so that it cannot be used by {by}":
    "mensen mogen het attribuut {attribute} zelf wijzigen (userProfile van de instellingen), en dan kan {by} het niet gebruiken",
  "private_key is missing or not an RSA key in PEM form": "private_key ontbreekt of is geen RSA-sleutel in PEM",
  "profile must be {least} at least: this realm's setting oidc.leastProfile is {leastProfile}":
    "profile moet minstens {least} zijn: de instelling oidc.leastProfile van deze realm is {leastProfile}",
  "project_id is missing or not an identifier": "project_id ontbreekt of is geen identifier",
  "pruning other items ({listed}) would also delete this. Keep them, or remove the connection first":
    "het opruimen van andere items ({listed}) zou dit ook verwijderen. Houd ze, of haal eerst het verband weg",
  "pruning other items ({listed}) would change its {members}. Keep them, or write the new value here":
    "het opruimen van andere items ({listed}) zou {members} hiervan wijzigen. Houd ze, of schrijf de nieuwe waarde hier",
  "redirectUri is not one of the client's http or https redirectUris":
    "redirectUri is niet een van de http- of https-redirectUris van de client",
  "redirects are not followed, so give the address where the metadata is":
    "omleidingen worden niet gevolgd, dus geef het adres waar de metadata staat",
  "registration.requireConsent can be off only if registration.requireInitialAccessToken is on":
    "registration.requireConsent kan alleen uit als registration.requireInitialAccessToken aan staat",
  "repeats too much": "herhaalt te veel",
  "requestObjectAlg {requestObjectAlg} needs a client with a secret":
    "requestObjectAlg {requestObjectAlg} heeft een client met een geheim nodig",
  "requestObjectAlg {requestObjectAlg} needs the client's public keys: jwks or jwksUri":
    "requestObjectAlg {requestObjectAlg} heeft de openbare sleutels van de client nodig: jwks of jwksUri",
  "roleNames cannot be changed here: change the group's roles": "roleNames kan hier niet worden gewijzigd: wijzig de rollen van de groep",
  "rotateRefreshTokens can be false for a public client only where requireDpop or certificateBoundTokens is true":
    "rotateRefreshTokens kan bij een openbare client alleen false zijn waar requireDpop of certificateBoundTokens true is",
  "saml.signResponse must be true where saml.signAssertion is false: an assertion without any signature proves nothing":
    "saml.signResponse moet true zijn waar saml.signAssertion false is: een assertie zonder enige handtekening bewijst niets",
  "samlName is required: the name of the attribute": "samlName is verplicht: de naam van het attribuut",
  "sample.link must be an http or https address": "sample.link moet een http- of https-adres zijn",
  "sample.{name}: there is no placeholder of that name": "sample.{name}: er is geen plaatshouder met die naam",
  "say what the step asks, or give it steps": "zeg wat de stap vraagt, of geef hem stappen",
  "schema must be {DOCUMENT_SCHEMA}": "schema moet {DOCUMENT_SCHEMA} zijn",
  "scopes are for permissions of type scope": "scopes zijn voor rechten van het type scope",
  "sealing must have salt and proof": "sealing heeft salt en proof nodig",
  "secret is required for a new source, and with any change of scheme, host or port":
    "secret is verplicht voor een nieuwe bron, en bij elke wijziging van schema, host of poort",
  "secret is required: {what}": "secret is verplicht: {what}",
  "secret is sent in a header: one line of ASCII, without a space at either end":
    "secret wordt in een header verstuurd: één regel ASCII, zonder spatie aan begin of eind",
  "secret is sent in a header: send one line of ASCII, without a space at either end":
    "secret wordt in een header verstuurd: stuur één regel ASCII, zonder spatie aan begin of eind",
  "secret must be a .p8 key: a P-256 private key in PEM form": "secret moet een .p8-sleutel zijn: een geheime P-256-sleutel in PEM",
  "secret must be one line, without control characters": "secret moet één regel zijn, zonder stuurtekens",
  "secret must be the JSON key file of a service account": "secret moet het JSON-sleutelbestand van een serviceaccount zijn",
  "secretSet cannot be changed: send a secret": "secretSet kan niet worden gewijzigd: stuur een geheim",
  "sectorIdentifierUri is needed for pairwise subjects where the redirect URIs are on several hosts":
    "sectorIdentifierUri is nodig voor paarsgewijze subjects waar de redirect-URI's op verschillende hosts staan",
  "send at least one address for authorization responses": "stuur minstens één adres voor antwoorden op aanvragen",
  "signing with HMAC needs {MIN_SIGNING_LENGTH} characters at least: send a longer one with this request":
    "ondertekenen met HMAC vraagt minstens {MIN_SIGNING_LENGTH} tekens: stuur met deze aanvraag een langer geheim",
  "sort must be one of: {known}, with - before it for descending": "sort moet een van deze zijn: {known}, met - ervoor voor aflopend",
  "stands in the document twice": "staat twee keer in het document",
  "stands twice in the header": "staat twee keer in de kopregel",
  "steps or copyFrom is required": "steps of copyFrom is verplicht",
  "subjectClaim.attribute is for the strategy attribute only": "subjectClaim.attribute is alleen voor de strategie attribute",
  "subjectClaim.attribute is needed for the strategy attribute": "subjectClaim.attribute is nodig voor de strategie attribute",
  "{MERGE_PATCH} is for PATCH: send application/json": "{MERGE_PATCH} is voor PATCH: stuur application/json",
  "{WEBHOOK_DEAD} reports a webhook that failed, and is not sent by webhook; look for it in the realm's events":
    "{WEBHOOK_DEAD} meldt een webhook die mislukte, en wordt niet per webhook verstuurd; u vindt het bij de gebeurtenissen van de realm",
  "{algMember} {alg} needs a key in jwks that it encrypts to, with the use enc or none":
    "{algMember} {alg} heeft een sleutel in jwks nodig waarvoor het versleutelt, met use enc of zonder",
  "{algMember} {alg} needs the client's public keys: jwks or jwksUri":
    "{algMember} {alg} heeft de openbare sleutels van de client nodig: jwks of jwksUri",
  "{at}logoUrl is not a valid address": "{at}logoUrl is geen geldig adres",
  "{authenticator} needs a known user: ask for the username in a step before it":
    "{authenticator} heeft een bekende gebruiker nodig: vraag de gebruikersnaam in een stap ervoor",
  "{by} name {what}: {listed}. Change or delete them first": "{by} noemen {what}: {listed}. Wijzig of verwijder ze eerst",
  "{detail} No account was found there by {ways} that could be adopted.":
    "{detail} Daar is geen account gevonden op {ways} dat kon worden overgenomen.",
  "{domain} is listed twice": "{domain} staat er twee keer",
  "{encMember} needs {algMember}: say what the key is encrypted with":
    "{encMember} heeft {algMember} nodig: zeg waarmee de sleutel wordt versleuteld",
  "{field}.kty must be one of: {join}": "{field}.kty moet een van deze zijn: {join}",
  "{field}.{member} is part of a private key: replace that key, and send the public part only":
    "{field}.{member} is een deel van een geheime sleutel: vervang die sleutel, en stuur alleen het openbare deel",
  "{field}.{member} must be a string": "{field}.{member} moet een tekst zijn",
  "{hostOf} published its discovery document.": "{hostOf} heeft zijn discoverydocument gepubliceerd.",
  "{hostOf} published no keys.": "{hostOf} heeft geen sleutels gepubliceerd.",
  "{hostOf} published the metadata of {entityId}.": "{hostOf} heeft de metadata van {entityId} gepubliceerd.",
  "{hostOf} published {length} keys.": "{hostOf} heeft {length} sleutels gepubliceerd.",
  "{join} may be used only in a realm whose setting oidc.implicitFlow is on":
    "{join} mag alleen worden gebruikt in een realm waar de instelling oidc.implicitFlow aan staat",
  "{join} may not be registered in this realm. Allowed: {allowed}":
    "{join} kan in deze realm niet worden geregistreerd. Toegestaan: {allowed}",
  "{join} may not be registered in this realm. Allowed: {known}": "{join} kan in deze realm niet worden geregistreerd. Toegestaan: {known}",
  "{join}: only a new user gets these; leave them out to update one":
    "{join}: die krijgt alleen een nieuwe gebruiker; laat ze weg om een bestaande bij te werken",
  "{length} members of the request are not valid": "{length} velden van de aanvraag zijn niet geldig",
  "{length} of {length2} steps of the clean-up failed: {failures}": "{length} van {length2} stappen van de opruiming mislukten: {failures}",
  "{member}.{index} leads to a host that this realm does not allow": "{member}.{index} leidt naar een host die deze realm niet toestaat",
  "{message} (line {line}, byte {position})": "{message} (regel {line}, byte {position})",
  "{message} (row {row}): nothing was imported": "{message} (rij {row}): er is niets geïmporteerd",
  "{missing} needs the grant type {missing2}": "{missing} heeft de grant {missing2} nodig",
  "{needs} is needed with {action}": "{needs} is nodig bij {action}",
  "{path} is set by the protocol itself; choose another name": "{path} wordt door het protocol zelf ingesteld; kies een andere naam",
  "{read} Nothing was changed, and no user was disabled for being gone.":
    "{read} Er is niets gewijzigd, en geen gebruiker is uitgeschakeld omdat die er niet meer was.",
  "{repeated} is given twice": "{repeated} is twee keer opgegeven",
  "{spellGrantType} is for confidential clients only": "{spellGrantType} is alleen voor vertrouwelijke clients",
  "{usernameAttribute} is not a valid username: it is too long or has control characters.":
    "{usernameAttribute} is geen geldige gebruikersnaam: te lang, of met stuurtekens.",
  "{us} Please correct the target; it is also tried again by itself.": "{us} Verbeter het doel; het wordt ook vanzelf opnieuw geprobeerd.",
  "{value}() is not accepted": "{value}() wordt niet aanvaard",
  "{wait} It is tried again in {minutes}.": "{wait} Over {minutes} wordt het opnieuw geprobeerd.",
  "{what}. Please try again in {seconds} second.": "{what}. Probeer het over {seconds} seconde opnieuw.",
  "{what}. Please try again in {seconds} seconds.": "{what}. Probeer het over {seconds} seconden opnieuw.",
  "{who} list this scope: {listed}. Take it from their scopes first": "{who} noemen deze scope: {listed}. Haal hem eerst uit hun scopes",
  "{who} name this group or one below it: {listed}. Change them first": "{who} noemen deze groep of een eronder: {listed}. Wijzig ze eerst",
  "{who} name this role: {listed}. Change them first": "{who} noemen deze rol: {listed}. Wijzig ze eerst",
  "{withCode} needs the grant type authorization_code": "{withCode} heeft de grant authorization_code nodig",
  "“{alias}” is a directory: name an identity provider": "“{alias}” is een directory: noem een identityprovider",
  "“{alias}” is the name of another list in this flow": "“{alias}” is de naam van een andere lijst in deze flow",
  "“{name}” is not a scope that clients may register for themselves": "“{name}” is geen scope die clients voor zichzelf mogen registreren",
  "“{realm}” is a path of the server itself; choose another name": "“{realm}” is een pad van de server zelf; kies een andere naam",
  "“{text}” is both a role of the realm and a role of a client: send the id of the role that you mean":
    "“{text}” is een rol van de realm en ook een rol van een client: stuur het ID van de rol die u bedoelt",
};

/** Dutch for sentences of the server, which `served-texts.mjs` reads from its sources. `{name}` stands for a value. */
export const servedAToH: Readonly<Record<string, string>> = {
  " Did you mean {guess}?": " Bedoelt u {guess}?",
  '"{opener}" closes nothing': '"{opener}" sluit niets',
  "A CSV body must begin with a header row": "Een CSV-bestand begint met een kopregel",
  "A JSON body is a list of users: it begins with [": "Een JSON-bestand is een lijst van gebruikers: het begint met [",
  "A SAML client with this entityId already exists in this realm": "Er is in deze realm al een SAML-client met deze entityId",
  "A SCIM target sends users of the realm elsewhere: this also needs the permission view-users":
    "Een SCIM-doel stuurt gebruikers van de realm naar elders: daarvoor is ook het recht view-users nodig",
  "A claim mapper with this name already exists in this realm": "Er is in deze realm al een claimmapper met deze naam",
  "A client has at most {MAX_MAPPERS} mappers: delete one first":
    "Een client heeft hoogstens {MAX_MAPPERS} mappers: verwijder er eerst een",
  "A client of the realm has this userId as its client id": "Een client van de realm heeft deze userId als client-ID",
  "A client scope with this name already exists in this realm": "Er is in deze realm al een clientscope met deze naam",
  "A client with this client id already exists in this realm": "Er is in deze realm al een client met dit client-ID",
  "A comma or the end of the list should stand here": "Hier hoort een komma of het einde van de lijst te staan",
  "A draft belongs to the session that made it: sign in with a browser to make one":
    "Een concept hoort bij de sessie die het maakte: meld u aan met een browser om er een te maken",
  "A flow with this alias already exists in this realm": "Er is in deze realm al een flow met deze alias",
  "A group cannot be moved below itself": "Een groep kan niet onder zichzelf worden geplaatst",
  "A line of the file is longer than 4 MB": "Een regel van het bestand is langer dan 4 MB",
  "A mapper of the directory {source} gives the user this {kind}: change the user's entry there, or the mapper":
    "Een mapper van de directory {source} geeft de gebruiker deze {kind}: wijzig de gebruiker daar, of de mapper",
  "A member's name cannot be stored": "De naam van een veld kan niet worden opgeslagen",
  "A password has at most {MAX_PASSWORD_BYTES} bytes of valid Unicode text. Please choose a shorter one.":
    "Een wachtwoord heeft hoogstens {MAX_PASSWORD_BYTES} bytes geldige Unicode-tekst. Kies een korter wachtwoord.",
  "A permission of type resource needs resources or resourceType": "Een recht van het type resource heeft resources of resourceType nodig",
  "A permission of type scope needs scopes": "Een recht van het type scope heeft scopes nodig",
  "A provider has at most {MAX_MAPPERS} mappers: delete one first":
    "Een provider heeft hoogstens {MAX_MAPPERS} mappers: verwijder er eerst een",
  "A quote is in a wrong place: inside quotes, double it (RFC 4180)":
    "Een aanhalingsteken staat op de verkeerde plaats: verdubbel het binnen aanhalingstekens (RFC 4180)",
  "A quoted field begins in this row and does not end": "Een veld tussen aanhalingstekens begint in deze rij en eindigt niet",
  'A quoted text may not hold "//"': 'Een tekst tussen aanhalingstekens mag geen "//" bevatten',
  "A realm has at most 100 custom flows: delete an unused one":
    "Een realm heeft hoogstens 100 eigen flows: verwijder er een die niet wordt gebruikt",
  "A realm with this name already exists, or is still being deleted": "Er is al een realm met deze naam, of die wordt nog verwijderd",
  "A request names one host, in one Host header": "Een aanvraag noemt één host, in één Host-header",
  "A role cannot include itself, neither directly nor through another role":
    "Een rol kan zichzelf niet bevatten, direct noch via een andere rol",
  "A role with admin permissions, its own or of a role that it includes, cannot be the default: every new user would be an administrator":
    "Een rol met beheerrechten, van zichzelf of van een rol die ze bevat, kan niet de standaardrol zijn: elke nieuwe gebruiker zou beheerder zijn",
  "A role with this name already exists in this realm": "Er is in deze realm al een rol met deze naam",
  "A row has a password or a passwordHash, not both": "Een rij heeft een password of een passwordHash, niet allebei",
  "A sync of this directory is running: wait until it has ended": "Deze directory wordt al gesynchroniseerd: wacht tot dat klaar is",
  "A template can have variants in at most 50 languages: remove one before you add another":
    "Een sjabloon kan in hoogstens 50 talen bestaan: verwijder er een voordat u er een toevoegt",
  "A time policy needs notBefore, notOnOrAfter or one of its ranges":
    "Een tijdbeleid heeft notBefore, notOnOrAfter of een van zijn bereiken nodig",
  "A user should begin here": "Hier hoort een gebruiker te beginnen",
  "A username in the form of a mail address must be your own confirmed address: choose another one":
    "Een gebruikersnaam in de vorm van een e-mailadres moet uw eigen bevestigde adres zijn: kies een andere",
  "A valid access token is needed: send it as Authorization: Bearer":
    "Er is een geldig toegangstoken nodig: stuur het als Authorization: Bearer",
  "ACCEPT_TERMS: this realm has no terms to accept": "ACCEPT_TERMS: deze realm heeft geen voorwaarden om te aanvaarden",
  "Accounts of this identity provider are not linked to users of this realm":
    "Accounts van deze identityprovider worden niet aan gebruikers van deze realm gekoppeld",
  "Aggregates may be nested {MOST_DEEP} deep": "Samengesteld beleid kan {MOST_DEEP} diep genest zijn",
  "All changes were sent.": "Alle wijzigingen zijn verstuurd.",
  "All users and groups are being compared with what was sent.": "Alle gebruikers en groepen worden vergeleken met wat er is verstuurd.",
  "An agent keeps its client: revoke it, and create another for the new client":
    "Een agent houdt zijn client: trek hem in en maak een andere voor de nieuwe client",
  "An image has at most 512 kB": "Een afbeelding is hoogstens 512 kB",
  "An import with this importId is running. Follow it, or wait until it has ended and send the file again":
    "Er loopt een import met deze importId. Volg die, of wacht tot hij klaar is en stuur het bestand opnieuw",
  "Another SCIM target of this realm has this name": "Een ander SCIM-doel van deze realm heeft deze naam",
  "Another agent is bound to this client": "Een andere agent hoort bij deze client",
  "Another agent of this realm has this name": "Een andere agent van deze realm heeft deze naam",
  "Another entry of this run has the same id.": "Een andere vermelding van deze ronde heeft hetzelfde ID.",
  "Another group beside it has this name": "Een andere groep ernaast heeft deze naam",
  "Another identity provider in this realm already has that alias": "Een andere identityprovider in deze realm heeft die alias al",
  "Another mapper of this identity provider already has that name": "Een andere mapper van deze identityprovider heeft die naam al",
  "Another organization in this realm already has that alias: send another `alias`":
    "Een andere organisatie in deze realm heeft die alias al: stuur een andere `alias`",
  "Another organization in this realm already has that name": "Een andere organisatie in deze realm heeft die naam al",
  "Another provider sends the messages of {channel} already: disable or delete that one first":
    "Een andere provider verstuurt de berichten van {channel} al: schakel die eerst uit of verwijder hem",
  "Another request continues this import, because this one was silent for a minute":
    "Een andere aanvraag zet deze import voort, omdat deze een minuut stil was",
  "Another row has this account at the identity provider": "Een andere rij heeft dit account bij de identityprovider",
  "Another user has this username or mail address.": "Een andere gebruiker heeft deze gebruikersnaam of dit e-mailadres.",
  "Another user in this realm already signs in by that name or email address":
    "Een andere gebruiker in deze realm meldt zich al aan met die naam of dat e-mailadres",
  "Another user of the realm has this userId": "Een andere gebruiker van de realm heeft deze userId",
  "Another workload credential of this realm has this issuer, subject and audience":
    "Een andere workload-inlog van deze realm heeft deze issuer, dit subject en deze audience",
  "Another workload credential of this realm has this name": "Een andere workload-inlog van deze realm heeft deze naam",
  "Applications know people here by {what}, and this account has none that can be used. An administrator can add it to the account.":
    "Applicaties kennen mensen hier aan {what}, en dit account heeft er geen die bruikbaar is. Een beheerder kan die aan het account toevoegen.",
  "Authorization policies": "Autorisatiebeleid",
  "Authorization services are not enabled for this client: PUT authz/settings with enabled: true first":
    "Autorisatiediensten staan niet aan voor deze client: stuur eerst PUT authz/settings met enabled: true",
  "Brackets do not match here": "Haakjes passen hier niet bij elkaar",
  "Changes are being sent.": "Wijzigingen worden verstuurd.",
  "Clients cannot register themselves in this realm. Its administrators can allow it":
    "Clients kunnen zich in deze realm niet zelf registreren. De beheerders kunnen dat toestaan",
  "Clients use this flow: {listed}. Give them another one first (browserFlow, directGrantFlow)":
    "Clients gebruiken deze flow: {listed}. Geef ze eerst een andere (browserFlow, directGrantFlow)",
  "Content Too Large": "De inhoud is te groot",
  "Groups can be nested at most 50 deep": "Groepen kunnen hoogstens 50 diep genest zijn",
  "Groups lie in each other more than {MAX_LEVELS} levels deep.": "Groepen liggen meer dan {MAX_LEVELS} niveaus diep in elkaar.",
  "HTML and @import may not be hidden or split": "HTML en @import mogen niet verborgen of gesplitst zijn",
  "a client that is public, or authenticates with keys or a certificate, has none":
    "een client die openbaar is, of zich met sleutels of een certificaat bewijst, heeft er geen",
  "a condition is REQUIRED or DISABLED: all conditions of a list have to hold":
    "een voorwaarde is REQUIRED of DISABLED: alle voorwaarden van een lijst moeten gelden",
  "a condition stands in a list whose requirement is CONDITIONAL": "een voorwaarde staat in een lijst die CONDITIONAL is",
  "a conditional list needs a condition that says when it is asked for":
    "een voorwaardelijke lijst heeft een voorwaarde nodig die zegt wanneer ze wordt gevraagd",
  "a device token": "een apparaattoken",
  "a flow has at most {MAX_STEPS} steps, those within lists included":
    "een flow heeft hoogstens {MAX_STEPS} stappen, die binnen lijsten meegeteld",
  "a list of steps has no config": "een lijst van stappen heeft geen config",
  "a list of steps needs a name": "een lijst van stappen heeft een naam nodig",
  "a mail needs one": "een e-mail heeft er een nodig",
  "a passkey needs credentialId and userHandle, recovery codes a list of hashes":
    "een passkey heeft credentialId en userHandle nodig, herstelcodes een lijst van hashes",
  "a plural needs the form other": "een meervoud heeft de vorm other nodig",
  "a scope must not have spaces, commas, # or invisible characters, nor be . or ..":
    "een scope heeft geen spaties, komma's, # of onzichtbare tekens, en is niet . of ..",
  "a step asks something, or is a list of steps; not both": "een stap vraagt iets, of is een lijst van stappen; niet allebei",
  "a telephone number in international form, such as +31612345678": "een telefoonnummer in internationale vorm, zoals +31612345678",
  "a user could pass this way without proving who they are": "een gebruiker zou zo door kunnen zonder te bewijzen wie die is",
  "a verified email is a login name": "een bevestigd e-mailadres is een inlognaam",
  "a {template} gets no authorization responses": "een {template} krijgt geen antwoorden op aanvragen",
  "after must be the cursor of an earlier answer": "after moet de cursor van een eerder antwoord zijn",
  "alias is required, because it cannot be derived from this name": "alias is verplicht, omdat hij niet uit deze naam is af te leiden",
  "all permissions that apply must permit": "alle rechten die van toepassing zijn, moeten toestaan",
  "an SMS has no subject: leave it out": "een sms heeft geen onderwerp: laat het weg",
  "an alternative beside required steps would never be asked: put it into a list":
    "een alternatief naast verplichte stappen zou nooit worden gevraagd: zet het in een lijst",
  "and config.metadataUrl cannot both be given": "en config.metadataUrl kunnen niet allebei worden opgegeven",
  "answered with more than is accepted.": "antwoordde met meer dan wordt aanvaard.",
  "answered {status}; redirects are not followed": "antwoordde {status}; omleidingen worden niet gevolgd",
  "are attached and detached one by one": "worden een voor een gekoppeld en ontkoppeld",
  "are changed at the client scopes themselves": "worden bij de clientscopes zelf gewijzigd",
  "as an SVG it is not valid: {message}": "als SVG is het niet geldig: {message}",
  "asked by {askedBy}": "gevraagd door {askedBy}",
  "assertionConsumerServiceUrl is required for a SAML application": "assertionConsumerServiceUrl is verplicht voor een SAML-applicatie",
  "at most one organization manages an account": "hoogstens één organisatie beheert een account",
  "attribute belongs to the strategy attribute; leave it out or send null":
    "attribute hoort bij de strategie attribute; laat het weg of stuur null",
  "attribute cannot be {attribute}: that is a member of the user, not an attribute":
    "attribute kan niet {attribute} zijn: dat is een veld van de gebruiker, geen attribuut",
  "attribute is required: the attribute with the subject": "attribute is verplicht: het attribuut met het subject",
  "attribute must be `name:value`, with a colon in the name written `\\:`":
    "attribute heeft de vorm `naam:waarde`, met een dubbele punt in de naam als `\\:`",
  "auth.{member} is required for {type}": "auth.{member} is verplicht bij {type}",
  "authMethod must be none for a public client, which cannot keep a secret or a key":
    "authMethod moet none zijn bij een openbare client, want die kan geen geheim of sleutel bewaren",
  "authMethod none is for public clients: choose another, or make publicClient true":
    "authMethod none is voor openbare clients: kies een andere, of zet publicClient op true",
  "authSigningAlg {authSigningAlg} is for client_secret_jwt": "authSigningAlg {authSigningAlg} is voor client_secret_jwt",
  "authSigningAlg {authSigningAlg} is for private_key_jwt": "authSigningAlg {authSigningAlg} is voor private_key_jwt",
  "body must be left out: this operation reads none": "body moet worden weggelaten: deze handeling leest geen inhoud",
  "cannot be changed": "kan niet worden gewijzigd",
  "cannot be changed here": "kan hier niet worden gewijzigd",
  "cannot be changed here: the user profile of this realm says who may change it":
    "kan hier niet worden gewijzigd: het gebruikersprofiel van deze realm zegt wie dat mag",
  "cannot be changed: send {member}": "kan niet worden gewijzigd: stuur {member}",
  "cannot be mapped: only single texts can, and phoneNumbers":
    "kan niet worden afgebeeld: dat kan alleen met enkele teksten, en met phoneNumbers",
  "cannot be set beside {named}: keep one of them": "kan niet naast {named} staan: houd er een van",
  "choose one at random: it needs {MIN_DISTINCT} different characters at least, and is not the client id":
    "kies er een willekeurig: het heeft minstens {MIN_DISTINCT} verschillende tekens nodig, en is niet het client-ID",
  "cibaDeliveryMode is for clients with the grant type CIBA": "cibaDeliveryMode is voor clients met de grant CIBA",
  "cibaNotificationEndpoint is needed for the mode ping: say what to call":
    "cibaNotificationEndpoint is nodig bij de manier ping: zeg wat moet worden aangeroepen",
  "claim does not name an attribute of the directory, such as departmentNumber":
    "claim noemt geen attribuut van de directory, zoals departmentNumber",
  "claim groups is for mappers of type role and group": "claim groups is voor mappers van het type role en group",
  "claim is required: value is compared with it": "claim is verplicht: value wordt ermee vergeleken",
  "claim must be up to 8 names with a dot between them, none of them empty, __proto__, constructor or prototype":
    "claim bestaat uit hoogstens 8 namen met een punt ertussen, en geen ervan is leeg, __proto__, constructor of prototype",
  "clientId is a public client, which cannot authenticate as the agent":
    "clientId is een openbare client, en die kan zich niet als de agent bewijzen",
  "clientId is required with redirectUri, because the address must belong to a client":
    "clientId is verplicht bij redirectUri, omdat het adres bij een client moet horen",
  "clientId must not hold a |, which is kept for the names of SAML applications":
    "clientId mag geen | bevatten: die is voor de namen van SAML-applicaties",
  "clientId names no enabled client of this realm": "clientId noemt geen ingeschakelde client van deze realm",
  "client_email is missing or not an address": "client_email ontbreekt of is geen adres",
  "config.baseUrl must begin with https": "config.baseUrl moet met https beginnen",
  "config.body has no use for {join}: it knows {map}": "config.body kan niets met {join}: het kent {map}",
  'config.body must be JSON once it is filled in, with every placeholder inside quotes: {"phone": "{{to}}"}':
    'config.body moet ingevuld JSON zijn, met elke plaatshouder tussen aanhalingstekens: {"phone": "{{to}}"}',
  "config.body must be one line, name=value&name=value": "config.body moet één regel zijn, naam=waarde&naam=waarde",
  "config.headers.{name} is set by the driver itself": "config.headers.{name} wordt door de driver zelf ingesteld",
  "config.secretHeader cannot be {secretHeader}: the driver sets that header itself":
    "config.secretHeader kan niet {secretHeader} zijn: de driver stelt die header zelf in",
  "config.security may be none only for a host in this server's own network":
    "config.security mag alleen none zijn voor een host in het eigen netwerk van deze server",
  "config.userSearchFilter finds one person by name, but not all people: write {0} where any value can stand, such as (uid={0})":
    "config.userSearchFilter vindt één persoon op naam, maar niet iedereen: schrijf {0} waar elke waarde kan staan, zoals (uid={0})",
  "config.username is required with a secret, which is its password":
    "config.username is verplicht bij een geheim, dat het wachtwoord ervan is",
  "could not be found, or is not a public address. Please check the spelling. An operator can allow it with GATEHOUSE_ALLOWED_HOSTS.":
    "is niet gevonden, of is geen openbaar adres. Controleer de spelling. Wie de server beheert, kan het toestaan met GATEHOUSE_ALLOWED_HOSTS.",
  "could not be reached, or broke off the conversation.": "was niet bereikbaar, of brak het gesprek af.",
  "createdAt must lie between 1970 and now": "createdAt moet tussen 1970 en nu liggen",
  "crossAppAccess.{at}.issuer is in the list already": "crossAppAccess.{at}.issuer staat al in de lijst",
  "currentPassword is not your present password": "currentPassword is niet uw huidige wachtwoord",
  "cursor must come from a Link header of this list": "cursor moet uit een Link-header van deze lijst komen",
  "cursor must come from a Link header of this list with the same sort":
    "cursor moet uit een Link-header van deze lijst met dezelfde volgorde komen",
  "did not answer in time.": "antwoordde niet op tijd.",
  "does not belong to spDecryptionPrivateKey": "hoort niet bij spDecryptionPrivateKey",
  "does not belong to spSigningPrivateKey": "hoort niet bij spSigningPrivateKey",
  "does not belong to the private key": "hoort niet bij de geheime sleutel",
  "does not belong to the public key": "hoort niet bij de openbare sleutel",
  "does not have the form that this realm asks for": "heeft niet de vorm die deze realm vraagt",
  "does not name an attribute, such as mail": "noemt geen attribuut, zoals mail",
  "does not name this key": "noemt deze sleutel niet",
  "ends with a \\": "eindigt met een \\",
  "enforcement is disabled": "handhaving staat uit",
  "eventTypes must name at least one event type, a category (AUTHN, ADMIN, SECURITY), or * for everything":
    "eventTypes moet minstens één soort gebeurtenis noemen, een categorie (AUTHN, ADMIN, SECURITY) of * voor alles",
  "every step is disabled: no user could sign in": "elke stap is uitgeschakeld: geen gebruiker zou zich kunnen aanmelden",
  "expiresAt lies in the past": "expiresAt ligt in het verleden",
  "follows from the secret: send a secret, or null to clear it": "volgt uit het geheim: stuur een geheim, of null om het te wissen",
  "for this user": "voor deze gebruiker",
  "fromAddress is required, unless config.messagingServiceSid picks the sender":
    "fromAddress is verplicht, tenzij config.messagingServiceSid de afzender kiest",
  "fromAddress is required: it is the sender of messages": "fromAddress is verplicht: het is de afzender van berichten",
  "fromAddress must be a number such as +31612345678, or a name of 2 to 11 letters and digits":
    "fromAddress moet een nummer zijn zoals +31612345678, of een naam van 2 tot 11 letters en cijfers",
  "fromAddress must be one email address, such as no-reply@example.com":
    "fromAddress moet één e-mailadres zijn, zoals no-reply@example.com",
  "has \\{char}, which is not known here": "heeft \\{char}, en dat is hier niet bekend",
  "has a ) without its start": "heeft een ) zonder begin",
  "has a [ without its end": "heeft een [ zonder einde",
  "has a group that looks ahead or behind, or is named: use plain groups":
    "heeft een groep die voor- of achteruitkijkt of een naam heeft: gebruik gewone groepen",
  "has a group without its end": "heeft een groep zonder einde",
  "has a range in [] whose end is before its start": "heeft een bereik in [] waarvan het einde voor het begin ligt",
  "has a { that is not {n}, {n,} or {n,m}: write \\{ for the character":
    "heeft een { die niet {n}, {n,} of {n,m} is: schrijf \\{ voor het teken",
  "has a {char} inside: it always matches the whole value": "heeft binnenin een {char}: het past altijd op de hele waarde",
  "has a {char} that repeats or closes nothing": "heeft een {char} dat niets herhaalt of sluit",
  "has groups that are nested too deeply": "heeft groepen die te diep genest zijn",
  "has no certificate that this server trusts for that name.": "heeft geen certificaat dat deze server voor die naam vertrouwt.",
  "has no name": "heeft geen naam",
  "has no name that an attribute can have": "heeft geen naam die een attribuut kan hebben",
  "has one value, not several": "heeft één waarde, niet meer",
  "has the form ldaps://host:636 or ldap://host:389, with nothing else":
    "heeft de vorm ldaps://host:636 of ldap://host:389, met niets erbij",
  "has the wrong form": "heeft niet de juiste vorm",
  "has two quantifiers in a row": "heeft twee herhalingstekens achter elkaar",
  "has {n,m} with m below n": "heeft {n,m} met m kleiner dan n",
  "holds more than 10 certificates": "bevat meer dan 10 certificaten",
  "holds more than one certificate: send one": "bevat meer dan één certificaat: stuur er een",
  "{hostOf} answered with status {status}.": "{hostOf} antwoordde met status {status}.",
  "{hostOf} could not be reached.": "{hostOf} was niet bereikbaar.",
  "{hostOf} did not answer with a JSON object.": "{hostOf} antwoordde niet met een JSON-object.",
  "{host} answers, with TLS.": "{host} antwoordt, met TLS.",
  "{host} answers, without TLS.": "{host} antwoordt, zonder TLS.",
  "{host} could not be reached.": "{host} was niet bereikbaar.",
  "{range}End needs {range2}": "{range}End heeft {range2} nodig",
  "{read} {synced} entries were dealt with, and no user was disabled for being gone.":
    "{read} {synced} vermeldingen zijn verwerkt, en geen gebruiker is uitgeschakeld omdat die er niet meer was.",
  "{value} holds a NUL or half of a surrogate pair, which cannot be stored":
    "{value} bevat een NUL of een half surrogaatpaar, en dat kan niet worden opgeslagen",
  "{withToken} gives tokens that are not bound, which {member} refuses":
    "{withToken} geeft tokens die niet gebonden zijn, en dat weigert {member}",
};

/** Dutch for sentences of the server, which `served-texts.mjs` reads from its sources. `{name}` stands for a value. */
export const servedTToZ: Readonly<Record<string, string>> = {
  " The first {MAX_LISTED} of {length} are listed.": " De eerste {MAX_LISTED} van {length} staan er.",
  " There are {join}.": " Er zijn {join}.",
  ", with the second factor": ", met de tweede factor",
  "That URL": "Die URL",
  "That account at the identity provider is already linked to another user":
    "Dat account bij de identityprovider is al aan een andere gebruiker gekoppeld",
  "That host": "Die host",
  "That is not the number on the other screen: type the number that it shows":
    "Dat is niet het getal op het andere scherm: typ het getal dat daar staat",
  "That user is not a member of this group": "Die gebruiker is geen lid van deze groep",
  "That was not the number on the other screen either. To be safe, the sign-in was stopped. Start it again":
    "Dat was ook niet het getal op het andere scherm. Voor de zekerheid is de aanmelding gestopt. Begin opnieuw",
  "The ACTIVE key is in use and cannot be deleted: rotate the keys first":
    "De sleutel die ACTIVE is, is in gebruik en kan niet worden verwijderd: vernieuw eerst de sleutels",
  "The DNS query for this domain failed: try again in a moment": "De DNS-vraag naar dit domein mislukte: probeer het zo opnieuw",
  "The account already comes from this source": "Het account komt al uit deze bron",
  "The account is managed by another organization: set its membership there to `managed: false` first":
    "Het account wordt beheerd door een andere organisatie: zet het lidmaatschap daar eerst op `managed: false`",
  "The account that matches belongs to another user or group of this realm.":
    "Het account dat overeenkomt, hoort bij een andere gebruiker of groep van deze realm.",
  "The account that matches cannot be changed: it is not found by its id.":
    "Het account dat overeenkomt, kan niet worden gewijzigd: het is niet te vinden aan zijn ID.",
  "The agent has expired: set a later expiresAt first": "De agent is verlopen: stel eerst een latere expiresAt in",
  "The agent has no client: bind it to one first": "De agent heeft geen client: koppel hem er eerst aan een",
  "The agent has no enabled owner: name a responsible user first":
    "De agent heeft geen ingeschakelde eigenaar: noem eerst een gebruiker die verantwoordelijk is",
  "The agent is in a state that does not allow this": "De toestand van de agent staat dit niet toe",
  "The agent is {status}, which does not allow this; {moves}": "De agent is {status}, en dat staat dit niet toe; {moves}",
  "The answer is no list of SCIM: is the address right?": "Het antwoord is geen lijst van SCIM: klopt het adres?",
  "The answer to {path} is no SCIM: is the address right?": "Het antwoord op {path} is geen SCIM: klopt het adres?",
  "The attribute {attribute} is used by {by}: only a holder of manage-users decides which provider may write it":
    "Het attribuut {attribute} wordt gebruikt door {by}: alleen wie manage-users heeft, beslist welke provider het mag schrijven",
  "The body ends before the list does": "De inhoud eindigt eerder dan de lijst",
  "The body ends inside this row": "De inhoud eindigt binnen deze rij",
  "The body is empty or shorter than announced": "De inhoud is leeg of korter dan aangekondigd",
  "The body is empty: send a document": "De inhoud is leeg: stuur een document",
  "The body is empty: send the exported files of the other system":
    "De inhoud is leeg: stuur de geëxporteerde bestanden van het andere systeem",
  "The body is empty: send the users to import": "De inhoud is leeg: stuur de gebruikers die u wilt importeren",
  "The body is encoded as UTF-16: save it as UTF-8 and send it again":
    "De inhoud is in UTF-16: sla het bestand op als UTF-8 en stuur het opnieuw",
  "The body is larger than this endpoint accepts": "De inhoud is groter dan hier wordt aanvaard",
  "The body is not valid JSON, or uses a forbidden name such as __proto__":
    "De inhoud is geen geldige JSON, of gebruikt een verboden naam zoals __proto__",
  "The body is not valid UTF-8": "De inhoud is geen geldige UTF-8",
  "The client already has a permission with this name": "De client heeft al een recht met deze naam",
  "The client already has a policy with this name": "De client heeft al een beleid met deze naam",
  "The client already has an authorization scope with this name": "De client heeft al een autorisatiescope met deze naam",
  "The client already has the maximum number of them": "De client heeft er al het grootste toegestane aantal van",
  "The client has no authorization scope “{scope}”: create it first": "De client heeft geen autorisatiescope “{scope}”: maak die eerst",
  "The client has no policy “{policy}”": "De client heeft geen beleid “{policy}”",
  "The client has no policy “{unknown}”": "De client heeft geen beleid “{unknown}”",
  "The client has no resource “{each}” of its own": "De client heeft geen eigen resource “{each}”",
  "The client, or that owner, already has a resource with this name": "De client, of die eigenaar, heeft al een resource met deze naam",
  "The column “{field}” {why}": "De kolom “{field}” {why}",
  "The configuration is larger than 64 MB": "De configuratie is groter dan 64 MB",
  "The content type of a form names its boundary": "Het contenttype van een formulier noemt zijn boundary",
  "The database cannot be reached; try again shortly": "De database is niet bereikbaar; probeer het zo opnieuw",
  "The database refuses this row: a value is out of range": "De database weigert deze rij: een waarde ligt buiten het bereik",
  "The device's proof is not valid: it has to be signed by an enrolled key, for this very address, less than a minute ago":
    "Het bewijs van het apparaat is niet geldig: het moet ondertekend zijn met een aangemelde sleutel, voor dit adres en minder dan een minuut geleden",
  "The directory accepts bindDn and bindPassword.": "De directory aanvaardt bindDn en bindPassword.",
  "The directory could not be read.": "De directory kon niet worden gelezen.",
  "The directory does not let this password be changed from here: ask its administrator":
    "Dit wachtwoord mag van de directory niet van hieruit worden gewijzigd: vraag het de beheerder ervan",
  "The directory has more than one entry with that name: restrict its userSearchFilter":
    "De directory heeft meer dan één vermelding met die naam: beperk userSearchFilter",
  "The directory has no entry with that name: send another name in `entry`":
    "De directory heeft geen vermelding met die naam: stuur een andere naam in `entry`",
  "The discovery document of {hostOf} has no {member} that can be called.":
    "Het discoverydocument van {hostOf} heeft geen {member} dat aan te roepen is.",
  "The discovery document of {hostOf} names another issuer than config.issuer.":
    "Het discoverydocument van {hostOf} noemt een andere issuer dan config.issuer.",
  "The distinguished name has more than {MAX_DN} characters.": "De distinguished name heeft meer dan {MAX_DN} tekens.",
  "The document goes on with nothing in it": "Het document gaat verder zonder inhoud",
  "The document has to end after its users: `users` is its last member":
    "Het document moet eindigen na de gebruikers: `users` is het laatste veld",
  "The document has {length} faults, and nothing was changed. First: {message}":
    "Het document heeft {length} fouten, en er is niets gewijzigd. De eerste: {message}",
  "The domain {domains} belongs to another organization in this realm":
    "Het domein {domains} hoort bij een andere organisatie in deze realm",
  "The enrollment token is not valid, was used already, or has expired: ask for a new one":
    "Het token om een apparaat aan te melden is niet geldig, al gebruikt of verlopen: vraag een nieuw",
  "The entry cannot be a user: {message}": "De vermelding kan geen gebruiker zijn: {message}",
  "The entry does not have exactly one {idAttribute}, which identifies it.":
    "De vermelding heeft niet precies één {idAttribute}, waaraan ze te herkennen is.",
  "The entry has no {usernameAttribute} for the username.": "De vermelding heeft geen {usernameAttribute} voor de gebruikersnaam.",
  "The event of this delivery was deleted, so there is nothing to send":
    "De gebeurtenis van deze bezorging is verwijderd, dus er is niets te versturen",
  "The events of the deleted realm wait to be forwarded": "De gebeurtenissen van de verwijderde realm wachten op doorsturen",
  "The extensions of the chunks are larger than accepted": "De uitbreidingen van de chunks zijn groter dan aanvaard",
  "The file is not valid UTF-8": "Het bestand is geen geldige UTF-8",
  "The files are not a known export: name their origin with ?source=":
    "De bestanden zijn geen bekende export: noem de herkomst met ?source=",
  "The first entry has an id and a username and a mail address.":
    "De eerste vermelding heeft een ID, een gebruikersnaam en een e-mailadres.",
  "The first entry has an id and a username, and no mail address.":
    "De eerste vermelding heeft een ID en een gebruikersnaam, en geen e-mailadres.",
  "The first rows are not those that were imported under this importId. Send the same file again, or take another importId":
    "De eerste rijen zijn niet die van de import met deze importId. Stuur hetzelfde bestand opnieuw, of neem een andere importId",
  "The form ends before its last part does": "Het formulier eindigt voor zijn laatste deel",
  "The group that matches cannot be changed: it is not found by its id.":
    "De groep die overeenkomt, kan niet worden gewijzigd: ze is niet te vinden aan haar ID.",
  "The group was deleted at the target while its members were sent.":
    "De groep is bij het doel verwijderd terwijl haar leden werden verstuurd.",
  "The groups that mappers name have more than {MAX_MEMBERS} members.":
    "De groepen die mappers noemen, hebben meer dan {MAX_MEMBERS} leden.",
  "The head of a part of the form is too long": "De kop van een deel van het formulier is te lang",
  "The header row has at most {MOST_COLUMNS} columns": "De kopregel heeft hoogstens {MOST_COLUMNS} kolommen",
  "The header row of the CSV cannot be read": "De kopregel van de CSV kan niet worden gelezen",
  "The headers are larger than 16 KiB together: send fewer or shorter cookies":
    "De headers zijn samen groter dan 16 KiB: stuur minder of kortere cookies",
  "The identity provider did not refresh the token: try again in a moment":
    "De identityprovider heeft het token niet vernieuwd: probeer het zo opnieuw",
  "The identity provider of this account supplied {join}: it cannot be changed here":
    "De identityprovider van dit account gaf {join}: dat kan hier niet worden gewijzigd",
  "The identity provider was changed or disabled in the meantime: sign in again":
    "De identityprovider is intussen gewijzigd of uitgeschakeld: meld u opnieuw aan",
  "The image cannot be used: {reason}": "De afbeelding is niet bruikbaar: {reason}",
  "The invitation has already been used": "De uitnodiging is al gebruikt",
  "The invitation has expired": "De uitnodiging is verlopen",
  "The message cannot be addressed: a recipient of {channel} is {recipientForm}":
    "Het bericht kan niet worden geadresseerd: een ontvanger van {channel} is {recipientForm}",
  "The message would have expired before it could be sent": "Het bericht zou verlopen zijn voordat het kon worden verstuurd",
  "The metadata describes an identity provider: a SAML client is a service provider":
    "De metadata beschrijft een identityprovider: een SAML-client is een serviceprovider",
  "The metadata describes {length} service providers: say by entityId which one is meant.{more}":
    "De metadata beschrijft {length} serviceproviders: zeg met entityId welke u bedoelt.{more}",
  "The number of accounts that wait for a confirmation has changed: read the status again":
    "Het aantal accounts dat op bevestiging wacht is veranderd: lees de status opnieuw",
  "The organization is disabled: enable it before you invite users":
    "De organisatie is uitgeschakeld: schakel haar in voordat u gebruikers uitnodigt",
  "The parameters are larger than 1 MB": "De parameters zijn groter dan 1 MB",
  "The passphrase does not open the secrets of this document: nothing was changed":
    "De wachtwoordzin opent de geheimen van dit document niet: er is niets gewijzigd",
  "The password does not follow the policy: {map}": "Het wachtwoord voldoet niet aan het beleid: {map}",
  "The password of this user is kept in a directory: change it there":
    "Het wachtwoord van deze gebruiker staat in een directory: wijzig het daar",
  "The password was changed a short while ago, and the directory does not accept another change yet: try again later":
    "Het wachtwoord is kort geleden gewijzigd, en de directory aanvaardt nog geen nieuwe wijziging: probeer het later",
  "The password was changed at the same moment by another request. Please check whether your change is still needed":
    "Een andere aanvraag wijzigde het wachtwoord op hetzelfde moment. Kijk of uw wijziging nog nodig is",
  "The policies include each other: {join}": "De beleidsregels bevatten elkaar: {join}",
  "The property {value} is not accepted": "De eigenschap {value} wordt niet aanvaard",
  "The provider": "De provider",
  "The provider answered with an error.": "De provider antwoordde met een fout.",
  "The provider asks to send less.": "De provider vraagt om minder te versturen.",
  "The provider could not be reached.": "De provider was niet bereikbaar.",
  "The provider did not accept the credentials.": "De provider aanvaardde de inloggegevens niet.",
  "The provider did not accept the message.": "De provider aanvaardde het bericht niet.",
  "The provider did not accept the recipient.": "De provider aanvaardde de ontvanger niet.",
  "The provider did not answer in time.": "De provider antwoordde niet op tijd.",
  "The provider offers no encrypted connection that this server trusts.":
    "De provider biedt geen versleutelde verbinding die deze server vertrouwt.",
  "The provider took too long to answer.": "De provider antwoordde niet op tijd.",
  "The provider {driver} sends the messages of {channel} already: disable or delete that one first":
    "De provider {driver} verstuurt de berichten van {channel} al: schakel die eerst uit of verwijder hem",
  "The realm `master` administers all other realms and cannot be deleted":
    "De realm `master` beheert alle andere realms en kan niet worden verwijderd",
  "The realm has changed since this plan was made: make a new plan and check it":
    "De realm is gewijzigd sinds dit plan werd gemaakt: maak een nieuw plan en controleer het",
  "The realm has no such image": "De realm heeft deze afbeelding niet",
  "The record exists in a version that `If-None-Match` excludes: nothing was changed":
    "Het record heeft een versie die `If-None-Match` uitsluit: er is niets gewijzigd",
  "The record has changed since you read it: read it again and repeat your change":
    "Het record is gewijzigd sinds u het las: lees het opnieuw en herhaal uw wijziging",
  "The request took too long to arrive; send it again": "De aanvraag deed er te lang over om aan te komen; stuur haar opnieuw",
  "The resource has no scope “{unknown}”": "De resource heeft geen scope “{unknown}”",
  "The row has {length} fields where the header has {length2}": "De rij heeft {length} velden en de kopregel {length2}",
  "The row holds a NUL, which cannot be stored": "De rij bevat een NUL, en die kan niet worden opgeslagen",
  "The row is larger than 1 MB": "De rij is groter dan 1 MB",
  "The row is nested too deeply": "De rij is te diep genest",
  "The row is not valid JSON in UTF-8, or uses a forbidden name such as __proto__":
    "De rij is geen geldige JSON in UTF-8, of gebruikt een verboden naam zoals __proto__",
  "The row is not valid UTF-8": "De rij is geen geldige UTF-8",
  "The server is busy at this moment. Please try again in a few seconds.":
    "De server heeft het op dit moment druk. Probeer het over een paar seconden opnieuw.",
  "The server stopped during the sync.": "De server stopte tijdens de synchronisatie.",
  "The service provider has no AssertionConsumerService for HTTP-POST or HTTP-Artifact":
    "De serviceprovider heeft geen AssertionConsumerService voor HTTP-POST of HTTP-Artifact",
  "The session that requested this link has ended or no longer allows it: sign in and request another link":
    "De sessie die om deze link vroeg, is geëindigd of staat dit niet meer toe: meld u aan en vraag een nieuwe link",
  "The style sheet holds control characters or broken Unicode": "Het stijlblad bevat stuurtekens of kapotte Unicode",
  "The style sheet is larger than 64 KiB": "Het stijlblad is groter dan 64 KiB",
  "The target accepts our credentials.": "Het doel aanvaardt onze inloggegevens.",
  "The target answered a creation without an id, and does not find what was created.":
    "Het doel beantwoordde het aanmaken zonder ID, en vindt niet wat is gemaakt.",
  "The target answered {status}.": "Het doel antwoordde {status}.",
  "The target answered {status}: redirects are not followed.": "Het doel antwoordde {status}: omleidingen worden niet gevolgd.",
  "The target answered {status}: {text}": "Het doel antwoordde {status}: {text}",
  "The target answers.": "Het doel antwoordt.",
  "The target asked us to wait ({status}).": "Het doel vroeg ons te wachten ({status}).",
  "The target asked us to wait.": "Het doel vroeg ons te wachten.",
  "The target does not accept our credentials": "Het doel aanvaardt onze inloggegevens niet",
  "The target does not let us in": "Het doel laat ons niet toe",
  "The target has errors of its own.": "Het doel heeft zelf fouten.",
  "The target has no secret. Please set it.": "Het doel heeft geen geheim. Stel het in.",
  "The target has no secret: set it first": "Het doel heeft geen geheim: stel het eerst in",
  "The target has {length} that match by {by}: please remove all but one.":
    "Bij het doel komen er {length} overeen op {by}: verwijder ze op een na.",
  "The target is disabled: enable it first": "Het doel is uitgeschakeld: schakel het eerst in",
  "The target is disabled: nothing is sent.": "Het doel is uitgeschakeld: er wordt niets verstuurd.",
  "The target lists its {name}.": "Het doel geeft een lijst van zijn {name}.",
  "The target refuses us.": "Het doel weigert ons.",
  "The template has {length} faults: see errors": "Het sjabloon heeft {length} fouten: zie errors",
  "The token endpoint answered {status}.": "Het tokeneindpunt antwoordde {status}.",
  "The token endpoint gives no token: it answered {status}.": "Het tokeneindpunt geeft geen token: het antwoordde {status}.",
  "The token of the identity provider has expired and cannot be refreshed: sign in with that provider again":
    "Het token van de identityprovider is verlopen en kan niet worden vernieuwd: meld u opnieuw aan bij die provider",
  "The user does not have this role": "De gebruiker heeft deze rol niet",
  "The user does not have this role directly, so it cannot be removed here":
    "De gebruiker heeft deze rol niet direct, dus ze kan hier niet worden weggenomen",
  "The user with this email address is already a member": "De gebruiker met dit e-mailadres is al lid",
  "The value": "De waarde",
  "There are groups below groupSearchBase.": "Er zijn groepen onder groupSearchBase.",
  "There are no accounts at providers here": "Hier zijn geen accounts bij providers",
  "There are no stored tokens of this identity provider for this user":
    "Er zijn geen bewaarde tokens van deze identityprovider voor deze gebruiker",
  "There are not that many": "Zo veel zijn er niet",
  "There are users below userSearchBase.": "Er zijn gebruikers onder userSearchBase.",
  "There is no TXT record {recordName} with the value {recordValue}: publish it, wait until the DNS shows it, and try again":
    "Er is geen TXT-record {recordName} met de waarde {recordValue}: publiceer het, wacht tot de DNS het toont en probeer het opnieuw",
  "There is no claim mapper “{name}” in this realm": "Er is geen claimmapper “{name}” in deze realm",
  "There is no client scope “{scope}” in this realm": "Er is geen clientscope “{scope}” in deze realm",
  "There is no consent for this application": "Er is geen toestemming voor deze applicatie",
  "There is no group with this id in the realm": "Er is geen groep met dit ID in de realm",
  "There is no group {path} above this one": "Er is geen groep {path} hierboven",
  "There is no group “{text}” in this realm. A group is named by its path, as in /Sales/Europe, or by its id":
    "Er is geen groep “{text}” in deze realm. Een groep wordt genoemd met haar pad, zoals /Sales/Europe, of met haar ID",
  "There is no identity provider “{alias}” in this realm": "Er is geen identityprovider “{alias}” in deze realm",
  "There is no organization with this id in the realm": "Er is geen organisatie met dit ID in de realm",
  "There is no role “{name}” in this realm": "Er is geen rol “{name}” in deze realm",
  "There is no role “{name}” {where}": "Er is geen rol “{name}” {where}",
  "There is no role “{text}” in this realm. A client's role is named with its client, as in shop/manager":
    "Er is geen rol “{text}” in deze realm. De rol van een client wordt met haar client genoemd, zoals shop/manager",
  "There is no section “{wrong}”.{didYouMean}": "Er is geen onderdeel “{wrong}”.{didYouMean}",
  "There is no such message, or no variant of it in that language": "Dit bericht is er niet, of niet in die taal",
  "There is no such user or client in this realm": "Deze gebruiker of client is er niet in deze realm",
  "There is no time zone “{timeZone}”. Send a name such as Europe/Oslo":
    "Er is geen tijdzone “{timeZone}”. Stuur een naam zoals Europe/Amsterdam",
  "There is no user “{owner}” in this realm": "Er is geen gebruiker “{owner}” in deze realm",
  "There is no {replace} “{name}” in this realm": "Er is geen {replace} “{name}” in deze realm",
  "There is no {what} in this realm": "Er is geen {what} in deze realm",
  "There is none that can be used.": "Er is er geen die bruikbaar is.",
  "There is nothing at this address": "Op dit adres is niets",
  "These domains belong to other organizations in this realm: {join}": "Deze domeinen horen bij andere organisaties in deze realm: {join}",
  "This SAML client already has a mapper with this name": "Deze SAML-client heeft al een mapper met deze naam",
  "This address takes {allow}": "Dit adres kent {allow}",
  "This also needs the permission view-users": "Hiervoor is ook het recht view-users nodig",
  "This asks for a sign-in within the last 10 minutes{how}: sign in again, then repeat it":
    "Dit vraagt om een aanmelding in de laatste 10 minuten{how}: meld u opnieuw aan en herhaal het",
  "This browser is the one that is signing in: answer on another device":
    "Dit is de browser die zich aanmeldt: antwoord op een ander apparaat",
  "This client already has a mapper with this name": "Deze client heeft al een mapper met deze naam",
  "This client already has a role with this name": "Deze client heeft al een rol met deze naam",
  "This client has no secret: it is public, or it authenticates with keys or a certificate":
    "Deze client heeft geen geheim: hij is openbaar, of bewijst zich met sleutels of een certificaat",
  "This client has no service account: allow it the grant type client_credentials first":
    "Deze client heeft geen serviceaccount: sta hem eerst de grant client_credentials toe",
  "This client has no such authorization scope": "Deze client heeft deze autorisatiescope niet",
  "This client has no such permission": "Deze client heeft dit recht niet",
  "This client has no such policy": "Deze client heeft dit beleid niet",
  "This client has no such resource": "Deze client heeft deze resource niet",
  "This client scope does not include that claim": "Deze clientscope bevat die claim niet",
  "This client was disabled by an administrator of the realm": "Deze client is uitgeschakeld door een beheerder van de realm",
  "This content type is not accepted here: send application/json, or a form where one is asked for":
    "Dit contenttype wordt hier niet aanvaard: stuur application/json, of een formulier waar daarom wordt gevraagd",
  "This device is not registered with the provider that sends push messages: register it again":
    "Dit apparaat is niet bekend bij de provider die pushberichten verstuurt: meld het opnieuw aan",
  "This directory is disabled: enable it first": "Deze directory is uitgeschakeld: schakel haar eerst in",
  "This document has sealed secrets: send its passphrase in the header Export-Passphrase":
    "Dit document heeft verzegelde geheimen: stuur de wachtwoordzin in de header Export-Passphrase",
  "This group does not grant that role itself": "Deze groep geeft die rol niet zelf",
  "This is a built-in flow: you can change it, but neither rename nor delete it":
    "Dit is een ingebouwde flow: u kunt hem wijzigen, maar niet hernoemen of verwijderen",
  "This is not a valid HTTP request": "Dit is geen geldige HTTP-aanvraag",
  "This is the last credential with which you can sign in: add another before you remove it":
    "Dit is het laatste inlogmiddel waarmee u zich kunt aanmelden: voeg een ander toe voordat u het verwijdert",
  "This is the last way to sign in: set a password, or link another account, before you remove it":
    "Dit is de laatste manier om u aan te melden: stel een wachtwoord in of koppel een ander account voordat u het verwijdert",
  "This is the realm's default role: make another the default first":
    "Dit is de standaardrol van de realm: maak eerst een andere de standaard",
  "This link has already been used or has expired: request another one": "Deze link is al gebruikt of verlopen: vraag een nieuwe",
  "This push token belongs to another account: remove the device there first, or enroll without a push token":
    "Dit pushtoken hoort bij een ander account: verwijder het apparaat daar eerst, of meld het aan zonder pushtoken",
  "This realm cannot send messages by {channel} yet: an administrator has to configure and enable a provider for that channel":
    "Deze realm kan nog geen berichten per {channel} versturen: een beheerder moet een provider voor dat kanaal instellen en inschakelen",
  "This realm does not override that template: the built-in text is already used":
    "Deze realm heeft geen eigen tekst voor dat sjabloon: de ingebouwde wordt al gebruikt",
  "This realm does not show the secrets of its clients: make a new one instead, or change the setting clientSecretReveal":
    "Deze realm toont de geheimen van zijn clients niet: maak een nieuw, of wijzig de instelling clientSecretReveal",
  "This realm has no identity provider “{alias}” for sign-ins": "Deze realm heeft geen identityprovider “{alias}” om mee aan te melden",
  "This realm has turned the message “{key}” off: an administrator can enable its template":
    "Deze realm heeft het bericht “{key}” uitgezet: een beheerder kan het sjabloon inschakelen",
  "This request was already answered or has ended: start the sign-in again":
    "Deze aanvraag is al beantwoord of geëindigd: begin de aanmelding opnieuw",
  "This scope is part of the protocol and cannot be deleted. To keep it from a client, list the client's scopes":
    "Deze scope hoort bij het protocol en kan niet worden verwijderd. Noem de scopes van een client om hem die te onthouden",
  "This sync seemed dead, so another sync replaced it": "Deze synchronisatie leek gestopt, dus een andere nam haar plaats in",
  "This target knows no such user or group": "Dit doel kent deze gebruiker of groep niet",
  "This target takes the confirmed address as userName, and the user has none.":
    "Dit doel neemt het bevestigde adres als userName, en de gebruiker heeft er geen.",
  "This user comes from the directory {source}: change {join} there": "Deze gebruiker komt uit de directory {source}: wijzig {join} daar",
  "This user has no email address: add one first": "Deze gebruiker heeft geen e-mailadres: voeg er eerst een toe",
  "This user has no such credential": "Deze gebruiker heeft dit inlogmiddel niet",
  "This user is already linked to another account at that identity provider: remove that link first":
    "Deze gebruiker is al gekoppeld aan een ander account bij die identityprovider: verwijder die koppeling eerst",
  "This user is disabled or locked and cannot follow a link: enable or unlock the user first":
    "Deze gebruiker is uitgeschakeld of geblokkeerd en kan geen link volgen: schakel de gebruiker eerst in of hef de blokkade op",
  "This user is disabled or locked, and cannot be signed in: enable or unlock the user first":
    "Deze gebruiker is uitgeschakeld of geblokkeerd en kan niet worden aangemeld: schakel de gebruiker eerst in of hef de blokkade op",
  "This user is no longer in their directory, so there is no password to change":
    "Deze gebruiker staat niet meer in de directory, dus er is geen wachtwoord te wijzigen",
  "This user is not a member of the organization": "Deze gebruiker is geen lid van de organisatie",
  "This user is not linked to that identity provider": "Deze gebruiker is niet aan die identityprovider gekoppeld",
  "This user's email address is not confirmed: confirm it first, or add VERIFY_EMAIL to `actions`, so that following the link confirms it":
    "Het e-mailadres van deze gebruiker is niet bevestigd: bevestig het eerst, of zet VERIFY_EMAIL bij `actions`, zodat het volgen van de link het bevestigt",
  "This username is kept for the server: the audit trail has it for another kind of actor":
    "Deze gebruikersnaam is voor de server: het auditlog gebruikt hem voor een ander soort handelende",
  "This webhook has no such delivery": "Deze webhook heeft deze bezorging niet",
  "This would grant permissions that you do not hold, or control over a user or client that holds them":
    "Hiermee zou u rechten geven die u zelf niet hebt, of macht over een gebruiker of client die ze heeft",
  "This would leave the realm without an enabled administrator who holds realm-admin":
    "Hierna zou de realm geen ingeschakelde beheerder met realm-admin meer hebben",
  "Too many messages were sent {who}. Please try again in {seconds} second.":
    "Er zijn te veel berichten verstuurd {who}. Probeer het over {seconds} seconde opnieuw.",
  "Too many messages were sent {who}. Please try again in {seconds} seconds.":
    "Er zijn te veel berichten verstuurd {who}. Probeer het over {seconds} seconden opnieuw.",
  "Too many people are signing in at this moment. Please try again in a few seconds.":
    "Er melden zich op dit moment te veel mensen aan. Probeer het over een paar seconden opnieuw.",
  "Too many requests. Please try again in {seconds} second.": "Te veel aanvragen. Probeer het over {seconds} seconde opnieuw.",
  "Too many requests. Please try again in {seconds} seconds.": "Te veel aanvragen. Probeer het over {seconds} seconden opnieuw.",
  "Users are linked by this provider, and another {map} would mistake one person for another: create a provider with another alias instead":
    "Via deze provider zijn gebruikers gekoppeld, en een andere {map} zou de een voor de ander aanzien: maak in plaats daarvan een provider met een andere alias",
  "Users are linked to accounts of {entityId}: send it as config.idpEntityId, so that metadata of another provider is refused":
    "Er zijn gebruikers gekoppeld aan accounts van {entityId}: stuur dat als config.idpEntityId, zodat metadata van een andere provider wordt geweigerd",
  "Workload credentials": "Workload-inloggegevens",
  "You are already this user: choose another user": "U bent deze gebruiker al: kies een andere",
  "You cannot delete, disable or lock yourself: ask another administrator":
    "U kunt uzelf niet verwijderen, uitschakelen of blokkeren: vraag het een andere beheerder",
  "You do not hold the permission that this action needs": "U hebt het recht niet dat deze handeling nodig heeft",
  "You have no such request: it may have ended, or belong to another user":
    "U hebt deze aanvraag niet: ze is misschien geëindigd, of van een andere gebruiker",
  "You have not shared this resource in this way": "U hebt deze resource niet zo gedeeld",
  "You have the maximum number of devices: remove one first": "U hebt het grootste toegestane aantal apparaten: verwijder er eerst een",
  "You lack permissions that this needs: {map}": "U mist rechten die hiervoor nodig zijn: {map}",
  "You sign in with this: set a password, or add a passkey, before you remove it":
    "Hiermee meldt u zich aan: stel een wachtwoord in of voeg een passkey toe voordat u het verwijdert",
  "You signed in here with a password or an identity provider alone: sign in on this device with a second factor, or use an enrolled device":
    "U hebt zich hier alleen met een wachtwoord of een identityprovider aangemeld: meld u op dit apparaat aan met een tweede factor, of gebruik een aangemeld apparaat",
  "Your account comes from this directory: only an administrator can unlink it":
    "Uw account komt uit deze directory: alleen een beheerder kan het ontkoppelen",
  "Your session has proven less than signing in to this realm asks of you: sign in again, then repeat it":
    "Uw sessie heeft minder bewezen dan aanmelden bij deze realm vraagt: meld u opnieuw aan en herhaal het",
  "Your sign-in on this device is too old: sign in again on it, then confirm":
    "Uw aanmelding op dit apparaat is te oud: meld u er opnieuw op aan en bevestig dan",
  "template must name attributes of the directory, such as {givenName}":
    "template moet attributen van de directory noemen, zoals {givenName}",
  "templateKey must be one of: {join}": "templateKey moet een van deze zijn: {join}",
  "temporary needs `password`: send both": "temporary heeft `password` nodig: stuur ze allebei",
  "textBody is only for an HTML body: leave it out": "textBody is alleen voor een inhoud in HTML: laat het weg",
  "texts may hold {MOST_LETTERS} characters": "texts bevat hoogstens {MOST_LETTERS} tekens",
  "the PNG does not begin with IHDR": "de PNG begint niet met IHDR",
  "the PNG ends too early": "de PNG eindigt te vroeg",
  "the PNG has a broken chunk": "de PNG heeft een kapot blok",
  "the PNG has colours of a kind that does not exist": "de PNG heeft kleuren van een soort die er niet is",
  "the PNG has fewer pixels than it says": "de PNG heeft minder pixels dan hij zegt",
  "the PNG has no palette": "de PNG heeft geen palet",
  "the PNG has no pixels": "de PNG heeft geen pixels",
  "the PNG has the chunk {type} where none may be": "de PNG heeft het blok {type} waar het niet mag staan",
  "the PNG has the chunk {type}, which is not known": "de PNG heeft het blok {type}, en dat is niet bekend",
  "the PNG's chunk {type} has a length that it cannot have": "het blok {type} van de PNG heeft een lengte die niet kan",
  "the PNG's pixels cannot be read": "de pixels van de PNG kunnen niet worden gelezen",
  "the SVG does not say its size: it needs a viewBox": "de SVG zegt niet hoe groot hij is: hij heeft een viewBox nodig",
  "the attribute {attribute}": "het attribuut {attribute}",
  "the challenge does not belong to this enrollment, or has expired: start again":
    "de vraag hoort niet bij deze aanmelding van een apparaat, of is verlopen: begin opnieuw",
  "the checksum of the PNG's chunk {type} is wrong": "de controlesom van het blok {type} van de PNG klopt niet",
  "the client belongs to an agent, and must be able to prove that it is the agent":
    "de client hoort bij een agent, en moet kunnen bewijzen dat hij de agent is",
  "the device is not registered any more": "het apparaat is niet meer aangemeld",
  "the flow “{alias}” cannot be used here ({message})": "de flow “{alias}” kan hier niet worden gebruikt ({message})",
  "the job has no message": "de taak heeft geen bericht",
  "the owner": "de eigenaar",
  "the password grant has no page to ask for {name}: it can ask {join}":
    "de password-grant heeft geen pagina om {name} te vragen: hij kan {join} vragen",
  "the picture is {width} by {height} pixels; at most {MAX_SIDE} by {MAX_SIDE2} are taken":
    "de afbeelding is {width} bij {height} pixels; hoogstens {MAX_SIDE} bij {MAX_SIDE2} wordt aanvaard",
  "the row has no email": "de rij heeft geen e-mailadres",
  "the subject is disabled": "degene om wie het gaat, is uitgeschakeld",
  "their email address": "hun e-mailadres",
  "there is no authenticator “{name}”: GET /authenticators lists them": "er is geen authenticator “{name}”: GET /authenticators noemt ze",
  "there is no client with this client id": "er is geen client met dit client-ID",
  "there is no event type or category {stringify}.{didYouMean}": "er is geen soort gebeurtenis of categorie {stringify}.{didYouMean}",
  "there is no event type {stringify}.{didYouMean}": "er is geen soort gebeurtenis {stringify}.{didYouMean}",
  "there is no flow “{alias}” in this realm": "er is geen flow “{alias}” in deze realm",
  "there is no flow “{copyFrom}” in this realm": "er is geen flow “{copyFrom}” in deze realm",
  "there is no group “{path}” in this realm": "er is geen groep “{path}” in deze realm",
  "there is no group “{text}” in this realm": "er is geen groep “{text}” in deze realm",
  "there is no identity provider “{alias}” in this realm": "er is geen identityprovider “{alias}” in deze realm",
  "there is no metadata": "er is geen metadata",
  "there is no organization “{alias}” in this realm": "er is geen organisatie “{alias}” in deze realm",
  "there is no such policy": "dit beleid is er niet",
  "there is no such text.{didYouMean}": "deze tekst is er niet.{didYouMean}",
  "there is no such user in this realm": "deze gebruiker is er niet in deze realm",
  "there is no {kind} {id} in this realm": "er is geen {kind} {id} in deze realm",
  "there is no {what} in this realm": "er is geen {what} in deze realm",
  "these records are too large for one page: ask for fewer": "deze records zijn te groot voor één pagina: vraag er minder",
  "this client": "deze client",
  "this client scope": "deze clientscope",
  "this group": "deze groep",
  "this group or one below it": "deze groep of een eronder",
  "this is an address of the server itself": "dit is een adres van de server zelf",
  "this is the id of a user, for whom the client's own tokens would be taken":
    "dit is het ID van een gebruiker, voor wie de eigen tokens van de client zouden doorgaan",
  "this is the resource indicator of another client": "dit is de resource-indicator van een andere client",
  "this name is reserved for another kind of actor in the audit trail": "deze naam is in het auditlog voor een ander soort handelende",
  "this policy": "dit beleid",
  "this resource": "deze resource",
  "this role": "deze rol",
  "this scope": "deze scope",
  "tlsClientAuthSanIp is not an IP address": "tlsClientAuthSanIp is geen IP-adres",
  "tlsClientAuthSubjectDn is not a distinguished name, such as CN=robot,O=Example (RFC 4514)":
    "tlsClientAuthSubjectDn is geen distinguished name, zoals CN=robot,O=Example (RFC 4514)",
  "tlsClientAuthSubjectDn or another of {slice} is needed for tls_client_auth: say whose certificate counts":
    "tlsClientAuthSubjectDn of een andere van {slice} is nodig voor tls_client_auth: zeg wiens certificaat telt",
  "to must be {recipientForm}": "to moet {recipientForm} zijn",
  "to this recipient": "aan deze ontvanger",
  "token endpoint": "tokeneindpunt",
  "token_endpoint_auth_method {method} may not be registered in this realm. Allowed: {known}":
    "token_endpoint_auth_method {method} kan in deze realm niet worden geregistreerd. Toegestaan: {known}",
  "token_uri is not a URL": "token_uri is geen URL",
  "token_uri must be an https URL that this server may call": "token_uri moet een https-URL zijn die deze server mag aanroepen",
  "tokens in an address need redirect URIs with https, and not on localhost":
    "tokens in een adres vragen redirect-URI's met https, en niet op localhost",
  "type js is not supported: use attribute, regex or aggregate": "type js wordt niet ondersteund: gebruik attribute, regex of aggregate",
  "type must not have spaces or invisible characters": "type heeft geen spaties of onzichtbare tekens",
  "url answered {status}: {advice}": "url antwoordde {status}: {advice}",
  "url() may only hold a path of this server without a query, or a data:image/ address":
    "url() mag alleen een pad van deze server zonder query bevatten, of een adres dat met data:image/ begint",
  "url() takes one address": "url() neemt één adres",
  "url(, image-set( and expression( may not be hidden or split": "url(, image-set( en expression( mogen niet verborgen of gesplitst zijn",
  "userId must not be the nil or the max UUID": "userId is niet de nil- of max-UUID",
  "userinfo endpoint": "userinfo-eindpunt",
  "users.groupIds names at least one group": "users.groupIds noemt minstens één groep",
  "users.organizationIds names at least one organization": "users.organizationIds noemt minstens één organisatie",
  "value is not a distinguished name, such as cn=sales,ou=groups,dc=example,dc=com":
    "value is geen distinguished name, zoals cn=sales,ou=groups,dc=example,dc=com",
  "value is required: the distinguished name of a group in the directory, or its name":
    "value is verplicht: de distinguished name van een groep in de directory, of haar naam",
  "value of exists must be true or false": "value van exists moet true of false zijn",
  "value of {operator} must be a number": "value van {operator} moet een getal zijn",
  "value or valuePath is needed": "value of valuePath is nodig",
  "was changed, or belongs to another place": "is gewijzigd, of hoort op een andere plaats",
  "what follows whsec_ must be base64 (omit whsec_ to use a text as it is)":
    "wat op whsec_ volgt moet base64 zijn (laat whsec_ weg om een tekst te gebruiken zoals hij is)",
  "yearEnd is before year": "yearEnd ligt voor year",
  "{length} that can be used.": "{length} die bruikbaar zijn.",
  "{message}: the profile {profile} requires it": "{message}: het profiel {profile} vereist het",
  "“{deleted}” was deleted just now": "“{deleted}” is zojuist verwijderd",
};

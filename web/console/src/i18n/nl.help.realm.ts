/** Dutch help texts of forms: realm. */
export const realm: Readonly<Record<string, string>> = {
  "The purpose of the agent.": "Het doel van de agent.",
  "The user who is responsible for the agent.": "De gebruiker die voor de agent verantwoordelijk is.",
  "The application in whose name it gets tokens. Once set, it cannot be changed.":
    "De applicatie in wier naam de agent tokens krijgt. Dit kan later niet worden gewijzigd.",
  "The scopes that its tokens may have. Empty: all scopes of its application.":
    "De scopes die zijn tokens mogen hebben. Leeg: alle scopes van zijn applicatie.",
  "The name on pages and in messages.": "De naam op pagina's en in berichten.",
  "An https address, or a path on this server.": "Een https-adres, of een pad op deze server.",
  "A colour such as #4f46e5.": "Een kleur zoals #4f46e5.",
  "The text above the sign-in form.": "De tekst boven het aanmeldformulier.",
  "Further CSS for the pages. It loads nothing from other sites.": "Verdere CSS voor de pagina's. Zij laadt niets van andere sites.",
  "The background around the form, in the colours above.": "De achtergrond rond het formulier, in de kleuren hierboven.",
  "The font of the pages. Each is on the visitor's device, so nothing is loaded.":
    "Het lettertype van de pagina's. Elk staat al op het apparaat van de bezoeker; er wordt niets geladen.",
  "The welcome text by language. The text above is for all other languages.":
    "De welkomsttekst per taal. De tekst hierboven geldt voor alle andere talen.",
  "The address of your privacy statement. Every page links to it.": "Het adres van uw privacyverklaring. Elke pagina verwijst ernaar.",
  "The language for visitors whose own language is not supported.": "De taal voor bezoekers van wie de eigen taal niet wordt ondersteund.",
  "A session ends after this long without use.": "Een sessie eindigt als zij zo lang niet gebruikt is.",
  "A session ends after this long, used or not.": "Een sessie eindigt na deze tijd, gebruikt of niet.",
  "Offer “keep me signed in”. If you turn it off, existing sessions end as others do.":
    "Bied “aangemeld blijven” aan. Als u dit uitzet, eindigen bestaande sessies zoals andere.",
  "The lifetime of “keep me signed in”, used or not.": "Hoe lang “aangemeld blijven” geldt, gebruikt of niet.",
  "The minimum number of characters.": "Het minimale aantal tekens.",
  "The maximum number of characters.": "Het maximale aantal tekens.",
  "The minimum number of lower-case letters.": "Het minimale aantal kleine letters.",
  "The minimum number of upper-case letters.": "Het minimale aantal hoofdletters.",
  "The minimum number of digits.": "Het minimale aantal cijfers.",
  "The minimum number of characters that are neither letters nor digits.": "Het minimale aantal tekens dat letter noch cijfer is.",
  "The password may not be the username.": "Het wachtwoord mag niet de gebruikersnaam zijn.",
  "The password may not be the email address.": "Het wachtwoord mag niet het e-mailadres zijn.",
  "This many of a user's last passwords cannot be chosen again, the current one included. 0 allows all.":
    "Zoveel van de laatste wachtwoorden van een gebruiker kunnen niet opnieuw worden gekozen, het huidige meegeteld. Bij 0 mag alles.",
  "Refuse passwords that are known from leaks.": "Weiger wachtwoorden die uit datalekken bekend zijn.",
  "Count failed attempts and slow them down.": "Tel mislukte pogingen en vertraag ze.",
  "A user is locked for a while after this many failed attempts.": "Na zoveel mislukte pogingen wordt een gebruiker tijdelijk vergrendeld.",
  "The duration of that lock.": "De duur van die vergrendeling.",
  "An address has to wait after this many failed attempts.": "Na zoveel mislukte pogingen moet een adres wachten.",
  "Failures are forgotten after this many minutes without a new one.":
    "Mislukte pogingen tellen niet meer mee na zoveel minuten zonder nieuwe.",
  "Answers to sign-in pages, forgotten passwords and invitations, from one address in a minute.":
    "Ingezonden aanmeldpagina's, vergeten wachtwoorden en uitnodigingen, vanaf één adres per minuut.",
  "Sign-ins that applications and pages start, from one address in a minute.":
    "Aanmeldingen die applicaties en pagina's beginnen, vanaf één adres per minuut.",
  "Registrations from one address in ten minutes.": "Registraties vanaf één adres per tien minuten.",
  "Applications that register themselves, from one address in a minute.":
    "Applicaties die zichzelf registreren, vanaf één adres per minuut.",
  "Codes that devices ask for, for one application from one address in a minute.":
    "Codes die apparaten vragen, voor één applicatie vanaf één adres per minuut.",
  "Devices that enroll, from one address in a minute.": "Apparaten die zich aanmelden, vanaf één adres per minuut.",
  "Requests about push approvals, from one address in a minute.": "Aanvragen over goedkeuringen per push, vanaf één adres per minuut.",
  "Requests about QR sign-in, from one address in a minute.": "Aanvragen over aanmelden met een QR-code, vanaf één adres per minuut.",
  "Requests about transactions, from one address in a minute.": "Aanvragen over transacties, vanaf één adres per minuut.",
  "Messages that other SAML and OpenID servers send, from one address in a minute.":
    "Berichten die andere SAML- en OpenID-servers sturen, vanaf één adres per minuut.",
  "Workload tokens that are exchanged, from one address in a minute.":
    "Tokens van workloads die worden ingewisseld, vanaf één adres per minuut.",
  "The length of a code.": "De lengte van een code.",
  "The seconds until the next code.": "Het aantal seconden tot de volgende code.",
  "Many apps know only SHA1, which is secure enough here.": "Veel apps kennen alleen SHA1, dat hier veilig genoeg is.",
  "The number of codes by which a phone's clock may be wrong.": "Het aantal codes dat de klok van een telefoon mag afwijken.",
  "Members of a group also get the roles of the groups above it.": "Leden van een groep krijgen ook de rollen van de groepen daarboven.",
  "A recipient gets at most this many messages of one template in a period.":
    "Een ontvanger krijgt hoogstens zoveel berichten van één sjabloon per periode.",
  "The length of that period in minutes.": "De lengte van die periode in minuten.",
  "The realm sends at most this many messages of one channel in an hour.":
    "De realm verzendt hoogstens zoveel berichten van één kanaal per uur.",
  "The lifetime of an access token.": "De levensduur van een toegangstoken.",
  "The lifetime of an ID token.": "De levensduur van een ID-token.",
  "The lifetime of an authorization code.": "De levensduur van een autorisatiecode.",
  "The lifetime of a device code.": "De levensduur van een apparaatcode.",
  "The time in which a user must answer a request of an application (CIBA).":
    "De tijd waarin een gebruiker op een aanvraag van een applicatie moet antwoorden (CIBA).",
  "Offline access ends after this many days without use.": "Offline toegang eindigt na zoveel dagen zonder gebruik.",
  "An application that lost the answer may use a refresh token once more within this many seconds. 0: every second use counts as theft.":
    "Een applicatie die het antwoord kwijtraakte, mag een refresh token binnen zoveel seconden nog eens gebruiken. Bij 0 telt elk tweede gebruik als diefstal.",
  "The types of `authorization_details` that applications may request, such as `payment`.":
    "De soorten `authorization_details` die applicaties mogen vragen, zoals `payment`.",
  "For applications without an algorithm of their own. ES256 and EdDSA cost this server much less; check that every application supports them.":
    "Voor applicaties zonder eigen algoritme. ES256 en EdDSA kosten deze server veel minder; controleer dat elke applicatie ze ondersteunt.",
  "New applications must follow at least this profile, however they are created.":
    "Nieuwe applicaties moeten minstens dit profiel volgen, hoe ze ook gemaakt worden.",
  "Let old applications get tokens in the address bar (implicit and hybrid flow). Leave it off unless one needs it.":
    "Laat oude applicaties tokens in de adresbalk krijgen (implicit en hybrid flow). Laat dit uit tenzij er een is die het nodig heeft.",
  "Also answer at the addresses of Keycloak, for libraries that know no others.":
    "Antwoord ook op de adressen van Keycloak, voor bibliotheken die geen andere kennen.",
  "The lifetime of the access token that a workload gets.": "De levensduur van het toegangstoken dat een workload krijgt.",
  "The clocks of issuers may be wrong by this many seconds.": "De klokken van uitgevers mogen zoveel seconden afwijken.",
  "The keys of an issuer are kept for this many minutes. An unknown key is fetched at once.":
    "De sleutels van een uitgever worden zoveel minuten bewaard. Een onbekende sleutel wordt meteen opgehaald.",
  "An agent needs a review by its owner after this many days.": "Na zoveel dagen moet de eigenaar van een agent hem opnieuw beoordelen.",
  "Agents may act for users who have not allowed it.": "Agents mogen namens gebruikers handelen die dat niet hebben toegestaan.",
  "Sign assertions.": "Onderteken assertions.",
  "Sign the responses that contain assertions.": "Onderteken de antwoorden die assertions bevatten.",
  "Refuse requests that are not signed.": "Weiger aanvragen die niet ondertekend zijn.",
  "Encrypt assertions.": "Versleutel assertions.",
  "The NameID format if a request names none.": "Het formaat van de NameID als een aanvraag er geen noemt.",
  "Tell applications directly, by SOAP, when a session ends.": "Meld het einde van een sessie rechtstreeks aan applicaties, via SOAP.",
  "Users may start a sign-in here instead of at the application.":
    "Gebruikers mogen een aanmelding hier beginnen in plaats van bij de applicatie.",
  "An assertion must arrive within this many seconds.": "Een assertion moet binnen zoveel seconden aankomen.",
  "The clocks of applications may be wrong by this many seconds.": "De klokken van applicaties mogen zoveel seconden afwijken.",
  "Users may change their own username.": "Gebruikers mogen hun eigen gebruikersnaam wijzigen.",
  "Users may change their own email address. A new one counts once it is confirmed.":
    "Gebruikers mogen hun eigen e-mailadres wijzigen. Een nieuw adres telt zodra het bevestigd is.",
  "Users may erase their own account for good.": "Gebruikers mogen hun eigen account definitief wissen.",
  "Visitors may register themselves.": "Bezoekers mogen zichzelf registreren.",
  "An account is created only after its email address is confirmed.": "Een account wordt pas gemaakt als het e-mailadres bevestigd is.",
  "The email address is the username.": "Het e-mailadres is de gebruikersnaam.",
  "Only email addresses of these domains can register. Empty: all.":
    "Alleen e-mailadressen van deze domeinen kunnen zich registreren. Leeg: alle.",
  "Users accept the terms when they register.": "Gebruikers aanvaarden de voorwaarden bij het registreren.",
  "Further actions that new users must take at the first sign-in.":
    "Verdere acties die nieuwe gebruikers bij de eerste aanmelding moeten doen.",
  "Users may reset a forgotten password by mail.": "Gebruikers kunnen een vergeten wachtwoord per e-mail opnieuw instellen.",
  "The terms, as plain text.": "De voorwaarden, als gewone tekst.",
  "The address of the terms, instead of the text or beside it.": "Het adres van de voorwaarden, in plaats van de tekst of ernaast.",
  "Change it when the terms change: users then accept them again, in flows with that step.":
    "Wijzig dit als de voorwaarden wijzigen: gebruikers aanvaarden ze dan opnieuw, in flows met die stap.",
  "`required` refuses security keys that cannot sign in without a username.":
    "Met `required` worden beveiligingssleutels geweigerd die niet zonder gebruikersnaam kunnen aanmelden.",
  "Ask for a finger, face or PIN. A passkey that is the only factor always does.":
    "Vraag om vinger, gezicht of pincode. Een passkey die de enige factor is, vraagt dat altijd.",
  "The number of passkeys that a user can have.": "Het aantal passkeys dat een gebruiker kan hebben.",
  "Users may skip the second factor in a trusted browser.": "Gebruikers mogen de tweede factor overslaan in een vertrouwde browser.",
  "The days for which a browser is trusted.": "Het aantal dagen dat een browser vertrouwd wordt.",
  "Ask for the username on a page of its own. Its domain may then lead to an identity provider instead of a password.":
    "Vraag de gebruikersnaam op een eigen pagina. Het domein kan dan naar een identityprovider leiden in plaats van naar een wachtwoord.",
  "Tell users by mail about a sign-in in a new browser.": "Meld gebruikers per e-mail een aanmelding in een nieuwe browser.",
  "Record every token that an application gets in its own name in the audit log.":
    "Leg elk token dat een applicatie in eigen naam krijgt vast in het auditlog.",
  "Administrators may read an application's secret again. The audit log records each time.":
    "Beheerders mogen het geheim van een applicatie opnieuw lezen. Het auditlog legt dat elke keer vast.",
  "Lower-case letters, digits and hyphens.": "Kleine letters, cijfers en streepjes.",
  "The flow whose steps the new one begins with.": "De flow met wiens stappen de nieuwe begint.",
  "The group above. Empty: it is at the top.": "De groep erboven. Leeg: zij staat bovenaan.",
  "Empty: POST.": "Leeg: POST.",
  "Empty: json.": "Leeg: json.",
  "The body, with placeholders such as {{to}} and {{text}}. Empty: every value under its own name.":
    "De body, met plaatshouders zoals {{to}} en {{text}}. Leeg: elke waarde onder haar eigen naam.",
  "Headers that are sent with every message. Secrets do not belong here.":
    "Headers die met elk bericht worden meegestuurd. Geheimen horen hier niet.",
  "Empty: production.": "Leeg: productie.",
  "The email domains of its members. Each belongs to one organization of the realm.":
    "De maildomeinen van haar leden. Elk hoort bij één organisatie van de realm.",
  "Further facts, each with a name and one or several texts.": "Verdere gegevens, elk met een naam en een of meer teksten.",
  "The number of clients that it may register.": "Het aantal clients dat ermee geregistreerd mag worden.",
  "The lifetime in seconds.": "De levensduur in seconden.",
  "The person or system that gets the token.": "De persoon of het systeem dat het token krijgt.",
  "The permissions of the token. You must hold all of them.": "De permissies van het token. U moet ze allemaal zelf hebben.",
  "The token manages only the members of this organization. Empty: all users of the realm.":
    "Het token beheert alleen de leden van deze organisatie. Leeg: alle gebruikers van de realm.",
  "Email addresses that the other system sends count as confirmed.": "E-mailadressen die het andere systeem stuurt, gelden als bevestigd.",
  "They need an initial access token of an administrator. If it is off, anybody may register a client.":
    "Zij hebben een eerste toegangstoken van een beheerder nodig. Als dit uit staat, mag iedereen een client registreren.",
  "The grant types that they may use.": "De grant types die zij mogen gebruiken.",
  "`code` is always allowed. The others put tokens into the address bar, and the realm's settings must allow them, too.":
    "`code` is altijd toegestaan. De andere zetten tokens in de adresbalk, en de instellingen van de realm moeten ze ook toestaan.",
  "The hosts of their redirect URIs. Empty: all hosts.": "De hosts van hun redirect-URI's. Leeg: alle hosts.",
  "The ways in which they may authenticate.": "De manieren waarop zij zich mogen bewijzen.",
  "Clients that need no registration, because their client ID is the https address of their metadata.":
    "Clients die geen registratie nodig hebben, omdat hun client-ID het https-adres van hun metadata is.",
  "The name that its owner gave the device.": "De naam die de eigenaar het apparaat gaf.",
  "The address of the service's SCIM API, by https and not in a private network.":
    "Het adres van de SCIM-API van de dienst, met https en niet in een privénetwerk.",
  "The token, password or client secret, as the authentication above needs.":
    "Het token, wachtwoord of clientgeheim, zoals de authenticatie hierboven vraagt.",
  "The way in which this server authenticates there.": "De manier waarop deze server zich daar bewijst.",
  "The kind of service. It is known how each differs from the standard.":
    "Het soort dienst. Van elk is bekend hoe hij van de standaard afwijkt.",
  "The users that are sent.": "De gebruikers die worden gestuurd.",
  "Members of these groups, and of the groups below, are sent.": "Leden van deze groepen, en van de groepen daaronder, worden gestuurd.",
  "Members of these organizations are sent.": "Leden van deze organisaties worden gestuurd.",
  "The name that users have there. With `email`, a user without a confirmed address is not sent.":
    "De naam die gebruikers daar hebben. Met `email` wordt een gebruiker zonder bevestigd adres niet gestuurd.",
  "The groups that are sent.": "De groepen die worden gestuurd.",
  "The treatment of a group that is deleted, or no longer sent.":
    "Wat er gebeurt met een groep die verwijderd is, of niet meer gestuurd wordt.",
  "Each SCIM attribute with the user's attribute that it is taken from, such as `title: jobTitle`. Empty: as this realm's own SCIM server does.":
    "Elk SCIM-attribuut met het attribuut van de gebruiker waaruit het komt, zoals `title: jobTitle`. Leeg: zoals de eigen SCIM-server van deze realm.",
  "An account that exists there and has the same values is taken over instead of created again.":
    "Een account dat daar al bestaat en dezelfde waarden heeft, wordt overgenomen in plaats van opnieuw gemaakt.",
  "When a user is disabled here.": "Als een gebruiker hier wordt uitgeschakeld.",
  "When a user no longer belongs to those that are sent.": "Als een gebruiker niet meer bij de te sturen gebruikers hoort.",
  "When a user is deleted here. An erased user is always deleted there.":
    "Als een gebruiker hier wordt verwijderd. Een gewiste gebruiker wordt daar altijd verwijderd.",
  "At most this many requests per second. Empty: what suits the kind of service.":
    "Hoogstens zoveel verzoeken per seconde. Leeg: wat bij het soort dienst past.",
  "Everything is compared each time after this many hours. Changes are sent at once anyway.":
    "Alles wordt telkens na zoveel uur vergeleken. Wijzigingen worden hoe dan ook meteen gestuurd.",
  "The text on the consent page. Empty: the page's own text for scopes that it knows, otherwise the description.":
    "De tekst op de toestemmingspagina. Leeg: de eigen tekst van de pagina voor scopes die zij kent, anders de beschrijving.",
  "The form in which tokens name users: the ID never changes; a username or email address may; a pairwise value keeps applications from comparing their users.":
    "De vorm waarin tokens gebruikers noemen: de ID verandert nooit; een gebruikersnaam of e-mailadres kan veranderen; met een paarsgewijze waarde kunnen applicaties hun gebruikers niet vergelijken.",
  "The name of the attribute, if the form above is an attribute. Its values must differ for every user.":
    "De naam van het attribuut, als de vorm hierboven een attribuut is. De waarden moeten voor elke gebruiker verschillen.",
  "The realm roles that the user has directly, not by a group.": "De realmrollen die de gebruiker rechtstreeks heeft, niet via een groep.",
  "The address that gets the events, by https and not in a private network.":
    "Het adres dat de gebeurtenissen krijgt, met https en niet in een privénetwerk.",
  "It signs every delivery, so that the receiver knows it is yours. A text that begins with `whsec_` is a key of Standard Webhooks.":
    "Het ondertekent elke levering, zodat de ontvanger weet dat zij van u komt. Een tekst die met `whsec_` begint, is een sleutel van Standard Webhooks.",
  "The issuer that its tokens name (`iss`), such as `https://token.actions.githubusercontent.com`.":
    "De uitgever die zijn tokens noemen (`iss`), zoals `https://token.actions.githubusercontent.com`.",
  "The subject that its tokens name (`sub`), exactly, without wildcards. For GitHub it is `repo:acme/shop:ref:refs/heads/main`.":
    "Het subject dat zijn tokens noemen (`sub`), precies, zonder jokertekens. Bij GitHub is dat `repo:acme/shop:ref:refs/heads/main`.",
  "The audience that its tokens name (`aud`), and no other. The realm's issuer is a good choice.":
    "De audience die zijn tokens noemen (`aud`), en geen andere. De issuer van de realm is een goede keuze.",
  "The application that the workload acts as.": "De applicatie als welke de workload handelt.",
  "The https address of the issuer's keys. Empty: the issuer's discovery document names it.":
    "Het https-adres van de sleutels van de uitgever. Leeg: het discovery-document van de uitgever noemt het.",
  "The issuer's public keys themselves, for an issuer that this server cannot reach.":
    "De publieke sleutels van de uitgever zelf, voor een uitgever die deze server niet kan bereiken.",
  "The claim that has the subject, if it is not `sub`. A dot leads into an object.":
    "De claim met het subject, als dat niet `sub` is. Een punt leidt een object in.",
  "Further claims that must match, each with the values that it may have.":
    "Verdere claims die moeten kloppen, elk met de waarden die zij mag hebben.",
  "The scopes that the workload may get, separated by spaces.": "De scopes die de workload mag krijgen, gescheiden door spaties.",
  "Refuse its tokens if they are valid for longer than this.": "Weiger zijn tokens als ze langer dan dit geldig zijn.",
  "Accept each of its tokens once. Tokens of Kubernetes and SPIFFE are meant to be used again.":
    "Accepteer elk van zijn tokens één keer. Tokens van Kubernetes en SPIFFE zijn bedoeld om opnieuw te gebruiken.",
  "The scheme of the Authorization header that has the secret. Empty: Bearer.":
    "Het schema van de Authorization-header met het geheim. Leeg: Bearer.",
  "The header that has the secret, instead of Authorization.": "De header met het geheim, in plaats van Authorization.",
  "The messaging service that picks the sender.": "De berichtendienst die de afzender kiest.",
  "The https address of a relay, instead of Google's.": "Het https-adres van een relay, in plaats van dat van Google.",
  "The ID of the key: ten characters.": "De ID van de sleutel: tien tekens.",
  "The ID of the team: ten characters.": "De ID van het team: tien tekens.",
  "The bundle identifier of the app.": "De bundle identifier van de app.",
  "The https address of a relay, instead of Apple's.": "Het https-adres van een relay, in plaats van dat van Apple.",
  "Lower-case letters, digits and hyphens. Empty: made from the name.": "Kleine letters, cijfers en streepjes. Leeg: uit de naam gemaakt.",
  "The person's role in the organization; `member`, `admin` and `owner` are usual.":
    "De rol van de persoon in de organisatie; `member`, `admin` en `owner` zijn gebruikelijk.",
};

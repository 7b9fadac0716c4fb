/** Dutch help texts of forms: applications. */
export const applications: Readonly<Record<string, string>> = {
  "The resources that the permission is about.": "De resources waarover de permissie gaat.",
  "The policies that decide. Without a policy, the permission denies.": "De policies die beslissen. Zonder policy weigert de permissie.",
  "The request must come from one of these applications.": "De aanvraag moet van een van deze applicaties komen.",
  "A claim of the token, or a member of the user, such as `email`.":
    "Een claim van het token, of een gegeven van de gebruiker, zoals `email`.",
  "A regular expression that must match the whole value. Lookaround and backreferences do not work.":
    "Een reguliere expressie waaraan de hele waarde moet voldoen. Lookaround en terugverwijzingen werken niet.",
  "Take the claim from the request of the application, not from the token.":
    "Neem de claim uit de aanvraag van de applicatie in plaats van uit het token.",
  "The value that is compared, such as `user.attributes.department`. It begins with user, client, token, resource or request.":
    "De waarde die vergeleken wordt, zoals `user.attributes.department`. Zij begint met user, client, token, resource of request.",
  "The way in which the two values are compared.": "De manier waarop de twee waarden worden vergeleken.",
  "The value, or several values, to compare with.": "De waarde, of meer dan één waarde, om mee te vergelijken.",
  "Compare with the value at this path instead, such as `resource.owner`.":
    "Vergelijk in plaats daarvan met de waarde op dit pad, zoals `resource.owner`.",
  "The policies whose results are combined.": "De policies waarvan de uitkomsten worden gecombineerd.",
  "The things that can be done with it.": "Wat ermee gedaan kan worden.",
  "The username of the owner. Empty: the application itself.": "De gebruikersnaam van de eigenaar. Leeg: de applicatie zelf.",
  "The owner may do everything with it, and share it.": "De eigenaar mag er alles mee doen en mag het delen.",
  "The application asks this server what a user may do with its resources.":
    "De applicatie vraagt deze server wat een gebruiker met haar resources mag.",
  "The result if no permission applies.": "De uitkomst als geen permissie van toepassing is.",
  "The result if several permissions apply.": "De uitkomst als meer dan één permissie van toepassing is.",
  "The rule for agents and other parties that act for a user.": "De regel voor agents en anderen die namens een gebruiker handelen.",
  "The application itself may register, change and delete its resources (UMA).":
    "De applicatie mag zelf haar resources registreren, wijzigen en verwijderen (UMA).",
  "The application may ask which users have access to a resource. The answer has IDs only. Turning it on needs the permission `view-users`.":
    "De applicatie mag vragen welke gebruikers bij een resource kunnen. Het antwoord bevat alleen ID's. Aanzetten vereist de permissie `view-users`.",
  "The percentage of decisions that the audit log records, chosen at random.":
    "Het percentage van de beslissingen dat in het auditlog komt, willekeurig gekozen.",
  "The name of the claim in the token. A dot makes an object, as in `address.country`; write `\\.` for a dot in a name.":
    "De naam van de claim in het token. Een punt maakt een object, zoals in `address.country`; schrijf `\\.` voor een punt in een naam.",
  "The place that the value comes from.": "Waar de waarde vandaan komt.",
  "The JSON type of the claim. A value that does not fit is left out.":
    "Het JSON-type van de claim. Een waarde die niet past, wordt weggelaten.",
  "All values as a list, instead of only the first one.": "Alle waarden als lijst, in plaats van alleen de eerste.",
  "The tokens and answers that contain the claim.": "De tokens en antwoorden die de claim bevatten.",
  "The addresses of the APIs for which it may request tokens.": "De adressen van de API's waarvoor zij tokens mag vragen.",
  "The name that users see.": "De naam die gebruikers zien.",
  "The ways in which it may get tokens. Empty: `authorization_code` and `refresh_token`.":
    "De manieren waarop zij tokens mag krijgen. Leeg: `authorization_code` en `refresh_token`.",
  "The exact addresses to which users return after signing in. Native applications may use any port of `http://127.0.0.1`.":
    "De exacte adressen waar gebruikers na het aanmelden terugkomen. Native applicaties mogen elke poort van `http://127.0.0.1` gebruiken.",
  "The sites whose scripts may call this realm, such as `https://app.example.com`. `+` means those of the redirect URIs.":
    "De sites waarvan scripts deze realm mogen aanroepen, zoals `https://app.example.com`. Met `+` zijn dat die van de redirect-URI's.",
  "A description for administrators.": "Een beschrijving voor beheerders.",
  "Native applications run on a user's own device.": "Native applicaties draaien op het eigen apparaat van een gebruiker.",
  "The way in which it proves who it is. `client_secret` takes its secret in either form, `federated_jwt` a token of a trusted issuer, and `none` is for public applications.":
    "De manier waarop zij bewijst wie zij is. `client_secret` neemt haar geheim in elke vorm, `federated_jwt` een token van een vertrouwde uitgever, en `none` is voor publieke applicaties.",
  "The algorithm with which it signs to authenticate. Empty: any that fits its key.":
    "Het algoritme waarmee zij ondertekent om zich te bewijzen. Leeg: elk dat bij haar sleutel past.",
  "Its public keys, as a JSON Web Key Set.": "Haar publieke sleutels, als JSON Web Key Set.",
  "The address of its public keys, instead of the keys themselves.":
    "Het adres van haar publieke sleutels, in plaats van de sleutels zelf.",
  "The subject of its client certificate.": "Het onderwerp (subject) van haar clientcertificaat.",
  "A DNS name in its certificate, instead of the subject.": "Een DNS-naam in haar certificaat, in plaats van het subject.",
  "A URI in its certificate, instead of the subject.": "Een URI in haar certificaat, in plaats van het subject.",
  "An IP address in its certificate, instead of the subject.": "Een IP-adres in haar certificaat, in plaats van het subject.",
  "An email address in its certificate, instead of the subject.": "Een e-mailadres in haar certificaat, in plaats van het subject.",
  "The addresses to which users may return after signing out.": "De adressen waar gebruikers na het afmelden mogen terugkomen.",
  "This server calls the address when a session of the application ends.":
    "Deze server roept dit adres aan als een sessie van de applicatie eindigt.",
  "The call names the session that ended (`sid`).": "De aanroep noemt de sessie die eindigde (`sid`).",
  "The sign-out page loads the address in a frame. It has the origin of a redirect URI.":
    "De afmeldpagina laadt dit adres in een frame. Het heeft de origin van een redirect-URI.",
  "The address gets the session that ended (`iss` and `sid`).": "Het adres krijgt de sessie die eindigde (`iss` en `sid`).",
  "It is one of your own applications, so users are not asked for consent.":
    "Het is een van uw eigen applicaties; gebruikers wordt geen toestemming gevraagd.",
  "Users must consent before it gets tokens.": "Gebruikers moeten toestemming geven voordat zij tokens krijgt.",
  "Refuse sign-ins without PKCE. Public applications always need it.":
    "Weiger aanmeldingen zonder PKCE. Publieke applicaties hebben het altijd nodig.",
  "Its tokens must be bound to a key (DPoP).": "Haar tokens moeten aan een sleutel gebonden zijn (DPoP).",
  "Its tokens are bound to its client certificate. Without a certificate it gets none.":
    "Haar tokens zijn aan haar clientcertificaat gebonden. Zonder certificaat krijgt zij er geen.",
  "It must push its requests first (PAR).": "Zij moet haar aanvragen eerst insturen (PAR).",
  "It must sign its requests (JAR).": "Zij moet haar aanvragen ondertekenen (JAR).",
  "A set of security requirements that its settings must meet. Empty: the realm's least profile.":
    "Een stel beveiligingseisen waaraan haar instellingen moeten voldoen. Leeg: het minimale profiel van de realm.",
  "Replace a refresh token at each use. A public application may turn it off only with DPoP.":
    "Vervang een refresh token bij elk gebruik. Een publieke applicatie mag dit alleen met DPoP uitzetten.",
  "The ID token has the user's claims, even if the application can also read them from userinfo.":
    "Het ID-token bevat de claims van de gebruiker, ook als de applicatie ze uit userinfo kan lezen.",
  "In seconds. Empty: as the realm's settings say.": "In seconden. Leeg: zoals de instellingen van de realm zeggen.",
  "It expires after this many seconds without use. Empty: with the session.":
    "Het verloopt na zoveel seconden zonder gebruik. Leeg: met de sessie.",
  "The form in which its tokens name users (`sub`). Empty: as the realm's settings say.":
    "De vorm waarin haar tokens gebruikers noemen (`sub`). Leeg: zoals de instellingen van de realm zeggen.",
  "The name of the user's attribute.": "De naam van het attribuut van de gebruiker.",
  "Further receivers that its access tokens name (`aud`).": "Verdere ontvangers die haar toegangstokens noemen (`aud`).",
  "It signs access tokens. Empty: as the realm's settings say.":
    "Het ondertekent toegangstokens. Leeg: zoals de instellingen van de realm zeggen.",
  "It signs ID tokens. Empty: as the realm's settings say.": "Het ondertekent ID-tokens. Leeg: zoals de instellingen van de realm zeggen.",
  "It signs userinfo. Empty: userinfo is plain JSON.": "Het ondertekent userinfo. Leeg: userinfo is gewone JSON.",
  "It signs the answer to a sign-in (JARM). Empty: RS256, or that of its profile.":
    "Het ondertekent het antwoord op een aanmelding (JARM). Leeg: RS256, of dat van haar profiel.",
  "It signs answers of introspection. Empty: they are plain JSON.":
    "Het ondertekent antwoorden van introspectie. Leeg: die zijn gewone JSON.",
  "It encrypts ID tokens to one of its keys. Empty: they are not encrypted.":
    "Het versleutelt ID-tokens voor een van haar sleutels. Leeg: die worden niet versleuteld.",
  "The encryption of the content. Empty: A128CBC-HS256.": "De versleuteling van de inhoud. Leeg: A128CBC-HS256.",
  "It encrypts userinfo to one of its keys. Empty: it is not encrypted.":
    "Het versleutelt userinfo voor een van haar sleutels. Leeg: die wordt niet versleuteld.",
  "It encrypts the signed answer to a sign-in (JARM) to one of its keys. Empty: it is not encrypted.":
    "Het versleutelt het ondertekende antwoord op een aanmelding (JARM) voor een van haar sleutels. Leeg: dat wordt niet versleuteld.",
  "It encrypts answers of introspection to one of its keys. Empty: they are not encrypted.":
    "Het versleutelt antwoorden van introspectie voor een van haar sleutels. Leeg: die worden niet versleuteld.",
  "The algorithm with which it signs its requests. Empty: any that fits its key.":
    "Het algoritme waarmee zij haar aanvragen ondertekent. Leeg: elk dat bij haar sleutel past.",
  "Applications with the same address know a user by the same pairwise subject.":
    "Applicaties met hetzelfde adres kennen een gebruiker onder hetzelfde paarsgewijze subject.",
  "The addresses from which this server may read its signed requests.":
    "De adressen waarvan deze server haar ondertekende aanvragen mag lezen.",
  "All but `code` put tokens into the address bar. They are for old applications, and the realm's settings must allow them.":
    "Alle behalve `code` zetten tokens in de adresbalk. Ze zijn voor oude applicaties, en de instellingen van de realm moeten ze toestaan.",
  "The only application that may act for users with its tokens, by client ID. Empty: the tokens name none.":
    "De enige applicatie die met haar tokens namens gebruikers mag handelen, met de client-ID. Leeg: de tokens noemen er geen.",
  "It may check every access token of the realm, as a gateway does, and not only its own. Only holders of `realm-admin` may set it.":
    "Zij mag elk toegangstoken van de realm controleren, zoals een gateway doet, en niet alleen haar eigen. Alleen wie `realm-admin` heeft, mag dit instellen.",
  "The addresses by which applications request tokens for it (`resource`). They are the audience of these tokens.":
    "De adressen waarmee applicaties tokens voor haar vragen (`resource`). Zij zijn de audience van die tokens.",
  "The applications that may request tokens for it: those that list it among their allowed resources, or every one.":
    "De applicaties die tokens voor haar mogen vragen: die haar bij hun toegestane API's noemen, of allemaal.",
  "Other servers at which it may act for users who signed in to it here (cross-app access).":
    "Andere servers waar zij mag handelen namens gebruikers die zich hier bij haar aanmeldden (cross-app access).",
  "The address at which others may start a sign-in to it.": "Het adres waarop anderen een aanmelding bij haar mogen beginnen.",
  "Users must sign in again after this many seconds, unless a request says otherwise.":
    "Gebruikers moeten zich na zoveel seconden opnieuw aanmelden, tenzij een aanvraag anders zegt.",
  "Every ID token has the time of the sign-in (`auth_time`).": "Elk ID-token heeft de tijd van de aanmelding (`auth_time`).",
  "The levels of authentication that count if a request names none (`acr`).":
    "De niveaus van authenticatie die tellen als een aanvraag er geen noemt (`acr`).",
  "The way in which it learns that the user has answered (CIBA). Empty: it asks again and again.":
    "De manier waarop zij hoort dat de gebruiker geantwoord heeft (CIBA). Leeg: zij vraagt het telkens.",
  "This server calls the address in the mode `ping`.": "Deze server roept dit adres aan in de modus `ping`.",
  "The https address of the logo on the sign-in and consent pages.": "Het https-adres van het logo op de aanmeld- en toestemmingspagina.",
  "The address of its home page.": "Het adres van haar startpagina.",
  "The address of its privacy policy, to which these pages link.": "Het adres van haar privacyverklaring, waarnaar die pagina's verwijzen.",
  "The address of its terms of service, to which these pages link.": "Het adres van haar voorwaarden, waarnaar die pagina's verwijzen.",
  "The people who are responsible for it.": "De mensen die voor haar verantwoordelijk zijn.",
  "The flow by which its users sign in. Empty: the realm's `browser`.":
    "De flow waarmee haar gebruikers zich aanmelden. Leeg: `browser` van de realm.",
  "The flow of its password grant. Empty: the realm's `direct-grant`.":
    "De flow van haar password grant. Leeg: `direct-grant` van de realm.",
  "The address to which users return with an assertion (ACS URL).": "Het adres waar gebruikers met een assertion terugkomen (ACS-URL).",
  "The level of authentication that assertions name if a request asks for none. Empty: the one that fits the sign-in.":
    "Het niveau van authenticatie dat assertions noemen als een aanvraag er geen vraagt. Leeg: wat bij de aanmelding past.",
  "The address to which browsers are sent when a user signs out everywhere.":
    "Het adres waar browsers heen gaan als een gebruiker zich overal afmeldt.",
  "The certificate with which the application signs its requests, in PEM.":
    "Het certificaat waarmee de applicatie haar aanvragen ondertekent, in PEM.",
  "Sign the assertion.": "Onderteken de assertion.",
  "Sign the whole answer, too.": "Onderteken ook het hele antwoord.",
  "Refuse requests that are not signed with one of its certificates.":
    "Weiger aanvragen die niet met een van haar certificaten zijn ondertekend.",
  "Encrypt the assertion with the encryption certificate.": "Versleutel de assertion met het versleutelingscertificaat.",
  "The kind of name for users if a request asks for none.": "Het soort naam voor gebruikers als een aanvraag er geen vraagt.",
  "Send attributes of the user. Otherwise only the name (NameID) is sent.":
    "Stuur attributen van de gebruiker mee. Anders wordt alleen de naam (NameID) gestuurd.",
  "Further addresses to which users may return. A request may name one of them.":
    "Verdere adressen waar gebruikers mogen terugkomen. Een aanvraag mag er een noemen.",
  "Tell the application directly, by SOAP, when a session ends.": "Meld het einde van een sessie rechtstreeks aan de applicatie, via SOAP.",
  "An assertion must arrive within this many seconds. Empty: as the realm's settings say.":
    "Een assertion moet binnen zoveel seconden aankomen. Leeg: zoals de instellingen van de realm zeggen.",
  "The application's clock may be wrong by this many seconds. Empty: as the realm's settings say.":
    "De klok van de applicatie mag zoveel seconden afwijken. Leeg: zoals de instellingen van de realm zeggen.",
  "Further certificates with which it may sign, such as the next one.":
    "Verdere certificaten waarmee zij mag ondertekenen, zoals het volgende.",
  "The certificate with which assertions are encrypted, in PEM. It has an RSA key.":
    "Het certificaat waarmee assertions worden versleuteld, in PEM. Het heeft een RSA-sleutel.",
  "Empty: AES-256-GCM.": "Leeg: AES-256-GCM.",
  "Empty: rsa-oaep-mgf1p.": "Leeg: rsa-oaep-mgf1p.",
  "The attribute that names users in the format `unspecified`. Empty: the username.":
    "Het attribuut dat gebruikers noemt in het formaat `unspecified`. Leeg: de gebruikersnaam.",
  "The attribute that names users in the format `persistent`, such as the ImmutableID of Microsoft 365. Empty: a random value for each user.":
    "Het attribuut dat gebruikers noemt in het formaat `persistent`, zoals de ImmutableID van Microsoft 365. Leeg: een willekeurige waarde per gebruiker.",
  "The bindings and numbers of the addresses above. An address that is not listed has the binding POST.":
    "De bindings en nummers van de adressen hierboven. Een adres dat er niet bij staat, heeft de binding POST.",
  "Its addresses for signing out, with their bindings. Empty: the address above, with the binding Redirect.":
    "Haar adressen om af te melden, met hun bindings. Leeg: het adres hierboven, met de binding Redirect.",
  "The place in the application to which a sign-in that starts here leads, often an address (RelayState).":
    "De plaats in de applicatie waar een aanmelding die hier begint naartoe leidt, vaak een adres (RelayState).",
  "A RelayState is passed on only if it begins with one of these texts. Empty: any that is short enough.":
    "Een RelayState wordt alleen doorgegeven als hij met een van deze teksten begint. Leeg: elke die kort genoeg is.",
  "The greatest length of a RelayState in bytes, unless the texts above allow it.":
    "De grootste lengte van een RelayState in bytes, tenzij de teksten hierboven hem toestaan.",
  "The level of each AuthnContextClassRef that the application uses: `1` for one factor, `2` for two.":
    "Het niveau van elke AuthnContextClassRef die de applicatie gebruikt: `1` voor één factor, `2` voor twee.",
  "Users must sign in again at each request.": "Gebruikers moeten zich bij elke aanvraag opnieuw aanmelden.",
  "Refuse requests for a sign-in without a page (IsPassive).": "Weiger aanvragen om een aanmelding zonder pagina (IsPassive).",
  "Users must consent before their attributes are sent.": "Gebruikers moeten toestemming geven voordat hun attributen worden gestuurd.",
  "The address of the logo on the sign-in and consent pages.": "Het adres van het logo op de aanmeld- en toestemmingspagina.",
  "Empty: `uri` for a name that is a URI, and `basic` for others.": "Leeg: `uri` voor een naam die een URI is, en `basic` voor andere.",
  "A second name for people, which some applications need.": "Een tweede naam voor mensen, die sommige applicaties nodig hebben.",
  "The name by which the application calls itself in its metadata, often an address.":
    "De naam waarmee de applicatie zichzelf in haar metadata noemt, vaak een adres.",
};

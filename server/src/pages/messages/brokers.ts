import { deHomeRealm, enHomeRealm, esHomeRealm, frHomeRealm, nlHomeRealm } from "./home-realm.ts";

/** Texts about identity providers, in each language; `{provider}` is filled in. */
export const enBrokers = {
  brokerPostTitle: "Continue to sign in",
  ...enHomeRealm,
  otherProviders: "Or sign in with another account",
  continueWith: "Continue with {provider}",
  chooseIdentityProvider: "Sign in with another account",
  brokerDownTitle: "We can’t reach that provider",
  brokerDownText: "It didn’t answer properly. Try again in a moment, or try another way.",
  brokerFailedTitle: "The provider couldn’t sign you in",
  brokerFailedText: "We couldn’t accept its answer, so nothing has changed here. Try again, or try another way.",
  brokerDeniedTitle: "You can’t sign in with that account",
  brokerDeniedText: "Accounts of that provider aren’t accepted here. Try another way, or ask your administrator.",
  brokerNoAccountText: "It isn’t linked to an account here yet. Sign in another way first, or ask your administrator.",
  brokerDomainText:
    "Only accounts with an email address of certain organizations are accepted. Use another account, or ask your administrator.",
  brokerCancelled: "You cancelled signing in there. Choose how to continue.",
  linkNotice:
    "You signed in at {provider} as {theirs}. There’s already an account here with the same email address. Show once that it’s yours, and we’ll link the two.",
  linkDecline: "Don’t link",
  linkDeclined: "Nothing was linked. Sign in to an account here, or try another way.",
  chooseNewAccount: "Continue with a new account",
  newAccountTitle: "Continue with a new account",
  newAccountText: "You get a new account here for the one at {provider}. The existing account stays as it is and isn’t linked.",
  newAccountAddressText: "The new account doesn’t get the email address {address}.",
  newAccountConfirm: "Create my account",
  brokerTooManyTitle: "Too many attempts with that account",
  brokerTooManyText: "Try again in an hour, or try another way.",
  linkAccountTitle: "Link an account",
  linkAccountText: "Sign in at {provider} with the account you want to link.",
  linkAccountConfirmText: "We’ll link {theirs} at {provider} to your account {ours}. From then on you can sign in here with it.",
  linkAccountConfirm: "Link the accounts",
  linkAccountTakenTitle: "That account is already linked",
  linkAccountTakenText: "It belongs to another user here. Use another account at the provider, or remove the other link first.",
  linkOneEachTitle: "You’ve already linked another account there",
  linkOneEachText: "You can link one account of each provider. Sign in with that one, or remove its link in your account first.",
  brokerStaleTitle: "The provider didn’t ask you to sign in again",
  brokerStaleText: "You need to sign in again here, and the provider didn’t confirm it. Try another way, or sign out and in again.",
  brokerLogoutRefusedTitle: "The provider couldn’t sign you out here",
  brokerLogoutRefusedText:
    "We couldn’t accept its request, so nothing has changed here. To be sure, sign out here. If it happens again, give your administrator the number below.",
};

export const nlBrokers: typeof enBrokers = {
  brokerPostTitle: "Verder met inloggen",
  ...nlHomeRealm,
  otherProviders: "Of log in met een ander account",
  continueWith: "Doorgaan met {provider}",
  chooseIdentityProvider: "Inloggen met een ander account",
  brokerDownTitle: "Die provider is niet bereikbaar",
  brokerDownText: "Er kwam geen goed antwoord. Probeer het zo nog eens, of probeer een andere manier.",
  brokerFailedTitle: "De provider kon je niet laten inloggen",
  brokerFailedText:
    "We konden het antwoord niet accepteren, dus hier is niets veranderd. Probeer het opnieuw, of probeer een andere manier.",
  brokerDeniedTitle: "Je kunt niet inloggen met dat account",
  brokerDeniedText: "Accounts van die provider worden hier niet geaccepteerd. Probeer een andere manier, of vraag het je beheerder.",
  brokerNoAccountText: "Het is hier nog niet aan een account gekoppeld. Log eerst op een andere manier in, of vraag het je beheerder.",
  brokerDomainText:
    "Alleen accounts met een e-mailadres van bepaalde organisaties worden geaccepteerd. Gebruik een ander account, of vraag je beheerder.",
  brokerCancelled: "Je hebt het inloggen daar geannuleerd. Kies hoe je verder wilt.",
  linkNotice:
    "Je bent bij {provider} ingelogd als {theirs}. Er is hier al een account met hetzelfde e-mailadres. Laat één keer zien dat het van jou is, dan koppelen we de twee.",
  linkDecline: "Niet koppelen",
  linkDeclined: "Er is niets gekoppeld. Log hier in op een account, of probeer een andere manier.",
  chooseNewAccount: "Doorgaan met een nieuw account",
  newAccountTitle: "Doorgaan met een nieuw account",
  newAccountText:
    "Je krijgt hier een nieuw account voor dat van {provider}. Het bestaande account blijft zoals het is en wordt niet gekoppeld.",
  newAccountAddressText: "Het nieuwe account krijgt het e-mailadres {address} niet.",
  newAccountConfirm: "Account aanmaken",
  brokerTooManyTitle: "Te veel pogingen met dat account",
  brokerTooManyText: "Probeer het over een uur nog eens, of probeer een andere manier.",
  linkAccountTitle: "Een account koppelen",
  linkAccountText: "Log bij {provider} in met het account dat je wilt koppelen.",
  linkAccountConfirmText: "We koppelen {theirs} van {provider} aan je account {ours}. Daarna kun je er hier mee inloggen.",
  linkAccountConfirm: "Accounts koppelen",
  linkAccountTakenTitle: "Dat account is al gekoppeld",
  linkAccountTakenText:
    "Het hoort bij een gebruiker hier en kan niet nog eens worden gekoppeld. Gebruik een ander account bij de provider, of verwijder eerst de andere koppeling.",
  linkOneEachTitle: "Je account is al aan een ander account daar gekoppeld",
  linkOneEachText:
    "Je kunt van elke provider één account koppelen. Log in met dat account, of verwijder eerst die koppeling in je account.",
  brokerStaleTitle: "De provider heeft je niet opnieuw laten inloggen",
  brokerStaleText:
    "Je moet hier opnieuw inloggen, en de provider heeft dat niet bevestigd. Probeer een andere manier, of log uit en weer in.",
  brokerLogoutRefusedTitle: "De provider kon je hier niet uitloggen",
  brokerLogoutRefusedText:
    "We konden het verzoek niet accepteren, dus hier is niets veranderd. Log hier voor de zekerheid zelf uit. Gebeurt het nog eens, geef je beheerder dan het nummer hieronder.",
};

export const deBrokers: typeof enBrokers = {
  brokerPostTitle: "Weiter zur Anmeldung",
  ...deHomeRealm,
  otherProviders: "Oder mit einem anderen Konto anmelden",
  continueWith: "Weiter mit {provider}",
  chooseIdentityProvider: "Mit einem anderen Konto anmelden",
  brokerDownTitle: "Dieser Anbieter ist nicht erreichbar",
  brokerDownText: "Er hat nicht geantwortet wie erwartet. Bitte versuchen Sie es gleich noch einmal, oder melden Sie sich anders an.",
  brokerFailedTitle: "Der Anbieter konnte Sie nicht anmelden",
  brokerFailedText:
    "Seine Antwort konnte nicht angenommen werden, hier wurde nichts geändert. Bitte versuchen Sie es erneut, oder melden Sie sich anders an.",
  brokerDeniedTitle: "Mit diesem Konto können Sie sich nicht anmelden",
  brokerDeniedText:
    "Konten dieses Anbieters werden hier nicht angenommen. Bitte melden Sie sich anders an, oder fragen Sie Ihre Administration.",
  brokerNoAccountText: "Mit ihm ist hier noch kein Konto verknüpft. Melden Sie sich zuerst anders an, oder fragen Sie Ihre Administration.",
  brokerDomainText:
    "Nur Konten mit einer E-Mail-Adresse bestimmter Organisationen werden angenommen. Bitte verwenden Sie ein anderes Konto, oder fragen Sie Ihre Administration.",
  brokerCancelled: "Die Anmeldung beim Anbieter wurde abgebrochen. Wählen Sie, wie Sie fortfahren möchten.",
  linkNotice:
    "Sie haben sich bei {provider} als {theirs} angemeldet. Hier gibt es bereits ein Konto mit derselben E-Mail-Adresse: Zeigen Sie einmal, dass es Ihres ist, dann werden beide verknüpft.",
  linkDecline: "Nicht verknüpfen",
  linkDeclined: "Es wurde nichts verknüpft. Melden Sie sich mit einem Konto hier an, oder wählen Sie einen anderen Weg.",
  chooseNewAccount: "Mit einem neuen Konto fortfahren",
  newAccountTitle: "Mit einem neuen Konto fortfahren",
  newAccountText:
    "Sie erhalten hier ein neues Konto für das Konto bei {provider}. Das bestehende Konto bleibt, wie es ist, und wird nicht verknüpft.",
  newAccountAddressText: "Das neue Konto erhält die E-Mail-Adresse {address} nicht.",
  newAccountConfirm: "Konto anlegen",
  brokerTooManyTitle: "Zu viele Versuche mit diesem Konto",
  brokerTooManyText: "Bitte versuchen Sie es in einer Stunde noch einmal, oder melden Sie sich anders an.",
  linkAccountTitle: "Ein Konto verknüpfen",
  linkAccountText: "Melden Sie sich bei {provider} mit dem Konto an, das Sie verknüpfen möchten.",
  linkAccountConfirmText: "{theirs} bei {provider} wird mit Ihrem Konto {ours} verknüpft. Danach können Sie sich hier damit anmelden.",
  linkAccountConfirm: "Konten verknüpfen",
  linkAccountTakenTitle: "Dieses Konto ist bereits verknüpft",
  linkAccountTakenText:
    "Es gehört zu einem Benutzer hier und kann nicht noch einmal verknüpft werden. Verwenden Sie ein anderes Konto beim Anbieter, oder entfernen Sie zuerst die andere Verknüpfung.",
  linkOneEachTitle: "Ihr Konto ist schon mit einem anderen dort verknüpft",
  linkOneEachText:
    "Bei jedem Anbieter lässt sich ein Konto verknüpfen. Melden Sie sich mit dem verknüpften an, oder entfernen Sie zuerst diese Verknüpfung in Ihrem Konto.",
  brokerStaleTitle: "Der Anbieter hat Sie nicht neu angemeldet",
  brokerStaleText:
    "Hier ist eine neue Anmeldung nötig, und der Anbieter hat keine bestätigt. Melden Sie sich anders an, oder melden Sie sich zuerst ab und dann wieder an.",
  brokerLogoutRefusedTitle: "Der Anbieter konnte Sie hier nicht abmelden",
  brokerLogoutRefusedText:
    "Seine Anfrage wurde nicht angenommen, hier wurde also nichts geändert. Melden Sie sich hier selbst ab, um sicherzugehen. Geschieht es noch einmal, geben Sie Ihrer Administration die Nummer unten.",
};

export const frBrokers: typeof enBrokers = {
  brokerPostTitle: "Continuer vers la connexion",
  ...frHomeRealm,
  otherProviders: "Ou connectez-vous avec un autre compte",
  continueWith: "Continuer avec {provider}",
  chooseIdentityProvider: "Se connecter avec un autre compte",
  brokerDownTitle: "Ce fournisseur est injoignable",
  brokerDownText: "Il n’a pas répondu comme prévu. Réessayez dans un instant, ou connectez-vous autrement.",
  brokerFailedTitle: "Le fournisseur n’a pas pu vous connecter",
  brokerFailedText: "Sa réponse n’a pas pu être acceptée ; rien n’a été modifié ici. Réessayez, ou connectez-vous autrement.",
  brokerDeniedTitle: "Vous ne pouvez pas vous connecter avec ce compte",
  brokerDeniedText: "Les comptes de ce fournisseur ne sont pas acceptés ici. Connectez-vous autrement, ou demandez à votre administrateur.",
  brokerNoAccountText: "Aucun compte n’y est encore lié ici. Connectez-vous d’abord autrement, ou demandez à votre administrateur.",
  brokerDomainText:
    "Seuls les comptes dont l’adresse e-mail appartient à certaines organisations sont acceptés. Utilisez un autre compte, ou demandez à votre administrateur.",
  brokerCancelled: "La connexion chez le fournisseur a été annulée. Choisissez comment continuer.",
  linkNotice:
    "Vous vous êtes connecté chez {provider} en tant que {theirs}. Un compte existe déjà ici avec la même adresse e-mail : montrez une fois qu’il est à vous, et les deux seront liés.",
  linkDecline: "Ne pas lier",
  linkDeclined: "Rien n’a été lié. Connectez-vous à un compte d’ici, ou choisissez une autre façon.",
  chooseNewAccount: "Continuer avec un nouveau compte",
  newAccountTitle: "Continuer avec un nouveau compte",
  newAccountText: "Vous obtenez ici un nouveau compte pour celui de {provider}. Le compte existant reste tel quel et n’est pas lié.",
  newAccountAddressText: "Le nouveau compte ne reçoit pas l’adresse e-mail {address}.",
  newAccountConfirm: "Créer le compte",
  brokerTooManyTitle: "Trop d’essais avec ce compte",
  brokerTooManyText: "Réessayez dans une heure, ou connectez-vous autrement.",
  linkAccountTitle: "Lier un compte",
  linkAccountText: "Connectez-vous chez {provider} avec le compte que vous voulez lier.",
  linkAccountConfirmText: "{theirs} chez {provider} sera lié à votre compte {ours}. Vous pourrez ensuite vous connecter ici avec lui.",
  linkAccountConfirm: "Lier les comptes",
  linkAccountTakenTitle: "Ce compte est déjà lié",
  linkAccountTakenText:
    "Il appartient à un utilisateur d’ici et ne peut pas être lié une seconde fois. Utilisez un autre compte chez le fournisseur, ou supprimez d’abord l’autre lien.",
  linkOneEachTitle: "Votre compte est déjà lié à un autre chez ce fournisseur",
  linkOneEachText:
    "Un seul compte par fournisseur peut être lié. Connectez-vous avec celui qui est lié, ou retirez d’abord ce lien dans votre compte.",
  brokerStaleTitle: "Le fournisseur ne vous a pas reconnecté",
  brokerStaleText:
    "Une nouvelle connexion est nécessaire ici, et le fournisseur n’en a pas confirmé. Connectez-vous autrement, ou déconnectez-vous d’abord puis reconnectez-vous.",
  brokerLogoutRefusedTitle: "Le fournisseur n’a pas pu vous déconnecter ici",
  brokerLogoutRefusedText:
    "Sa demande n’a pas été acceptée, rien n’a donc été modifié ici. Déconnectez-vous ici pour en être sûr. Si cela se reproduit, donnez le numéro ci-dessous à votre administrateur.",
};

export const esBrokers: typeof enBrokers = {
  brokerPostTitle: "Continuar con el inicio de sesión",
  ...esHomeRealm,
  otherProviders: "O inicia sesión con otra cuenta",
  continueWith: "Continuar con {provider}",
  chooseIdentityProvider: "Iniciar sesión con otra cuenta",
  brokerDownTitle: "No se puede contactar con ese proveedor",
  brokerDownText: "No respondió como debía. Inténtalo de nuevo en un momento o inicia sesión de otra forma.",
  brokerFailedTitle: "El proveedor no pudo iniciar tu sesión",
  brokerFailedText: "No se pudo aceptar su respuesta, así que aquí no ha cambiado nada. Inténtalo de nuevo o inicia sesión de otra forma.",
  brokerDeniedTitle: "No puedes iniciar sesión con esa cuenta",
  brokerDeniedText: "Aquí no se aceptan cuentas de ese proveedor. Inicia sesión de otra forma o consulta a tu administrador.",
  brokerNoAccountText: "Todavía no hay ninguna cuenta vinculada a ella. Inicia sesión primero de otra forma o consulta a tu administrador.",
  brokerDomainText:
    "Solo se aceptan cuentas con una dirección de correo de determinadas organizaciones. Usa otra cuenta o consulta a tu administrador.",
  brokerCancelled: "Se canceló el inicio de sesión en el proveedor. Elige cómo continuar.",
  linkNotice:
    "Has iniciado sesión en {provider} como {theirs}. Aquí ya existe una cuenta con la misma dirección de correo: demuestra una vez que es tuya y las dos quedarán vinculadas.",
  linkDecline: "No vincular",
  linkDeclined: "No se ha vinculado nada. Inicia sesión en una cuenta de aquí o elige otra forma.",
  chooseNewAccount: "Continuar con una cuenta nueva",
  newAccountTitle: "Continuar con una cuenta nueva",
  newAccountText: "Obtienes aquí una cuenta nueva para la de {provider}. La cuenta existente queda como está y no se vincula.",
  newAccountAddressText: "La cuenta nueva no recibe la dirección de correo {address}.",
  newAccountConfirm: "Crear la cuenta",
  brokerTooManyTitle: "Demasiados intentos con esa cuenta",
  brokerTooManyText: "Inténtalo de nuevo dentro de una hora o inicia sesión de otra forma.",
  linkAccountTitle: "Vincular una cuenta",
  linkAccountText: "Inicia sesión en {provider} con la cuenta que quieras vincular.",
  linkAccountConfirmText: "{theirs} en {provider} se vinculará a tu cuenta {ours}. Después podrás iniciar sesión aquí con ella.",
  linkAccountConfirm: "Vincular las cuentas",
  linkAccountTakenTitle: "Esa cuenta ya está vinculada",
  linkAccountTakenText:
    "Pertenece a un usuario de aquí, así que no se puede vincular otra vez. Usa otra cuenta en el proveedor o elimina antes el otro vínculo.",
  linkOneEachTitle: "Tu cuenta ya está vinculada a otra de ese proveedor",
  linkOneEachText:
    "Se puede vincular una cuenta de cada proveedor. Inicia sesión con la vinculada o elimina antes ese vínculo en tu cuenta.",
  brokerStaleTitle: "El proveedor no te pidió iniciar sesión de nuevo",
  brokerStaleText:
    "Aquí hace falta un nuevo inicio de sesión y el proveedor no confirmó ninguno. Inicia sesión de otra forma, o cierra antes la sesión y vuelve a entrar.",
  brokerLogoutRefusedTitle: "El proveedor no ha podido cerrar tu sesión aquí",
  brokerLogoutRefusedText:
    "Su solicitud no se ha aceptado, así que aquí no se ha cambiado nada. Cierra aquí la sesión para estar seguro. Si vuelve a pasar, comunica el número de abajo a tu administrador.",
};

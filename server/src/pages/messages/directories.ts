/** Texts about passwords that a directory keeps, in each language. */
export const enDirectories = {
  passwordElsewhereTitle: "Change your password first",
  passwordElsewhereText:
    "Your password is right, but your organization wants you to choose a new one. Change it where you usually do, for example on your work computer. Then sign in here with the new one.",
  passwordInDirectoryText: "Your organization keeps your password. Change it where you usually do, for example on your work computer.",
  currentPassword: "Current password",
  currentPasswordMissingText: "Enter your current password, too.",
  currentPasswordWrongText: "That’s not your current password.",
  passwordDirectoryPolicyText:
    "Your organization doesn’t accept this password. It may be too short, too simple or used before. Choose another one.",
  passwordDirectoryHistoryText: "You’ve used this password before. Choose another one.",
  passwordDirectoryTooYoungText:
    "You changed your password a short while ago. Your organization doesn’t allow another change yet. Try again later.",
  passwordDirectoryDeniedText: "Your organization doesn’t allow this password to be changed here. Ask your administrator.",
};

export const nlDirectories: typeof enDirectories = {
  passwordElsewhereTitle: "Wijzig eerst je wachtwoord",
  passwordElsewhereText:
    "Je wachtwoord klopt, maar je organisatie wil dat je een nieuw kiest. Wijzig het waar je dat gewoonlijk doet, bijvoorbeeld op je werkcomputer, en log hier in met het nieuwe.",
  passwordInDirectoryText:
    "Je wachtwoord staat in de directory van je organisatie. Wijzig het waar je dat gewoonlijk doet, bijvoorbeeld op je werkcomputer.",
  currentPassword: "Huidig wachtwoord",
  currentPasswordMissingText: "Vul ook je huidige wachtwoord in.",
  currentPasswordWrongText: "Dat is niet je huidige wachtwoord.",
  passwordDirectoryPolicyText:
    "De directory van je organisatie accepteert dit wachtwoord niet. Het is misschien te kort, te eenvoudig of al eerder gebruikt. Kies een ander wachtwoord.",
  passwordDirectoryHistoryText: "De directory van je organisatie kent dit wachtwoord nog van eerder gebruik. Kies een ander wachtwoord.",
  passwordDirectoryTooYoungText:
    "Je hebt je wachtwoord kort geleden gewijzigd en de directory van je organisatie accepteert nog geen nieuwe wijziging. Probeer het later opnieuw.",
  passwordDirectoryDeniedText: "De directory van je organisatie laat dit wachtwoord hier niet wijzigen. Vraag het je beheerder.",
};

export const deDirectories: typeof enDirectories = {
  passwordElsewhereTitle: "Bitte ändern Sie zuerst Ihr Passwort",
  passwordElsewhereText:
    "Ihr Passwort stimmt, aber Ihre Organisation verlangt ein neues. Ändern Sie es dort, wo Sie es sonst auch tun, zum Beispiel an Ihrem Arbeitsrechner, und melden Sie sich hier mit dem neuen an.",
  passwordInDirectoryText:
    "Ihr Passwort liegt im Verzeichnis Ihrer Organisation. Ändern Sie es dort, wo Sie es sonst auch tun, zum Beispiel an Ihrem Arbeitsrechner.",
  currentPassword: "Aktuelles Passwort",
  currentPasswordMissingText: "Bitte geben Sie auch Ihr aktuelles Passwort ein.",
  currentPasswordWrongText: "Das ist nicht Ihr aktuelles Passwort.",
  passwordDirectoryPolicyText:
    "Das Verzeichnis Ihrer Organisation nimmt dieses Passwort nicht an. Vielleicht ist es zu kurz, zu einfach oder wurde schon verwendet. Bitte wählen Sie ein anderes.",
  passwordDirectoryHistoryText: "Das Verzeichnis Ihrer Organisation kennt dieses Passwort schon von früher. Bitte wählen Sie ein anderes.",
  passwordDirectoryTooYoungText:
    "Sie haben Ihr Passwort erst vor Kurzem geändert, und das Verzeichnis Ihrer Organisation nimmt noch keine weitere Änderung an. Bitte versuchen Sie es später erneut.",
  passwordDirectoryDeniedText:
    "Das Verzeichnis Ihrer Organisation lässt nicht zu, dass dieses Passwort hier geändert wird. Bitte fragen Sie Ihre Administration.",
};

export const frDirectories: typeof enDirectories = {
  passwordElsewhereTitle: "Changez d’abord votre mot de passe",
  passwordElsewhereText:
    "Votre mot de passe est correct, mais votre organisation vous demande d’en choisir un nouveau. Changez-le là où vous le faites d’habitude, par exemple sur votre ordinateur de travail, puis connectez-vous ici avec le nouveau.",
  passwordInDirectoryText:
    "Votre mot de passe est conservé dans l’annuaire de votre organisation. Changez-le là où vous le faites d’habitude, par exemple sur votre ordinateur de travail.",
  currentPassword: "Mot de passe actuel",
  currentPasswordMissingText: "Saisissez aussi votre mot de passe actuel.",
  currentPasswordWrongText: "Ce n’est pas votre mot de passe actuel.",
  passwordDirectoryPolicyText:
    "L’annuaire de votre organisation n’accepte pas ce mot de passe. Il est peut-être trop court, trop simple ou déjà utilisé. Choisissez-en un autre.",
  passwordDirectoryHistoryText:
    "L’annuaire de votre organisation se souvient que ce mot de passe a déjà été utilisé. Choisissez-en un autre.",
  passwordDirectoryTooYoungText:
    "Vous avez changé votre mot de passe il y a peu, et l’annuaire de votre organisation n’accepte pas encore d’autre changement. Réessayez plus tard.",
  passwordDirectoryDeniedText:
    "L’annuaire de votre organisation ne permet pas de changer ce mot de passe ici. Adressez-vous à votre administrateur.",
};

export const esDirectories: typeof enDirectories = {
  passwordElsewhereTitle: "Cambia primero tu contraseña",
  passwordElsewhereText:
    "Tu contraseña es correcta, pero tu organización quiere que elijas una nueva. Cámbiala donde sueles hacerlo, por ejemplo en tu ordenador del trabajo, e inicia sesión aquí con la nueva.",
  passwordInDirectoryText:
    "Tu contraseña está en el directorio de tu organización. Cámbiala donde sueles hacerlo, por ejemplo en tu ordenador del trabajo.",
  currentPassword: "Contraseña actual",
  currentPasswordMissingText: "Escribe también tu contraseña actual.",
  currentPasswordWrongText: "Esa no es tu contraseña actual.",
  passwordDirectoryPolicyText:
    "El directorio de tu organización no acepta esta contraseña. Puede ser demasiado corta, demasiado simple o ya usada. Elige otra.",
  passwordDirectoryHistoryText: "El directorio de tu organización recuerda que esta contraseña ya se usó. Elige otra.",
  passwordDirectoryTooYoungText:
    "Cambiaste tu contraseña hace poco y el directorio de tu organización aún no acepta otro cambio. Inténtalo más tarde.",
  passwordDirectoryDeniedText:
    "El directorio de tu organización no permite cambiar esta contraseña desde aquí. Consulta a tu administrador.",
};

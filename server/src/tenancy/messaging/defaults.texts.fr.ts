import type { Texts } from "./defaults.texts.ts";

/** French has a no-break space before `:` and a narrow one before `?`, `!` and `;`. These texts contain them, and a test checks it. */
export const french: Texts = {
  lang: "fr",
  greeting: "Bonjour {{user}},",
  colon: "\u00a0:",
  plain: {
    "otp-sms": { subject: null, body: "{{code}} est votre code pour {{realm}}. Il expire dans {{ttl}}. Ne le communiquez jamais." },
    "push-approval": {
      subject: "Se connecter à {{realm}} ?",
      body: "Approuvez seulement si c’est vous, {{user}}, qui vous connectez en ce moment.",
    },
  },
  mails: {
    "otp-email": {
      subject: "Votre code de connexion à {{realm}}",
      heading: "Votre code de connexion",
      lead: "Saisissez ce code pour vous connecter à {{realm}} :",
      code: "{{code}}",
      notes: [
        "Il expire dans {{ttl}}. Nous ne vous le demanderons jamais.",
        "Vous n’essayiez pas de vous connecter ? Ignorez simplement cet e-mail.",
      ],
    },
    "magic-link-email": {
      subject: "Se connecter à {{realm}}",
      heading: "Connectez-vous en un clic",
      lead: "Utilisez ce bouton pour vous connecter à {{realm}}, sans mot de passe.",
      button: { label: "Se connecter", href: "{{link}}" },
      notes: [
        "Le lien ne fonctionne qu’une fois et expire dans {{ttl}}.",
        "Vous ne l’avez pas demandé ? Ignorez simplement cet e-mail : sans le lien, personne ne peut entrer.",
      ],
    },
    "verify-email": {
      subject: "Confirmez votre adresse e-mail pour {{realm}}",
      heading: "Confirmez votre adresse e-mail",
      lead: "Confirmez que cette adresse e-mail est bien à vous : saisissez ce code sur la page qui le demande, ou utilisez le bouton.",
      code: "{{code}}",
      button: { label: "Confirmer mon adresse", href: "{{link}}" },
      notes: [
        "Les deux expirent dans {{ttl}}. Ne communiquez jamais le code.",
        "Vous ne connaissez pas {{realm}} ? Quelqu’un s’est trompé d’adresse, et vous pouvez ignorer cet e-mail.",
      ],
    },
    "change-email": {
      subject: "Confirmez votre nouvelle adresse e-mail pour {{realm}}",
      heading: "Confirmez votre nouvelle adresse e-mail",
      lead: "Quelqu’un a demandé à utiliser cette adresse e-mail pour votre compte sur {{realm}}. Si c’est vous, utilisez ce bouton : elle devient alors votre adresse.",
      button: { label: "Confirmer ma nouvelle adresse", href: "{{link}}" },
      notes: ["Le lien fonctionne une fois, pendant {{ttl}}.", "Ce n’est pas vous ? Ignorez cet e-mail : rien ne change."],
    },
    "email-change-notice": {
      subject: "Votre adresse e-mail sur {{realm}} va changer",
      heading: "Votre adresse e-mail va changer",
      lead: "Une personne connectée à votre compte sur {{realm}} a demandé à remplacer ou à retirer cette adresse e-mail. Si c’est vous, vous n’avez rien à faire.",
      notes: [
        "Ce n’est pas vous ? Connectez-vous et changez tout de suite votre mot de passe : une nouvelle adresse qui n’est pas encore confirmée est alors refusée.",
      ],
    },
    "reset-password-email": {
      subject: "Choisissez un nouveau mot de passe pour {{realm}}",
      heading: "Choisissez un nouveau mot de passe",
      lead: "Quelqu’un a demandé un nouveau mot de passe pour votre compte sur {{realm}}. Si c’est vous, saisissez ce code sur la page qui le demande, ou utilisez le bouton :",
      code: "{{code}}",
      button: { label: "Choisir un mot de passe", href: "{{link}}" },
      notes: [
        "Les deux ne fonctionnent qu’une fois et expirent dans {{ttl}}. Ne communiquez jamais le code.",
        "Ce n’est pas vous ? Ignorez cet e-mail : votre mot de passe reste inchangé.",
      ],
    },
    "account-actions-email": {
      subject: "Mettez à jour votre compte sur {{realm}}",
      heading: "Mettez votre compte à jour",
      lead: "Un administrateur de {{realm}} vous demande de mettre votre compte à jour : par exemple de choisir un mot de passe ou de configurer une deuxième étape de connexion. Ce bouton vous guide.",
      button: { label: "Mettre mon compte à jour", href: "{{link}}" },
      notes: [
        "Le lien fonctionne une seule fois, pendant {{ttl}}. Il n’est que pour vous : ne le transmettez pas.",
        "Si vous n’attendiez pas cet e-mail, demandez à l’administrateur avant de continuer.",
      ],
    },
    "account-exists-email": {
      subject: "Vous avez déjà un compte sur {{realm}}",
      heading: "Vous avez déjà un compte",
      lead: "Quelqu’un a voulu créer un compte sur {{realm}} avec cette adresse e-mail, mais il en existe déjà un. Si c’est vous, connectez-vous simplement ; vous pourrez aussi y choisir un nouveau mot de passe.",
      button: { label: "Se connecter", href: "{{link}}" },
      notes: ["Ce n’est pas vous ? Ignorez cet e-mail : rien n’a changé."],
    },
    "invitation-email": {
      subject: "Vous êtes invité à rejoindre {{organization}}",
      heading: "Rejoignez {{organization}}",
      lead: "Vous êtes invité à rejoindre {{organization}} sur {{realm}}. Utilisez ce bouton pour accepter ; si vous n’avez pas encore de compte, vous pourrez en créer un.",
      button: { label: "Accepter l’invitation", href: "{{link}}" },
      notes: [
        "Le lien ne fonctionne qu’une fois et expire dans {{ttl}}.",
        "Vous ne vous y attendiez pas ? Vous pouvez ignorer cet e-mail.",
      ],
    },
    "new-device-email": {
      subject: "Nouvelle connexion à {{realm}}",
      heading: "Connexion depuis un nouvel appareil",
      lead: "Votre compte sur {{realm}} a été utilisé sur un appareil que nous ne connaissions pas. Si c’est vous, vous n’avez rien à faire.",
      facts: [
        ["Navigateur", "{{browser}}"],
        ["Adresse", "{{address}}"],
        ["Date et heure", "{{time}}"],
      ],
      button: { label: "Voir mon compte", href: "{{link}}" },
      notes: ["Ce n’est pas vous ? Changez tout de suite votre mot de passe, et mettez fin aux sessions que vous ne connaissez pas."],
    },
    "agent-review-email": {
      subject: "Merci de vérifier l’agent {{agent}} sur {{realm}}",
      heading: "{{agent}} est-il encore nécessaire ?",
      lead: "Vous êtes responsable de l’agent {{agent}} sur {{realm}}. Sa vérification est à faire : confirmez qu’il est encore nécessaire et que ses droits se limitent au besoin, ou suspendez-le.",
      button: { label: "Voir mon compte", href: "{{link}}" },
      notes: ["Cet agent n’est plus le vôtre ? Prévenez un administrateur de {{realm}}."],
    },
  },
};

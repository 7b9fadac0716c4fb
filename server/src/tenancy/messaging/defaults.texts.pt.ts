import type { Texts } from "./defaults.texts.ts";

export const portuguese: Texts = {
  lang: "pt",
  greeting: "Olá, {{user}}!",
  plain: {
    "otp-sms": { subject: null, body: "Use {{code}} para entrar em {{realm}}. Expira em {{ttl}}. Nunca compartilhe com outras pessoas." },
    "push-approval": { subject: "Entrar em {{realm}}?", body: "Aprove somente se é você, {{user}}, quem está entrando agora." },
  },
  mails: {
    "otp-email": {
      subject: "Seu código para entrar em {{realm}}",
      heading: "Seu código de acesso",
      lead: "Digite este código para entrar em {{realm}}:",
      code: "{{code}}",
      notes: ["Ele expira em {{ttl}}. Nunca vamos pedi-lo a você.", "Você não tentou entrar? Então é só ignorar este e-mail."],
    },
    "magic-link-email": {
      subject: "Entre em {{realm}}",
      heading: "Entre com um clique",
      lead: "Use este botão para entrar em {{realm}}. Não é preciso senha.",
      button: { label: "Entrar", href: "{{link}}" },
      notes: ["O link funciona uma vez e expira em {{ttl}}.", "Você não pediu? Então é só ignorar este e-mail: sem o link, ninguém entra."],
    },
    "verify-email": {
      subject: "Confirme seu e-mail para {{realm}}",
      heading: "Confirme seu e-mail",
      lead: "Confirme que este endereço de e-mail é seu: digite este código na página que o pede ou use o botão.",
      code: "{{code}}",
      button: { label: "Confirmar meu endereço", href: "{{link}}" },
      notes: [
        "Os dois expiram em {{ttl}}. Não passe o código a ninguém.",
        "Você não conhece {{realm}}? Então alguém digitou o endereço errado, e você pode ignorar este e-mail.",
      ],
    },
    "change-email": {
      subject: "Confirme seu novo e-mail para {{realm}}",
      heading: "Confirme seu novo e-mail",
      lead: "Alguém pediu para usar este endereço de e-mail na sua conta em {{realm}}. Se foi você, use este botão: a partir daí, ele é o seu endereço.",
      button: { label: "Confirmar meu novo endereço", href: "{{link}}" },
      notes: ["O link funciona uma vez e expira em {{ttl}}.", "Não foi você? Então ignore este e-mail: nada muda."],
    },
    "email-change-notice": {
      subject: "Seu e-mail em {{realm}} vai mudar",
      heading: "Seu e-mail vai mudar",
      lead: "Alguém que entrou na sua conta em {{realm}} pediu para trocar ou remover este endereço de e-mail. Se foi você, não precisa fazer nada.",
      notes: ["Não foi você? Então entre e mude sua senha agora: um novo endereço que ainda não foi confirmado será recusado."],
    },
    "reset-password-email": {
      subject: "Escolha uma nova senha para {{realm}}",
      heading: "Escolha uma nova senha",
      lead: "Alguém pediu uma nova senha para a sua conta em {{realm}}. Se foi você, digite este código na página que o pede ou use o botão:",
      code: "{{code}}",
      button: { label: "Escolher uma nova senha", href: "{{link}}" },
      notes: [
        "Os dois funcionam uma vez e expiram em {{ttl}}. Não passe o código a ninguém.",
        "Não foi você? Então ignore este e-mail: sua senha continua a mesma.",
      ],
    },
    "account-actions-email": {
      subject: "Atualize sua conta em {{realm}}",
      heading: "Atualize sua conta",
      lead: "Um administrador de {{realm}} pede que você atualize sua conta: por exemplo, que escolha uma senha ou configure uma segunda etapa para entrar. Este botão mostra o caminho.",
      button: { label: "Atualizar minha conta", href: "{{link}}" },
      notes: [
        "O link funciona uma vez e expira em {{ttl}}. Ele é só seu: não o repasse.",
        "Você não esperava este e-mail? Pergunte ao administrador antes de continuar.",
      ],
    },
    "account-exists-email": {
      subject: "Você já tem uma conta em {{realm}}",
      heading: "Você já tem uma conta",
      lead: "Alguém quis criar uma conta em {{realm}} com este endereço de e-mail, mas já existe uma. Se foi você, é só entrar; ali você também pode escolher uma nova senha.",
      button: { label: "Entrar", href: "{{link}}" },
      notes: ["Não foi você? Então ignore este e-mail: nada mudou."],
    },
    "invitation-email": {
      subject: "Você foi convidado para {{organization}}",
      heading: "Convite para {{organization}}",
      lead: "Você foi convidado para {{organization}} em {{realm}}. Use este botão para aceitar; se ainda não tem uma conta, você a cria ali.",
      button: { label: "Aceitar o convite", href: "{{link}}" },
      notes: ["O link funciona uma vez e expira em {{ttl}}.", "Se você não esperava este convite, pode ignorar este e-mail."],
    },
    "new-device-email": {
      subject: "Novo acesso a {{realm}}",
      heading: "Acesso em um novo dispositivo",
      lead: "Sua conta em {{realm}} foi usada em um dispositivo que ainda não conhecemos. Se foi você, não precisa fazer nada.",
      facts: [
        ["Navegador", "{{browser}}"],
        ["Endereço", "{{address}}"],
        ["Horário", "{{time}}"],
      ],
      button: { label: "Ver minha conta", href: "{{link}}" },
      notes: ["Não foi você? Então mude sua senha agora e encerre as sessões que você não reconhece."],
    },
    "agent-review-email": {
      subject: "Revise o agente {{agent}} em {{realm}}",
      heading: "{{agent}} ainda é necessário?",
      lead: "Você responde pelo agente {{agent}} em {{realm}}. Está na hora de revisá-lo: confirme que ele ainda é necessário e que não pode fazer mais do que precisa, ou suspenda-o.",
      button: { label: "Ver minha conta", href: "{{link}}" },
      notes: ["O agente não é mais seu? Avise um administrador de {{realm}}."],
    },
  },
};

import type { Texts } from "./defaults.texts.ts";

export const spanish: Texts = {
  lang: "es",
  greeting: "Hola, {{user}}:",
  plain: {
    "otp-sms": { subject: null, body: "{{code}} es tu clave para {{realm}}. Caduca en {{ttl}}. No la compartas con nadie." },
    "push-approval": {
      subject: "¿Iniciar sesión en {{realm}}?",
      body: "Aprueba solo si eres tú, {{user}}, quien inicia sesión ahora mismo.",
    },
  },
  mails: {
    "otp-email": {
      subject: "Tu código para iniciar sesión en {{realm}}",
      heading: "Tu código de inicio de sesión",
      lead: "Escribe este código para iniciar sesión en {{realm}}:",
      code: "{{code}}",
      notes: ["Caduca en {{ttl}}. Nunca te lo pediremos.", "¿No intentabas iniciar sesión? Entonces simplemente ignora este correo."],
    },
    "magic-link-email": {
      subject: "Inicia sesión en {{realm}}",
      heading: "Inicia sesión con un clic",
      lead: "Usa este botón para iniciar sesión en {{realm}}. No hace falta contraseña.",
      button: { label: "Iniciar sesión", href: "{{link}}" },
      notes: [
        "El enlace solo funciona una vez y caduca en {{ttl}}.",
        "¿No lo has pedido? Entonces simplemente ignora este correo: sin el enlace no entra nadie.",
      ],
    },
    "verify-email": {
      subject: "Confirma tu dirección de correo para {{realm}}",
      heading: "Confirma tu dirección de correo",
      lead: "Confirma que esta dirección de correo es tuya: escribe este código en la página que lo pide o usa el botón.",
      code: "{{code}}",
      button: { label: "Confirmar mi dirección", href: "{{link}}" },
      notes: [
        "Ambos caducan en {{ttl}}. No des el código a nadie.",
        "¿No conoces {{realm}}? Entonces alguien se equivocó al escribir su dirección y puedes ignorar este correo.",
      ],
    },
    "change-email": {
      subject: "Confirma tu nueva dirección de correo para {{realm}}",
      heading: "Confirma tu nueva dirección de correo",
      lead: "Alguien ha pedido usar esta dirección de correo para tu cuenta en {{realm}}. Si has sido tú, usa este botón: desde entonces será tu dirección.",
      button: { label: "Confirmar mi nueva dirección", href: "{{link}}" },
      notes: ["El enlace funciona una vez, durante {{ttl}}.", "¿No has sido tú? Ignora este correo: no cambia nada."],
    },
    "email-change-notice": {
      subject: "Tu dirección de correo en {{realm}} va a cambiar",
      heading: "Tu dirección de correo va a cambiar",
      lead: "Alguien que ha iniciado sesión en tu cuenta en {{realm}} ha pedido sustituir o quitar esta dirección de correo. Si has sido tú, no tienes que hacer nada.",
      notes: [
        "¿No has sido tú? Entonces inicia sesión y cambia ahora tu contraseña: una dirección nueva que aún no se ha confirmado se rechazará.",
      ],
    },
    "reset-password-email": {
      subject: "Elige una contraseña nueva para {{realm}}",
      heading: "Elige una contraseña nueva",
      lead: "Alguien ha pedido una contraseña nueva para tu cuenta en {{realm}}. Si has sido tú, escribe este código en la página que lo pide o usa el botón:",
      code: "{{code}}",
      button: { label: "Elegir contraseña", href: "{{link}}" },
      notes: [
        "Ambos funcionan una sola vez y caducan en {{ttl}}. No des el código a nadie.",
        "¿No has sido tú? Entonces ignora este correo: tu contraseña sigue igual.",
      ],
    },
    "account-actions-email": {
      subject: "Actualiza tu cuenta en {{realm}}",
      heading: "Actualiza tu cuenta",
      lead: "Un administrador de {{realm}} te pide que actualices tu cuenta: por ejemplo, que elijas una contraseña o configures un segundo paso para iniciar sesión. Este botón te guía.",
      button: { label: "Actualizar mi cuenta", href: "{{link}}" },
      notes: [
        "El enlace funciona una sola vez y vale durante {{ttl}}. Es solo tuyo: no lo compartas.",
        "Si no esperabas este correo, pregunta al administrador antes de continuar.",
      ],
    },
    "account-exists-email": {
      subject: "Ya tienes una cuenta en {{realm}}",
      heading: "Ya tienes una cuenta",
      lead: "Alguien quiso crear una cuenta en {{realm}} con esta dirección de correo, pero ya existe una. Si has sido tú, simplemente inicia sesión; allí también puedes elegir una contraseña nueva.",
      button: { label: "Iniciar sesión", href: "{{link}}" },
      notes: ["¿No has sido tú? Entonces ignora este correo: no ha cambiado nada."],
    },
    "invitation-email": {
      subject: "Te invitan a unirte a {{organization}}",
      heading: "Únete a {{organization}}",
      lead: "Te invitan a unirte a {{organization}} en {{realm}}. Usa este botón para aceptar; si aún no tienes una cuenta, podrás crearla allí.",
      button: { label: "Aceptar la invitación", href: "{{link}}" },
      notes: ["El enlace solo funciona una vez y caduca en {{ttl}}.", "¿No la esperabas? Entonces puedes ignorar este correo."],
    },
    "new-device-email": {
      subject: "Nuevo inicio de sesión en {{realm}}",
      heading: "Inicio de sesión en un dispositivo nuevo",
      lead: "Tu cuenta en {{realm}} se ha usado en un dispositivo que no conocíamos. Si has sido tú, no tienes que hacer nada.",
      facts: [
        ["Navegador", "{{browser}}"],
        ["Dirección", "{{address}}"],
        ["Fecha y hora", "{{time}}"],
      ],
      button: { label: "Ver mi cuenta", href: "{{link}}" },
      notes: ["¿No has sido tú? Entonces cambia ahora tu contraseña y cierra las sesiones que no conozcas."],
    },
    "agent-review-email": {
      subject: "Revisa el agente {{agent}} en {{realm}}",
      heading: "¿Sigue haciendo falta {{agent}}?",
      lead: "Eres responsable del agente {{agent}} en {{realm}}. Toca revisarlo: confirma que sigue haciendo falta y que no puede hacer más de lo necesario, o suspéndelo.",
      button: { label: "Ver mi cuenta", href: "{{link}}" },
      notes: ["¿El agente ya no es tuyo? Avisa a un administrador de {{realm}}."],
    },
  },
};

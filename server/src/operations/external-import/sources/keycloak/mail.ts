import { defined, isTrue, numberOf, recordOf, textOf } from "../../reading.ts";
import type { KeycloakRealm } from "./export.ts";

const known = {
  mapped: ["host", "port", "user", "password", "from", "fromDisplayName", "ssl", "starttls", "auth"],
  ignored: ["authType", "debug", "connectionTimeout", "timeout", "writeTimeout"],
};

/** Translates the mail server for holders of `realm-admin` only: whoever configures mail can read the links to every account. */
export function mailOf(realm: KeycloakRealm): object[] {
  const server = recordOf(realm.value.smtpServer);
  const [host, from] = [textOf(server.host), textOf(server.from)];
  if (host === undefined || from === undefined) return [];
  if (!realm.input.may("realm-admin")) {
    realm.report.unmapped("smtpServer", "Only a holder of realm-admin can say how mail is sent", "smtpServer");
    return [];
  }
  realm.report.members("smtpServer", "smtpServer", server, known);
  const port = numberOf(server.port);
  const hasPassword = isTrue(server.auth) && textOf(server.password) !== undefined;
  if (isTrue(server.auth) && !hasPassword)
    realm.report.unmapped("smtpServer.password", "The file does not have it: set it before mail is sent", "smtpServer");
  return [
    {
      ...{ channel: "EMAIL", driver: "smtp", fromAddress: from },
      ...defined({ fromName: textOf(server.fromDisplayName), secret: hasPassword ? textOf(server.password) : undefined }),
      config: defined({
        host,
        port,
        username: isTrue(server.auth) ? textOf(server.user) : undefined,
        security: isTrue(server.ssl) ? "tls" : isTrue(server.starttls) ? "starttls" : "none",
      }),
      // Without the password, no mail would be sent.
      enabled: !isTrue(server.auth) || hasPassword,
    },
  ];
}

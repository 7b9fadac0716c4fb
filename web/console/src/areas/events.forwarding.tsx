import type { components } from "@gatehouse/api";
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { serverApi } from "../app/api.ts";
import { useText } from "../i18n/index.ts";

type AuditConfig = components["schemas"]["AuditConfig"];

/** Shows the receiver of the events of all realms, which the server's configuration sets. */
export function Forwarding() {
  const t = useText();
  const config = useQuery({
    queryKey: ["audit", "config"],
    queryFn: async () => (await serverApi.get<AuditConfig>("/admin/audit/config")).data,
  });
  if (!config.data?.enabled) return null;
  const { transports, forwarder } = config.data;
  return (
    <Text size="sm">
      {t("Events of all realms are sent by: {transports}", { transports: transports.join(", ") })}
      {forwarder &&
        (forwarder.lastError
          ? `. ${t("The last try failed: {error}", { error: forwarder.lastError })}`
          : `. ${t("The oldest waits for {seconds} s", { seconds: forwarder.lagSeconds })}`)}
    </Text>
  );
}

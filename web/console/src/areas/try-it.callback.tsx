import { Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { useText } from "../i18n/index.ts";
import { CHANNEL } from "./try-it.flow.ts";

/** The redirect URI of "Try it": passes the answer to the page that made the request, which alone knows the verifier. */
export function TryItCallback() {
  const t = useText();
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.postMessage(location.search);
    channel.close();
    window.close();
  }, []);
  return (
    <Stack p="xl" align="center">
      <Text>{t("Done. Close this window and return to the other one.")}</Text>
    </Stack>
  );
}

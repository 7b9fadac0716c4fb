import { Button } from "@mantine/core";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { failed, succeeded } from "./notify.ts";
import { useOnce } from "./once.ts";

/** A button that sends one item of a list again: a delivery, or an object of a target. */
export function SendAgain({ path, reload }: { path: string; reload(): Promise<unknown> }) {
  const t = useText();
  const { api } = useRealm();
  const { busy, once } = useOnce();
  const send = async () => {
    try {
      await api.send("POST", path);
      succeeded(t("It is sent again"));
      await reload();
    } catch (error) {
      failed(error);
    }
  };
  return (
    <Button size="xs" variant="default" loading={busy} onClick={() => void once(send)}>
      {t("Send again")}
    </Button>
  );
}

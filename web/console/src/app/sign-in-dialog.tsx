import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { useText } from "../i18n/index.ts";
import { CHANNEL, openQuestion, RETURN, signInUrl } from "./sign-in-again.tsx";

/** Asks for a sign-in in another tab, so that typed text stays. */
export function SignInAgain() {
  const t = useText();
  const current = openQuestion.use();
  useEffect(() => {
    if (!current) return;
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = () => current.answer(true);
    return () => channel.close();
  }, [current]);
  if (!current) return null;
  const { question, answer } = current;
  const expired = question.reason === "expired";
  const target = question.url ? withReturn(question.url) : signInUrl(question.realm, RETURN);
  return (
    <Modal opened onClose={() => answer(false)} title={expired ? t("Your session has ended") : t("Confirm that it is you")} centered>
      <Stack>
        <Text size="sm">
          {expired
            ? t("Sign in again in a new tab. What you typed here stays.")
            : t("This change needs a recent sign-in. Sign in again in a new tab, and the change continues.")}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => answer(false)}>
            {t("Cancel")}
          </Button>
          <Button component="a" href={target} target="_blank" rel="opener" data-autofocus>
            {t("Sign in again")}
          </Button>
          <Button variant="light" onClick={() => answer(true)}>
            {t("I have signed in")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function withReturn(url: string): string {
  const target = new URL(url, location.origin);
  target.searchParams.set("return_to", RETURN);
  return target.pathname + target.search;
}

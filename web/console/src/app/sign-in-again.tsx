import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useEffect, useSyncExternalStore } from "react";
import { useText } from "../i18n/index.ts";

interface Question {
  readonly realm: string;
  readonly reason: "expired" | "recent";
  readonly url: string | undefined;
}

const CHANNEL = "gatehouse.signed-in";

let open: { question: Question; answer: (again: boolean) => void } | null = null;
let waiting: Promise<boolean> | null = null;
const listeners = new Set<() => void>();
const changed = () => {
  for (const listener of listeners) listener();
};

/** Opens the dialog; several calls that were refused at once share it. True once the user has signed in again. */
export function askToSignInAgain(question: Question): Promise<boolean> {
  waiting ??= new Promise<boolean>((resolve) => {
    open = {
      question,
      answer: (again) => {
        open = null;
        waiting = null;
        changed();
        resolve(again);
      },
    };
    changed();
  });
  return waiting;
}

/** Where the new tab returns to; it announces itself and closes. */
export const RETURN = "/console/signed-in";

export function signInUrl(realm: string, returnTo: string): string {
  return `/realms/${encodeURIComponent(realm)}/login?${new URLSearchParams({ return_to: returnTo })}`;
}

/** The page that the sign-in in another tab ends at. */
export function SignedIn() {
  const t = useText();
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.postMessage("signed in");
    channel.close();
    window.close();
  }, []);
  return (
    <Stack p="xl" align="center">
      <Text>{t("You are signed in. Close this tab and continue where you were.")}</Text>
    </Stack>
  );
}

export function SignInAgain() {
  const t = useText();
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open,
  );
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
            : t("This change needs a recent sign-in. Sign in again in a new tab; the change is then made.")}
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

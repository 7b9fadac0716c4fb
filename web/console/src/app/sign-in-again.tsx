import { Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { useText } from "../i18n/index.ts";
import { createStore } from "./store.ts";

interface Question {
  readonly realm: string;
  readonly reason: "expired" | "recent";
  readonly url: string | undefined;
}

export const CHANNEL = "gatehouse.signed-in";

/** The open question. */
export const openQuestion = createStore<{ readonly question: Question; answer(again: boolean): void } | null>(null);
let waiting: Promise<boolean> | null = null;

/** Opens the dialog, which several calls share that were refused at once. Resolves to true once the user has signed in again, and to false if they cancel. */
export function askToSignInAgain(question: Question): Promise<boolean> {
  waiting ??= new Promise<boolean>((resolve) => {
    openQuestion.set({
      question,
      answer: (again) => {
        waiting = null;
        openQuestion.set(null);
        resolve(again);
      },
    });
  });
  return waiting;
}

/** The address to which the new tab returns. Its page notifies this one and closes. */
export const RETURN = "/console/signed-in";

export function signInUrl(realm: string, returnTo: string): string {
  return `/realms/${encodeURIComponent(realm)}/login?${new URLSearchParams({ return_to: returnTo })}`;
}

/** The page to which the sign-in in another tab leads. */
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

import { type ComponentType, lazy } from "react";

const AGAIN = 2_000;

/** A part that is loaded after the page. If the server cannot be reached just then, it is tried again: the page goes on without it. */
// biome-ignore lint/suspicious/noExplicitAny: every part has its own properties
export const later = <T extends ComponentType<any>>(load: () => Promise<T>) =>
  lazy(async () => {
    for (;;) {
      try {
        return { default: await load() };
      } catch {
        await new Promise((resolve) => setTimeout(resolve, AGAIN));
      }
    }
  });

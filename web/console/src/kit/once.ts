import { useRef, useState } from "react";

/** Returns whether an act runs, and a function that runs one. Until it is done, a second click or Enter does nothing. */
export function useOnce() {
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const once = async (act: () => Promise<unknown>): Promise<void> => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    try {
      await act();
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { busy, once };
}

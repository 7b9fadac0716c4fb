import type { ComponentChildren } from "preact";
import { Submit } from "./controls.tsx";
import { linkTarget } from "./links.ts";

/** An application that the browser goes to: to its address, or by a form that it is sent. */
export interface Hop {
  readonly name: string;
  readonly location: string;
  readonly form?: Readonly<Record<string, string>>;
}

/** The script `hop.js` goes there at once; without scripts, people press the button. */
export function HopButton({ hop: { location, form }, children }: { hop: Omit<Hop, "name">; children: ComponentChildren }) {
  const target = linkTarget(location);
  if (!form) {
    return (
      <div class="gh-actions">
        <a class="gh-button gh-button--primary" href={target ?? "#"} data-hop="">
          {children}
        </a>
      </div>
    );
  }
  return (
    <form class="gh-form" method="post" action={target ?? ""} data-hop="">
      {Object.entries(form).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <Submit id="continue">{children}</Submit>
    </form>
  );
}

import type { ComponentChildren } from "preact";
import { Submit } from "./controls.tsx";
import { linkTarget } from "./links.ts";

/** An application to which the browser is sent: by its address, or by a form. */
export interface Hop {
  readonly name: string;
  readonly location: string;
  readonly form?: Readonly<Record<string, string>>;
}

/** The button that leads there. The script `hop.js` presses it at once; without scripts, people do. */
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

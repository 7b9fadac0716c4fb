import type { VNode } from "preact";
import { Isolated } from "./text.tsx";

/** Names and values from other programs and people. Unknown values are left out. */
export const Facts = ({ facts }: { facts: readonly (readonly [name: string, value: string | VNode | null])[] }) => (
  <dl class="gh-facts">
    {facts.map(([name, value]) =>
      value === null ? null : (
        <div class="gh-fact">
          <dt>{name}</dt>
          <dd>{typeof value === "string" ? <Isolated text={value} /> : value}</dd>
        </div>
      ),
    )}
  </dl>
);

import { Document, type PageFrame } from "./layout.tsx";
import { Isolated } from "./text.tsx";

/** Names and values, as other programs and people gave them; what is not known is not there. */
export const Facts = ({ facts }: { facts: readonly (readonly [name: string, value: string | null])[] }) => (
  <dl class="gh-facts">
    {facts.map(([name, value]) =>
      value === null ? null : (
        <div class="gh-fact">
          <dt>{name}</dt>
          <dd>
            <Isolated text={value} />
          </dd>
        </div>
      ),
    )}
  </dl>
);

/** On a phone, after an answer: how it ended. There is nothing more to do. */
export const Answered = ({ frame, words: [title, lead] }: { frame: PageFrame; words: readonly [title: string, lead: string] }) => (
  <Document {...frame} kind="device" title={title} lead={lead} />
);

import { invalidFields } from "../../kernel/errors.ts";
import { didYouMean } from "../../kernel/suggest.ts";
import type { AuditEvent } from "../../platform/unit-of-work.ts";
import { categories, eventTypes, splitNames } from "../audit/index.ts";

/** The event that is recorded for a failed delivery. It is never sent by webhook, because its own failure would cause another one, for ever. */
export const WEBHOOK_DEAD = "WEBHOOK_DEAD";

const EVERYTHING = "*";
const known = new Set<string>([EVERYTHING, ...categories, ...eventTypes].filter((name) => name !== WEBHOOK_DEAD));

/** Returns the list in the stored form: trimmed, without duplicates. Reports all unknown names together. */
export function readEventTypes(text: string): string {
  const names = splitNames(text);
  if (names.length === 0) {
    const message = "eventTypes must name at least one event type, a category (AUTHN, ADMIN, SECURITY), or * for everything";
    throw invalidFields([{ field: "eventTypes", code: "required", message }]);
  }
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw invalidFields(
      unknown.map((name) => ({
        field: "eventTypes",
        code: "unknown_event_type",
        message:
          name === WEBHOOK_DEAD
            ? `eventTypes: ${WEBHOOK_DEAD} reports a webhook that failed, and is not sent by webhook; look for it in the realm's events`
            : `eventTypes: there is no event type or category ${JSON.stringify(name)}.${didYouMean(name, [...known])}`,
      })),
    );
  }
  return names.join(",");
}

/** Tells whether a subscription to these types includes the event. */
export function subscriptionTo(text: string): (event: Pick<AuditEvent, "type" | "category">) => boolean {
  const subscribed = new Set(splitNames(text));
  return ({ type, category }) => type !== WEBHOOK_DEAD && (subscribed.has(EVERYTHING) || subscribed.has(type) || subscribed.has(category));
}

import { AppError, defineErrors } from "../../kernel/errors.ts";

export const providerErrors = {
  ...defineErrors("messaging", {
    provider_not_found: [404, "No such provider in this realm"],
    no_provider: [409, "No provider of this channel is enabled in this realm: configure one first, with PUT /messaging/providers"],
  }),
  /** Each channel has at most one enabled provider. */
  channel_taken: (channel: string, driver = "", cause?: unknown) =>
    new AppError(
      "messaging.channel_taken",
      409,
      `${driver ? `The provider ${driver}` : "Another provider"} sends the messages of ${channel} already: disable or delete that one first`,
      { cause },
    ),
};

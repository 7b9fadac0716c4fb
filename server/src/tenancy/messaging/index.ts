// Messaging: sends mail, text messages and push messages. Owns `messaging_providers`, `message_templates`, `push_tokens` and `message_limits`. Drivers are a
// plug point: driver.ts is the contract, drivers/ contains them.
export { createChannels } from "./channels.store.ts";
export { type Channel, type Delivery, type Envelope, MessageError, type Provider } from "./driver.ts";
export { driverOf } from "./drivers/index.ts";
export { deleteExpiredLimits } from "./limits.store.ts";
export { createMailbox, type Mailbox } from "./mailbox.ts";
export { messageJob } from "./messages.delivery.ts";
export { forgetMessages } from "./messages.erasure.store.ts";
export { createMessageMetrics } from "./messages.metrics.ts";
export { createMessages, MESSAGE_JOB, type Messages, type OutgoingMessage } from "./messages.ts";
export { providerRoutes } from "./providers.routes.ts";
export { UpsertProvider } from "./providers.schema.ts";
export { openProviderSecret, removeProvider, saveProvider, searchProviders } from "./providers.service.ts";
export { findProvider } from "./providers.store.ts";
export { pushTokenRoutes } from "./push-tokens.routes.ts";
export { keepDeviceToken } from "./push-tokens.service.ts";
export { deleteDeviceOf, devicesOf, pushTokensOf } from "./push-tokens.store.ts";
export { isRecipient, maskRecipient } from "./recipients.ts";
export { sendNow } from "./send.ts";
export { type TemplateKey, templateKeys } from "./templates.catalogue.ts";
export type { MessageUser } from "./templates.render.ts";
export { templateRoutes } from "./templates.routes.ts";
export { SaveTemplate } from "./templates.schema.ts";
export { readTemplates, removeTemplate, saveTemplate } from "./templates.service.ts";

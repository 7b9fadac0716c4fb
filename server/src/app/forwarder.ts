import { redactUrl } from "../config/redact.ts";
import type { Core } from "../core.ts";
import { createForwarder, httpReceiver, transports } from "../tenancy/audit/index.ts";

/** Opens the outputs of audit events: standard output always, and HTTP if a receiver is configured. */
export function openForwarder({ config: { audit }, database, background: { db }, log, metrics, onEvents }: Core) {
  const { httpUrl, httpToken, categories, timeoutMs } = audit;
  const receiver = httpUrl === null ? null : httpReceiver({ httpUrl, httpToken, timeoutMs });
  const forwarder =
    receiver &&
    createForwarder({
      db,
      log,
      registry: metrics.registry,
      alone: database.kind === "embedded",
      categories,
      timeoutMs,
      send: (events) => transports.http.send(receiver, events),
    });
  if (forwarder) onEvents(forwarder.wake);
  const config = {
    enabled: true,
    transports: ["stdout", ...(receiver ? ["http"] : [])],
    httpUrl: receiver && redactUrl(receiver.url.href),
    httpConfigured: receiver !== null,
    authConfigured: receiver !== null && receiver.authorization !== null,
    categories: [...categories],
    timeoutMs,
  };
  const close = async () => {
    await forwarder?.stop();
    await receiver?.outbound.close();
  };
  return { config, forwarder, close };
}

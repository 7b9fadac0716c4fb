import type { Channel, MessageDriver, Provider } from "../driver.ts";
import { apns } from "./apns.ts";
import { fcm } from "./fcm.ts";
import { emailHttp, smsHttp } from "./http.ts";
import { smtp } from "./smtp.ts";
import { twilio } from "./twilio.ts";

/** All drivers, by channel and name. A new one is a line here, and a peer in the conformance suite. */
export const drivers = {
  EMAIL: { smtp, http: emailHttp },
  SMS: { twilio, http: smsHttp },
  PUSH: { fcm, apns },
} satisfies Record<Channel, Record<string, MessageDriver>>;

function findDriver(channel: Channel, name: string): MessageDriver | null {
  const ofChannel: Readonly<Record<string, MessageDriver>> = drivers[channel];
  return Object.hasOwn(ofChannel, name) ? ofChannel[name]! : null;
}

export function driverOf({ channel, driver }: Pick<Provider, "channel" | "driver">): MessageDriver {
  const found = findDriver(channel, driver);
  if (!found) throw new Error(`This release has no driver ${driver} for ${channel}`);
  return found;
}

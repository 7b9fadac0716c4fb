import { describeDriver } from "../../../testing/message-driver-conformance.ts";
import { httpDriverPeer, smtpDriverPeer, twilioDriverPeer } from "../../../testing/message-peers.ts";
import { apnsDriverPeer, fcmDriverPeer } from "../../../testing/push-peers.ts";

const mail = { title: true, html: true, from: true };
const text = { title: false, html: false, from: true };
const push = { title: true, html: false, from: false };

describeDriver("EMAIL smtp with STARTTLS", mail, (parts) => smtpDriverPeer("starttls", parts));
describeDriver("EMAIL smtp with TLS", mail, (parts) => smtpDriverPeer("tls", parts));
describeDriver("EMAIL http with JSON", mail, (parts) => httpDriverPeer("EMAIL", "json", parts));
describeDriver("SMS http with a form", text, (parts) => httpDriverPeer("SMS", "form", parts));
describeDriver("SMS twilio", text, twilioDriverPeer);
describeDriver("PUSH fcm", push, fcmDriverPeer);
describeDriver("PUSH apns", push, apnsDriverPeer);

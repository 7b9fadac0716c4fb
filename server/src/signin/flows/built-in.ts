import type { AuthenticatorStep, Flow, Requirement, Step, SubFlow } from "./flow.ts";

const step = (authenticator: string, requirement: Requirement, config: Record<string, unknown> = {}): AuthenticatorStep => ({
  authenticator,
  requirement,
  config,
});
const sub = (alias: string, requirement: Requirement, steps: readonly Step[]): SubFlow => ({ alias, requirement, steps });

/** Every second factor. Those that send a message are disabled until an administrator enables them. */
const secondFactors: readonly Step[] = [
  step("passkey", "ALTERNATIVE"),
  step("totp", "ALTERNATIVE"),
  step("push", "ALTERNATIVE"),
  step("sms-otp", "DISABLED"),
  step("email-otp", "DISABLED"),
  step("recovery-code", "ALTERNATIVE"),
];

/** The second factor of users who have one, unless the browser is trusted. */
const ownSecondFactor = sub("second-factor", "CONDITIONAL", [
  step("condition-credential", "REQUIRED", { types: ["passkey", "totp", "push"] }),
  step("condition-unknown-device", "REQUIRED"),
  sub("second-factor-ways", "REQUIRED", secondFactors),
]);

/** The second factor after an identity provider, unless it is trusted for two factors and has asserted them. */
const brokerSecondFactor = sub("broker-second-factor", "CONDITIONAL", [
  step("condition-credential", "REQUIRED", { types: ["passkey", "totp", "push"] }),
  step("condition-unknown-device", "REQUIRED"),
  step("condition-single-factor", "REQUIRED"),
  sub("broker-second-factor-ways", "REQUIRED", secondFactors),
]);

const flow = (alias: string, displayName: string, steps: readonly Step[]): Flow => ({
  alias,
  displayName,
  builtIn: true,
  steps,
  version: 0,
});

/** The default flows. A realm may override a built-in flow, but not delete it. */
export const builtInFlows: readonly Flow[] = [
  flow("browser", "Sign in", [
    step("cookie", "ALTERNATIVE"),
    sub("forms", "ALTERNATIVE", [step("username-password", "REQUIRED"), ownSecondFactor]),
    step("passkey", "ALTERNATIVE"),
    step("qr", "DISABLED"),
    sub("identity-providers", "ALTERNATIVE", [step("identity-provider", "REQUIRED"), brokerSecondFactor]),
  ]),
  flow("passwordless", "Sign in without a password", [
    step("cookie", "ALTERNATIVE"),
    step("passkey", "ALTERNATIVE"),
    sub("by-name", "ALTERNATIVE", [
      step("username", "REQUIRED"),
      sub("by-name-ways", "REQUIRED", [step("magic-link", "ALTERNATIVE"), step("email-otp", "ALTERNATIVE")]),
    ]),
  ]),
  flow("step-up", "Prove it once more", [sub("step-up-ways", "REQUIRED", secondFactors)]),
  flow("first-broker-login", "First sign-in by an identity provider", [
    step("password", "ALTERNATIVE"),
    step("passkey", "ALTERNATIVE"),
    step("email-otp", "ALTERNATIVE"),
  ]),
  flow("reset-credentials", "Forgotten password", [
    step("username", "REQUIRED"),
    step("reset-email", "REQUIRED"),
    // A trusted browser does not replace the second factor here, because a thief of the device could also ask for a reset.
    sub("reset-second-factor", "CONDITIONAL", [
      step("condition-credential", "REQUIRED", { types: ["passkey", "totp", "push"] }),
      sub("reset-second-factor-ways", "REQUIRED", secondFactors),
    ]),
  ]),
  flow("registration", "Create an account", [step("terms", "DISABLED")]),
  flow("direct-grant", "Password grant", [
    step("username-password", "REQUIRED"),
    // The grant has no page for other factors. Such an account is refused, because the password alone must not suffice.
    sub("direct-second-factor", "CONDITIONAL", [
      step("condition-credential", "REQUIRED", { types: ["passkey", "totp", "push"] }),
      step("totp", "REQUIRED"),
    ]),
  ]),
];

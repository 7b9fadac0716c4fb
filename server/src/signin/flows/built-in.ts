import type { AuthenticatorStep, Flow, Requirement, Step, SubFlow } from "./flow.ts";

const step = (authenticator: string, requirement: Requirement, config: Record<string, unknown> = {}): AuthenticatorStep => ({
  authenticator,
  requirement,
  config,
});
const sub = (alias: string, requirement: Requirement, steps: readonly Step[]): SubFlow => ({ alias, requirement, steps });

/** Every second factor that a user may have set up; the ones that send something are off until an administrator wants them. */
const secondFactors: readonly Step[] = [
  step("passkey", "ALTERNATIVE"),
  step("totp", "ALTERNATIVE"),
  step("push", "ALTERNATIVE"),
  step("sms-otp", "DISABLED"),
  step("email-otp", "DISABLED"),
  step("recovery-code", "ALTERNATIVE"),
];

/** Asked of those who have one, unless this browser is one that they told us to trust. */
const ownSecondFactor = sub("second-factor", "CONDITIONAL", [
  step("condition-credential", "REQUIRED", { types: ["passkey", "totp", "push"] }),
  step("condition-unknown-device", "REQUIRED"),
  sub("second-factor-ways", "REQUIRED", secondFactors),
]);

/** The same after an identity provider, unless that is trusted for two factors and has seen them. */
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

/** As they ship. A realm's own form of one takes its place; they cannot be deleted, and what was changed can be taken back. */
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
    // A trusted browser proves no more than possession: a user who has lost the password may have lost that, too.
    sub("reset-second-factor", "CONDITIONAL", [
      step("condition-credential", "REQUIRED", { types: ["passkey", "totp", "push"] }),
      sub("reset-second-factor-ways", "REQUIRED", secondFactors),
    ]),
  ]),
  flow("registration", "Create an account", [step("terms", "DISABLED")]),
  flow("direct-grant", "Password grant", [
    step("username-password", "REQUIRED"),
    // An account protected by a factor that has no page here does not open by the password alone.
    sub("direct-second-factor", "CONDITIONAL", [
      step("condition-credential", "REQUIRED", { types: ["passkey", "totp", "push"] }),
      step("totp", "REQUIRED"),
    ]),
  ]),
];
